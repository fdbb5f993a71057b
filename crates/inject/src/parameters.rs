//! The parameters of kernels, which the driver tells since CUDA 12.4.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cgsan_observe::launches::{Known, Parameter, declared_parameters};

use crate::driver;

/// `cuFuncGetParamInfo`, `cuKernelGetParamInfo`.
type GetParamInfo = unsafe extern "C" fn(u64, usize, *mut usize, *mut usize) -> c_int;
/// `cuFuncGetParamCount`.
type GetParamCount = unsafe extern "C" fn(u64, *mut usize) -> c_int;
/// `cuFuncGetName`, `cuKernelGetName`.
type GetName = unsafe extern "C" fn(*mut *const c_char, u64) -> c_int;

/// `CUDA_ERROR_INVALID_VALUE`: there is no such parameter.
const INVALID_VALUE: c_int = 1;
/// More parameters than any kernel has: they have 32,764 bytes in all.
const MOST: usize = 4_096;

/// What is known of the kernels that running captures recorded, by their handles; after those, a handle may be another kernel's.
static KNOWN: Mutex<Option<HashMap<u64, Known>>> = Mutex::new(None);

fn all() -> MutexGuard<'static, Option<HashMap<u64, Known>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of the kernel of this handle and this name.
///
/// # Safety
///
/// `name` is null or ends in a zero byte.
pub unsafe fn known(handle: u64, name: *const c_char) -> Option<Known> {
    if let Some(known) = all().as_ref().and_then(|it| it.get(&handle)) {
        return Some(known.clone());
    }
    if name.is_null() {
        return None;
    }
    // SAFETY: by the contract of this function.
    let known = ask(handle, unsafe { CStr::from_ptr(name) });
    let mut all = all();
    let all = all.get_or_insert_with(HashMap::new);
    all.insert(handle, known.clone());
    Some(known)
}

/// No capture runs any more.
pub fn forget() {
    *all() = None;
}

/// What the driver says of a kernel. No capture minds being asked.
pub fn of(handle: u64) -> Option<Known> {
    static OF_FUNCTION: OnceLock<Option<GetName>> = OnceLock::new();
    static OF_KERNEL: OnceLock<Option<GetName>> = OnceLock::new();
    // SAFETY: functions of these names have this type (`cuda.h`).
    let (of_function, of_kernel) = unsafe {
        (
            *OF_FUNCTION.get_or_init(|| driver::function(c"cuFuncGetName")),
            *OF_KERNEL.get_or_init(|| driver::function(c"cuKernelGetName")),
        )
    };
    let name = |get: Option<GetName>| {
        let mut name = std::ptr::null();
        // SAFETY: the function writes a pointer to a static text, if the handle is one of its kind.
        let result = unsafe { get?(&raw mut name, handle) };
        (result == 0 && !name.is_null()).then_some(name)
    };
    let name = name(of_function).or_else(|| name(of_kernel))?;
    // SAFETY: the driver's texts end in zero bytes.
    Some(ask(handle, unsafe { CStr::from_ptr(name) }))
}

fn ask(handle: u64, name: &CStr) -> Known {
    let parameters = places(handle).map(|places| -> Arc<[Parameter]> {
        declared_parameters(&name.to_string_lossy(), &places).into()
    });
    Known {
        name: name.into(),
        parameters,
    }
}

/// The offset and the size of each parameter; `None` where the driver does not tell.
fn places(handle: u64) -> Option<Vec<(usize, usize)>> {
    static OF_FUNCTION: OnceLock<Option<GetParamInfo>> = OnceLock::new();
    static OF_KERNEL: OnceLock<Option<GetParamInfo>> = OnceLock::new();
    static COUNT: OnceLock<Option<GetParamCount>> = OnceLock::new();
    // SAFETY: functions of these names have these types (`cuda.h`).
    let (of_function, of_kernel, count) = unsafe {
        (
            *OF_FUNCTION.get_or_init(|| driver::function(c"cuFuncGetParamInfo")),
            *OF_KERNEL.get_or_init(|| driver::function(c"cuKernelGetParamInfo")),
            *COUNT.get_or_init(|| driver::function(c"cuFuncGetParamCount")),
        )
    };
    let count = count.and_then(|count| {
        let mut parameters = 0;
        // SAFETY: the function writes a number.
        (unsafe { count(handle, &raw mut parameters) } == 0).then_some(parameters)
    });
    // A launch takes handles of either kind.
    listed(of_function?, handle, count).or_else(|| listed(of_kernel?, handle, count))
}

/// All parameters: so many, or else up to the first that is not there.
fn listed(get: GetParamInfo, handle: u64, count: Option<usize>) -> Option<Vec<(usize, usize)>> {
    let mut places = Vec::new();
    while places.len() < count.unwrap_or(MOST) {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: the function writes two numbers.
        match unsafe { get(handle, places.len(), &raw mut offset, &raw mut bytes) } {
            0 => places.push((offset, bytes)),
            INVALID_VALUE if count.is_none() => break,
            _ => return None,
        }
    }
    Some(places)
}
