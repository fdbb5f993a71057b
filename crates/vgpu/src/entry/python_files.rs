//! What Python is about to load, told by its audit events (<https://docs.python.org/3/library/audit_events.html>): an
//! extension module (`import`, with the file's path), or a library that the program opens itself (`ctypes.dlopen`).
#![expect(unsafe_code, reason = "calls functions of the interpreter's")]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::OnceLock;

use crate::embedded;
use crate::ffi::{guard, symbol};

/// The function of a hook, by <https://docs.python.org/3/c-api/sys.html#c.PySys_AddAuditHook>.
type Hook = unsafe extern "C" fn(*const c_char, *mut c_void, *mut c_void) -> c_int;

type AddHook = unsafe extern "C" fn(Hook, *mut c_void) -> c_int;
type Object = unsafe extern "C" fn(*mut c_void, isize) -> *mut c_void;
type Length = unsafe extern "C" fn(*mut c_void) -> isize;
type IsInstance = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Text = unsafe extern "C" fn(*mut c_void, *mut isize) -> *const c_char;
type ClearError = unsafe extern "C" fn();

/// The interpreter's functions that a hook needs.
struct Interpreter {
    add_hook: AddHook,
    /// A borrowed reference to one of a tuple's objects.
    object: Object,
    length: Length,
    is_instance: IsInstance,
    text: Text,
    clear_error: ClearError,
    /// The type `str`.
    string: *mut c_void,
}

// SAFETY: functions, and a type that lives as long as the interpreter.
unsafe impl Send for Interpreter {}
// SAFETY: as above; they are called by threads that run Python.
unsafe impl Sync for Interpreter {}

static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();

/// From now on the virtual GPU stands in for the CUDA runtimes in files that Python loads. The agent calls this once.
#[unsafe(no_mangle)]
extern "C" fn cgsan_stand_in_for_runtimes() {
    guard((), || {
        if let Some(interpreter) = INTERPRETER.get_or_init(find) {
            // SAFETY: the agent runs in Python, and the hook needs no data.
            unsafe { (interpreter.add_hook)(hook, std::ptr::null_mut()) };
        }
    });
}

/// Says which version a CUDA runtime has that the agent wants the virtual GPU to stand in for. Whether it can: 1 or 0.
#[unsafe(no_mangle)]
extern "C" fn cgsan_runtime_agrees(version: c_int) -> c_int {
    guard(0, || c_int::from(crate::gpu::version::agree(version)))
}

/// Called at each event with a tuple, by a thread that runs Python: that holds the GIL, where there is one. Without it, several
/// may call at once.
unsafe extern "C" fn hook(event: *const c_char, tuple: *mut c_void, _data: *mut c_void) -> c_int {
    // SAFETY: the interpreter names its events by strings of C.
    let position = match unsafe { CStr::from_ptr(event) }.to_bytes() {
        b"import" => 1,
        b"ctypes.dlopen" => 0,
        _ => return 0,
    };
    guard(0, || {
        let interpreter = INTERPRETER.get().and_then(Option::as_ref);
        // SAFETY: the thread runs Python, and the arguments of an event are a tuple.
        if let Some(path) = interpreter.and_then(|it| unsafe { it.text_at(tuple, position) }) {
            let path = Path::new(OsStr::from_bytes(path.to_bytes()));
            // The loader looks for a name alone in folders of its own.
            let has_folder = path.components().nth(1).is_some();
            if let Ok(path) = std::path::absolute(path)
                && has_folder
            {
                embedded::stand_in(&path);
            }
        }
        0
    })
}

impl Interpreter {
    /// The text in a tuple, if there is one, valid as long as the tuple.
    ///
    /// # Safety
    ///
    /// The thread runs Python, and `tuple` is a tuple.
    unsafe fn text_at<'a>(&self, tuple: *mut c_void, position: isize) -> Option<&'a CStr> {
        // SAFETY: by the contract of this function; the position is checked, and so is the object's type.
        unsafe {
            if position >= (self.length)(tuple) {
                return None;
            }
            let object = (self.object)(tuple, position);
            if (self.is_instance)(object, self.string) != 1 {
                return None;
            }
            let text = (self.text)(object, std::ptr::null_mut());
            if text.is_null() {
                // It cannot be written in UTF-8.
                (self.clear_error)();
                return None;
            }
            Some(CStr::from_ptr(text))
        }
    }
}

fn find() -> Option<Interpreter> {
    // SAFETY: the documentation of Python's C API gives these functions these signatures.
    unsafe {
        Some(Interpreter {
            add_hook: std::mem::transmute::<*mut c_void, AddHook>(symbol(c"PySys_AddAuditHook")?),
            object: std::mem::transmute::<*mut c_void, Object>(symbol(c"PyTuple_GetItem")?),
            length: std::mem::transmute::<*mut c_void, Length>(symbol(c"PyTuple_Size")?),
            is_instance: std::mem::transmute::<*mut c_void, IsInstance>(symbol(
                c"PyObject_IsInstance",
            )?),
            text: std::mem::transmute::<*mut c_void, Text>(symbol(c"PyUnicode_AsUTF8AndSize")?),
            clear_error: std::mem::transmute::<*mut c_void, ClearError>(symbol(c"PyErr_Clear")?),
            string: symbol(c"PyUnicode_Type")?,
        })
    }
}
