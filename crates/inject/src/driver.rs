//! Functions of the driver that the watcher calls itself: they only look something up, and no capture minds them.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{CStr, c_void};

/// The driver's function of a name; `None` if the process has no driver, or the driver no such function.
///
/// # Safety
///
/// `F` is the type of the function pointer that `name` stands for (`cuda.h`).
pub unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the driver is loaded already, since it calls this library; the names end in zero bytes.
    let address = unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        if driver.is_null() {
            return None;
        }
        libc::dlsym(driver, name.as_ptr())
    };
    // SAFETY: by the contract of this function; the sizes are equal.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}
