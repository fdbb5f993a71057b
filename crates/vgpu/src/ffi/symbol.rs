//! Functions of the process, by name.
#![expect(unsafe_code, reason = "asks the loader")]

use std::ffi::{CStr, c_void};

/// What a name stands for in the process, as the loader finds it; `None` if it stands for nothing.
pub fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends in a null byte.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}
