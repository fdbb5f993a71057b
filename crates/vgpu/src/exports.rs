//! The functions that this library exports, by name.
#![expect(unsafe_code, reason = "looks symbols up")]

use std::ffi::{CString, c_void};

/// The address of a function that this library exports.
pub fn address(name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    let own = own_handle()?;
    // SAFETY: the handle is this library's, which is never unloaded, and the name ends in a null byte.
    let address = unsafe { libc::dlsym(own, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// This library's handle: looking names up in the whole program could find another driver.
fn own_handle() -> Option<*mut c_void> {
    // SAFETY: all zeros is a valid value of this structure of pointers.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    let inside = own_handle as fn() -> Option<*mut c_void> as *const c_void;
    // SAFETY: any address may be asked about; the structure is written to.
    if unsafe { libc::dladdr(inside, &raw mut place) } == 0 {
        return None;
    }
    // SAFETY: `dladdr` filled in the path of the file that holds this function.
    let handle = unsafe { libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(handle)
}
