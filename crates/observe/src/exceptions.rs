//! The exceptions of PyTorch's C++ part, seen when they are thrown.
//!
//! C++ code throws through `__cxa_throw` (Itanium C++ ABI, "Throwing an Exception"). A library that exports a function of
//! this name and is loaded before the C++ runtime gets the call first; see [`export_cxa_throw!`](crate::export_cxa_throw).
#![expect(unsafe_code, reason = "reads C++ exceptions in place")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use crate::{modules, state};

/// The most bytes of a message that are recorded.
const LONGEST_MESSAGE: usize = 4096;

/// How many base classes are looked through.
const DEEPEST_HIERARCHY: usize = 16;

const CXX_RUNTIME: &str = "libstdc++.so.6";

/// In the table of a `std::exception`'s virtual functions: `what`, after two destructors.
const WHAT: usize = 2;

/// In that of a `c10::Error`: `what_without_backtrace`, the first virtual function that it adds
/// (`c10/util/Exception.h`). Its `what` looks up the names of a C++ backtrace, which takes long.
const WHAT_WITHOUT_BACKTRACE: usize = 3;

/// Exports `__cxa_throw` from the library that this is written in, once, at its root.
#[macro_export]
macro_rules! export_cxa_throw {
    () => {
        /// Notes an exception of PyTorch, then throws it as the C++ runtime would have.
        ///
        /// # Safety
        ///
        /// As the C++ ABI demands; called by compiled C++ code alone.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn __cxa_throw(
            object: *mut ::std::ffi::c_void,
            type_info: *mut ::std::ffi::c_void,
            destructor: *mut ::std::ffi::c_void,
        ) -> ! {
            // SAFETY: the arguments are passed on as they came.
            unsafe { $crate::cxa_throw(object, type_info, destructor) }
        }
    };
}

/// Notes an exception of PyTorch, then throws it through the C++ runtime. What [`export_cxa_throw!`](crate::export_cxa_throw)
/// exports calls this.
///
/// # Safety
///
/// The arguments are those of `__cxa_throw`.
pub unsafe extern "C-unwind" fn cxa_throw(
    object: *mut c_void,
    type_info: *mut c_void,
    destructor: *mut c_void,
) -> ! {
    // SAFETY: by the contract of this function.
    let throw = unsafe {
        on_cxa_throw(object, type_info);
        real_throw(type_info.cast())
    };
    // SAFETY: as above. The exception passes through this frame, which holds nothing that needs dropping.
    unsafe { throw(object, type_info, destructor) }
}

/// Records the exception that is about to be thrown, if it is one of PyTorch's and says what happened.
///
/// # Safety
///
/// `object` is an exception that is about to be thrown, and `type_info` its `std::type_info`.
pub unsafe fn on_cxa_throw(object: *mut c_void, type_info: *mut c_void) {
    if !state::is_recording() || object.is_null() || type_info.is_null() {
        return;
    }
    // SAFETY: by the contract of this function.
    let described = unsafe { describe(object.cast(), type_info.cast()) };
    if let Some((type_name, message)) = described {
        state::with(|recorder| recorder.exception(&type_name, &message));
    }
}

type Throw = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_void) -> !;

/// How many kinds of `type_info` are kept at hand: each runtime has about ten, of which few are thrown.
const KINDS: usize = 16;

/// The `__cxa_throw` of the C++ runtime that the thrower was linked to.
///
/// A process can have several: one that a library brings along, or LLVM's. Each catches only what it has thrown itself, as
/// well as it should. The thrower's is the one that holds the virtual functions of the thrown type's `type_info`.
///
/// # Safety
///
/// `type_info` is a `std::type_info`.
unsafe fn real_throw(type_info: *const TypeInfo) -> Throw {
    static KNOWN: [OnceLock<(usize, Throw)>; KINDS] = [const { OnceLock::new() }; KINDS];
    // SAFETY: by the contract of this function.
    let kind = unsafe { (*type_info).virtual_functions } as usize;
    for place in &KNOWN {
        let (known, throw) = place.get().copied().unwrap_or_else(|| {
            let found = (kind, find_throw(kind));
            let _ = place.set(found);
            found
        });
        if known == kind {
            return throw;
        }
    }
    find_throw(kind)
}

fn find_throw(virtual_functions: usize) -> Throw {
    let name = c"__cxa_throw";
    let found = modules::symbol_around(virtual_functions, name)
        .or_else(|| modules::symbol(CXX_RUNTIME, name))
        // SAFETY: the name ends in a zero byte.
        .unwrap_or_else(|| unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize);
    if found == 0 {
        // Something was thrown without a C++ runtime to catch it.
        std::process::abort();
    }
    // SAFETY: it is the address of a function with this signature.
    unsafe { std::mem::transmute::<usize, Throw>(found) }
}

/// The beginning of every `std::type_info` (Itanium C++ ABI, "Run-Time Type Information").
#[repr(C)]
struct TypeInfo {
    virtual_functions: *const c_void,
    name: *const c_char,
}

/// The `type_info` of a class with one public, non-virtual base at offset 0 (`__si_class_type_info`).
#[repr(C)]
struct SingleInheritance {
    common: TypeInfo,
    base: *const TypeInfo,
}

/// The mangled type and the message of an exception of PyTorch.
///
/// # Safety
///
/// `type_info` describes `object`.
unsafe fn describe(object: *const c_void, type_info: *const TypeInfo) -> Option<(String, String)> {
    // SAFETY: a type_info's name ends in a zero byte and lives as long as its library.
    let type_name = unsafe { CStr::from_ptr((*type_info).name) }.to_bytes();
    let of_pytorch = type_name.starts_with(b"N3c10") || type_name.starts_with(b"N5torch");
    if !of_pytorch {
        return None;
    }
    // SAFETY: by the contract of this function.
    let slot = unsafe { message_function(type_info) }?;
    // SAFETY: the class derives from `std::exception` at offset 0, so the object begins with a pointer to a table that has
    // this slot; the function takes the object and gives a string that it owns, and does not throw.
    let message = unsafe {
        let table = object
            .cast::<*const extern "C" fn(*const c_void) -> *const c_char>()
            .read();
        let what = table.add(slot).read();
        what(object)
    };
    if message.is_null() {
        return None;
    }
    // SAFETY: the string ends in a zero byte, at the latest where `strnlen` stops.
    let message = unsafe {
        std::slice::from_raw_parts(
            message.cast::<u8>(),
            libc::strnlen(message, LONGEST_MESSAGE),
        )
    };
    Some((
        String::from_utf8_lossy(type_name).into_owned(),
        String::from_utf8_lossy(message).into_owned(),
    ))
}

/// The virtual function that gives an exception's message; `None` for a class that is not known to begin with a
/// `std::exception`.
///
/// # Safety
///
/// `type_info` is a `std::type_info`.
unsafe fn message_function(type_info: *const TypeInfo) -> Option<usize> {
    let single_inheritance = single_inheritance_table()?;
    let mut slot = WHAT;
    let mut class = type_info;
    for _ in 0..DEEPEST_HIERARCHY {
        // SAFETY: `class` is a type_info, the first by the contract of this function.
        let (name, table) = unsafe { (CStr::from_ptr((*class).name), (*class).virtual_functions) };
        match name.to_bytes() {
            b"St9exception" => return Some(slot),
            b"N3c105ErrorE" => slot = WHAT_WITHOUT_BACKTRACE,
            _ => {}
        }
        if table as usize != single_inheritance {
            return None;
        }
        // SAFETY: the table of virtual functions says which kind of type_info this is.
        class = unsafe { (*class.cast::<SingleInheritance>()).base };
    }
    None
}

/// What the `type_info` of a class with a single base points to.
fn single_inheritance_table() -> Option<usize> {
    // A table of virtual functions begins after two words: the offset to the top and the type_info.
    let table = modules::symbol(CXX_RUNTIME, c"_ZTVN10__cxxabiv120__si_class_type_infoE")?;
    Some(table + 2 * size_of::<usize>())
}
