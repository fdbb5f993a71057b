//! Python's objects, made and called through its C interface (<https://docs.python.org/3/c-api/>).
#![expect(unsafe_code, reason = "calls functions of the interpreter's")]

use std::ffi::{c_char, c_int, c_long, c_longlong, c_ulonglong, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::symbol;

type Raw = *mut c_void;

/// Declares the functions that are looked up, each with what it is given and returns.
macro_rules! functions {
    ($($field:ident: $name:ident($($given:ty),*) $(-> $result:ty)?;)*) => {
        /// The interpreter's functions.
        struct Functions {
            /// The address of `None`.
            none: usize,
            $($field: unsafe extern "C" fn($($given),*) $(-> $result)?,)*
        }

        fn find() -> Option<Functions> {
            let none = symbol(c"_Py_NoneStruct")? as usize;
            // SAFETY: the documentation of Python's C interface gives these functions these signatures.
            unsafe {
                Some(Functions {
                    none,
                    $($field: std::mem::transmute::<Raw, unsafe extern "C" fn($($given),*) $(-> $result)?>(
                        symbol(const {
                            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                                Ok(name) => name,
                                Err(_) => panic!("no name of C's"),
                            }
                        })?
                    ),)*
                })
            }
        }
    };
}

functions! {
    is_initialized: Py_IsInitialized() -> c_int;
    ensure: PyGILState_Ensure() -> c_int;
    release: PyGILState_Release(c_int);
    increase: Py_IncRef(Raw);
    decrease: Py_DecRef(Raw);
    tuple: PyTuple_New(isize) -> Raw;
    put_in_tuple: PyTuple_SetItem(Raw, isize, Raw) -> c_int;
    list: PyList_New(isize) -> Raw;
    put_in_list: PyList_SetItem(Raw, isize, Raw) -> c_int;
    integer: PyLong_FromLongLong(c_longlong) -> Raw;
    unsigned: PyLong_FromUnsignedLongLong(c_ulonglong) -> Raw;
    float: PyFloat_FromDouble(f64) -> Raw;
    complex: PyComplex_FromDoubles(f64, f64) -> Raw;
    boolean: PyBool_FromLong(c_long) -> Raw;
    bytes: PyBytes_FromStringAndSize(*const c_char, isize) -> Raw;
    text: PyUnicode_DecodeUTF8(*const c_char, isize, *const c_char) -> Raw;
    call: PyObject_CallObject(Raw, Raw) -> Raw;
    is_true: PyObject_IsTrue(Raw) -> c_int;
    item: PySequence_GetItem(Raw, isize) -> Raw;
    fetch: PyErr_Fetch(*mut Raw, *mut Raw, *mut Raw);
    restore: PyErr_Restore(Raw, Raw, Raw);
    unraisable: PyErr_WriteUnraisable(Raw);
}

fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(find).as_ref()
}

/// What sets how `torch.compile` treats the frames of the calling thread, and returns how it did so far
/// (`torch._C._dynamo.eval_frame.set_eval_frame`, 2.6 to 2.15).
static SET_COMPILER: OnceLock<Object> = OnceLock::new();

/// Has what is called from now on run as it is, and not by `torch.compile`, which this function sets.
pub fn call_uncompiled(set_compiler: Object) {
    // The first one stays.
    let _ = SET_COMPILER.set(set_compiler);
}

/// The interpreter, in a thread that holds it. An exception that is on its way stays out of sight meanwhile.
pub struct Python {
    functions: &'static Functions,
    state: c_int,
    raised: [Raw; 3],
    /// It belongs to its thread.
    _here: PhantomData<Raw>,
}

impl Python {
    /// Takes the interpreter, and waits for it; `None` if there is none.
    pub fn enter() -> Option<Python> {
        let functions = functions()?;
        // SAFETY: any thread may ask, and any may take the interpreter while there is one.
        let state = unsafe {
            if (functions.is_initialized)() == 0 {
                return None;
            }
            (functions.ensure)()
        };
        let mut raised = [std::ptr::null_mut(); 3];
        let [kind, value, trace] = &mut raised;
        // SAFETY: the thread has the interpreter now, until this is dropped.
        unsafe { (functions.fetch)(kind, value, trace) };
        Some(Python {
            functions,
            state,
            raised,
            _here: PhantomData,
        })
    }

    /// `None`.
    pub fn none(&self) -> Object {
        let none = NonNull::new(self.functions.none as Raw);
        self.borrowed(none.expect("the loader found it"))
    }

    pub fn boolean(&self, value: bool) -> Object {
        // SAFETY: the thread has the interpreter.
        self.made(unsafe { (self.functions.boolean)(value.into()) })
    }

    pub fn integer(&self, value: i64) -> Object {
        // SAFETY: as above.
        self.made(unsafe { (self.functions.integer)(value) })
    }

    pub fn unsigned(&self, value: u64) -> Object {
        // SAFETY: as above.
        self.made(unsafe { (self.functions.unsigned)(value) })
    }

    pub fn float(&self, value: f64) -> Object {
        // SAFETY: as above.
        self.made(unsafe { (self.functions.float)(value) })
    }

    pub fn complex(&self, real: f64, imaginary: f64) -> Object {
        // SAFETY: as above.
        self.made(unsafe { (self.functions.complex)(real, imaginary) })
    }

    pub fn bytes(&self, value: &[u8]) -> Object {
        // SAFETY: as above; so many bytes may be read, and are copied.
        self.made(unsafe {
            (self.functions.bytes)(value.as_ptr().cast(), value.len().cast_signed())
        })
    }

    pub fn text(&self, value: &str) -> Object {
        let (begin, length) = (value.as_ptr().cast(), value.len().cast_signed());
        // SAFETY: as above.
        self.made(unsafe { (self.functions.text)(begin, length, std::ptr::null()) })
    }

    pub fn tuple(
        &self,
        values: impl IntoIterator<Item = Object, IntoIter: ExactSizeIterator>,
    ) -> Object {
        let Functions {
            tuple,
            put_in_tuple,
            ..
        } = self.functions;
        self.filled(*tuple, *put_in_tuple, values.into_iter())
    }

    pub fn list(
        &self,
        values: impl IntoIterator<Item = Object, IntoIter: ExactSizeIterator>,
    ) -> Object {
        let Functions {
            list, put_in_list, ..
        } = self.functions;
        self.filled(*list, *put_in_list, values.into_iter())
    }

    fn filled(
        &self,
        make: unsafe extern "C" fn(isize) -> Raw,
        put: unsafe extern "C" fn(Raw, isize, Raw) -> c_int,
        values: impl ExactSizeIterator<Item = Object>,
    ) -> Object {
        // SAFETY: the thread has the interpreter; places of a new one are filled once each, with references that are handed over.
        unsafe {
            let filled = self.made(make(values.len().cast_signed()));
            for (place, value) in values.enumerate() {
                put(filled.0.as_ptr(), place.cast_signed(), value.into_raw());
            }
            filled
        }
    }

    /// Calls an object; `None` if it raises, which is said on standard error as Python does where nobody can catch.
    ///
    /// `torch.compile` leaves what it calls alone: between the parts of a function that it has split, it would compile it.
    pub fn call(
        &self,
        function: &Object,
        arguments: impl IntoIterator<Item = Object, IntoIter: ExactSizeIterator>,
    ) -> Option<Object> {
        let _uncompiled = self.uncompiled();
        self.call_as_it_is(function, arguments)
    }

    /// The same for who has `torch.compile` leave alone what is called meanwhile.
    pub fn call_as_it_is(
        &self,
        function: &Object,
        arguments: impl IntoIterator<Item = Object, IntoIter: ExactSizeIterator>,
    ) -> Option<Object> {
        self.call_with(function, &self.tuple(arguments))
    }

    /// `torch.compile` leaves alone what the calling thread calls, until this is dropped.
    pub fn uncompiled(&self) -> Uncompiled {
        let set_compiler = SET_COMPILER.get();
        let nothing = || self.tuple([self.none()]);
        Uncompiled(set_compiler.and_then(|it| self.call_with(it, &nothing())))
    }

    fn call_with(&self, function: &Object, arguments: &Object) -> Option<Object> {
        // SAFETY: the thread has the interpreter, and both are objects that live until the call has returned.
        unsafe {
            let result = (self.functions.call)(function.0.as_ptr(), arguments.0.as_ptr());
            if result.is_null() {
                (self.functions.unraisable)(function.0.as_ptr());
            }
            NonNull::new(result).map(Object)
        }
    }

    /// Whether an object counts as true.
    pub fn is_true(&self, object: &Object) -> bool {
        // SAFETY: the thread has the interpreter.
        unsafe { (self.functions.is_true)(object.0.as_ptr()) == 1 }
    }

    /// Whether an object is `None`.
    pub fn is_none(&self, object: &Object) -> bool {
        object.0.as_ptr() as usize == self.functions.none
    }

    /// The elements of a tuple of so many; `None` for what is none.
    pub fn elements<const COUNT: usize>(&self, object: &Object) -> Option<[Object; COUNT]> {
        if self.is_none(object) {
            return None;
        }
        let element = |at: usize| {
            // SAFETY: the thread has the interpreter. An exception is put aside with the others when it is left.
            let found = unsafe { (self.functions.item)(object.0.as_ptr(), at.cast_signed()) };
            NonNull::new(found).map(Object)
        };
        let elements: Option<Vec<Object>> = (0..COUNT).map(element).collect();
        elements?.try_into().ok()
    }

    /// Another reference to an object.
    pub fn same(&self, object: &Object) -> Object {
        self.borrowed(object.0)
    }

    /// An object that lives, of which others have a reference.
    ///
    /// # Safety
    ///
    /// It is the address of an object.
    pub unsafe fn object_at(&self, address: *mut c_void) -> Option<Object> {
        Some(self.borrowed(NonNull::new(address)?))
    }

    fn borrowed(&self, object: NonNull<c_void>) -> Object {
        // SAFETY: the thread has the interpreter, and the object lives.
        unsafe { (self.functions.increase)(object.as_ptr()) };
        Object(object)
    }

    /// What a function that makes an object returned. It returns none only where there is no memory left.
    fn made(&self, object: Raw) -> Object {
        NonNull::new(object).map_or_else(|| self.none(), Object)
    }
}

/// What is called runs as it is. It holds how `torch.compile` treated the thread's frames before. The thread has the interpreter when
/// it is dropped.
pub struct Uncompiled(Option<Object>);

impl Drop for Uncompiled {
    fn drop(&mut self) {
        let Some((set_compiler, before)) = SET_COMPILER.get().zip(self.0.take()) else {
            return;
        };
        if let Some(python) = Python::enter() {
            python.call_with(set_compiler, &python.tuple([before]));
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let [kind, value, trace] = self.raised;
        // SAFETY: what `fetch` returned and what `ensure` returned, in the same thread.
        unsafe {
            (self.functions.restore)(kind, value, trace);
            (self.functions.release)(self.state);
        }
    }
}

/// A reference to an object.
#[derive(Debug)]
pub struct Object(NonNull<c_void>);

// SAFETY: references may be handed from thread to thread; they are used only by who holds the interpreter.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    /// An owned reference that C++ returned.
    ///
    /// # Safety
    ///
    /// It is one.
    pub unsafe fn owned(object: *mut c_void) -> Option<Object> {
        NonNull::new(object).map(Object)
    }

    fn into_raw(self) -> Raw {
        let raw = self.0.as_ptr();
        std::mem::forget(self);
        raw
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // Without the interpreter nothing may be given back; it is then about to end.
        if let Some(python) = Python::enter() {
            // SAFETY: the thread has the interpreter, and this reference is its own.
            unsafe { (python.functions.decrease)(self.0.as_ptr()) };
        }
    }
}
