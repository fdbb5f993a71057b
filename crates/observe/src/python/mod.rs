//! The Python stack of the calling thread, read without the interpreter's help.
//!
//! Neither the GIL is taken nor an object made: a call to CUDA may come from a thread that has released the GIL, or from
//! within the allocator. That is sound because the calling thread is inside the call, so its own frames stand still, and
//! they keep alive all that is read here: their code objects, and the strings and line tables of these.
#![expect(unsafe_code, reason = "calls functions of the interpreter's")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

pub use cgsan_frames::{CodeText, Frame};
use cgsan_frames::{Layout, code_text, hash_of_bytes, line, version, walk};

use crate::memory::{Checked, Memory, Trusted};

/// Reads the stacks of the interpreter in this process.
#[derive(Debug)]
pub struct Reader {
    layout: Layout,
    interpreter: Interpreter,
    memory: Trusted,
}

/// The functions of the interpreter that are called; each of them only reads.
#[derive(Clone, Copy, Debug)]
struct Interpreter {
    thread_state: unsafe extern "C" fn() -> *mut c_void,
    finalizing: unsafe extern "C" fn() -> c_int,
}

/// Tells a code object from another one that lies, later, at the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    file: usize,
    function: usize,
    line_table: usize,
    first_line: u32,
    /// Of the line table's contents. Taken only of code that was compiled from a string (`<string>`), of which a program
    /// may make one after the other, alike in all but the lines.
    contents: u64,
}

impl Reader {
    /// A reader for the interpreter in this process, tried on the calling thread's own stack.
    ///
    /// # Errors
    ///
    /// Why stacks cannot be read, for a person. Without an interpreter of a known version whose stack reads as expected,
    /// none are.
    pub fn new() -> Result<Reader, String> {
        let (interpreter, description) =
            Interpreter::find().ok_or("this process has no Python interpreter")?;
        let memory = Checked::open().map_err(|error| {
            format!("/proc/self/mem, needed to check how this CPython lays out its frames, cannot be opened: {}", cgsan_files::in_words(&error))
        })?;
        let runtime = symbol(c"_PyRuntime").map_or(0, |it| it as usize);
        let layout = Layout::of(&memory, runtime, version(&description)).ok_or_else(|| {
            let version = description.split(" (").next().unwrap_or(&description);
            format!("CPython {version} lays out its frames in a way that is not known")
        })?;
        check(&memory, &layout, interpreter.thread_state())?;
        Ok(Reader {
            layout,
            interpreter,
            // SAFETY: the layout was checked just now, and a `Reader` reads running frames alone.
            memory: unsafe { Trusted::after_check() },
        })
    }

    /// Replaces `frames` by those of the calling thread, innermost first; leaves none where it has no Python frame.
    pub fn read(&self, frames: &mut Vec<Frame>) {
        frames.clear();
        // SAFETY: the function only reads the interpreter's state.
        if unsafe { (self.interpreter.finalizing)() } != 0 {
            // The interpreter is taking threads' states apart.
            return;
        }
        walk(
            &self.memory,
            &self.layout,
            self.interpreter.thread_state(),
            frames,
        );
    }

    /// The text of the code object of a frame that is running.
    pub fn code_text(&self, frame: Frame) -> Option<CodeText> {
        code_text(&self.memory, &self.layout, frame)
    }

    /// The line that a running frame is at, counted from 1; 0 if unknown.
    pub fn line(&self, frame: Frame) -> u32 {
        line(&self.memory, &self.layout, frame)
    }

    /// The fingerprint of a running frame's code; `compiled_from_string` as [`Fingerprint::contents`] needs it.
    #[inline]
    pub fn fingerprint(&self, frame: Frame, compiled_from_string: bool) -> Option<Fingerprint> {
        let memory = &self.memory;
        let line_table = memory.number(frame.code + self.layout.line_table)?;
        Some(Fingerprint {
            file: memory.number(frame.code + self.layout.file)?,
            function: memory.number(frame.code + self.layout.function)?,
            line_table,
            first_line: memory.number(frame.code + self.layout.first_line)?,
            contents: if compiled_from_string {
                hash_of_bytes(memory, &self.layout, line_table)?
            } else {
                0
            },
        })
    }
}

/// Reads the stack of the thread with this state through the kernel, so that a layout that does not fit cannot crash.
fn check(memory: &Checked, layout: &Layout, thread_state: usize) -> Result<(), String> {
    let mut frames = Vec::new();
    walk(memory, layout, thread_state, &mut frames);
    let texts: Option<Vec<_>> = frames
        .iter()
        .map(|frame| code_text(memory, layout, *frame))
        .collect();
    let plausible = |code: &CodeText| !code.file.is_empty() && !code.function.is_empty();
    let real = |code: &CodeText| code.file.starts_with('<') || Path::new(&code.file).exists();
    match texts.as_deref() {
        Some([innermost, ..]) if real(innermost) && texts.iter().flatten().all(plausible) => Ok(()),
        Some([]) => Err("recording was not started from Python, so how its frames are laid out could not be checked".to_owned()),
        _ => Err("this CPython lays out its frames in an unexpected way".to_owned()),
    }
}

impl Interpreter {
    /// The interpreter in this process, and how it describes itself.
    fn find() -> Option<(Interpreter, String)> {
        type Version = unsafe extern "C" fn() -> *const c_char;
        let finalizing = symbol(c"Py_IsFinalizing").or_else(|| symbol(c"_Py_IsFinalizing"))?;
        let (thread_state, version) = (
            symbol(c"PyGILState_GetThisThreadState")?,
            symbol(c"Py_GetVersion")?,
        );
        // SAFETY: the signatures are those of CPython's headers, alike in all supported versions.
        let (interpreter, version) = unsafe {
            (
                Interpreter {
                    thread_state: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn() -> *mut c_void,
                    >(thread_state),
                    finalizing: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(
                        finalizing,
                    ),
                },
                std::mem::transmute::<*mut c_void, Version>(version),
            )
        };
        // SAFETY: the function returns a string that lives as long as the process.
        let description = unsafe { CStr::from_ptr(version()) };
        Some((interpreter, description.to_string_lossy().into_owned()))
    }

    /// The interpreter's state of the calling thread; 0 for a thread that it does not know.
    fn thread_state(&self) -> usize {
        // SAFETY: the function only reads.
        unsafe { (self.thread_state)() as usize }
    }
}

/// The address of a symbol that every library in this process can see.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends in a zero byte.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}
