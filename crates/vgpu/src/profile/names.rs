//! The names of kernels as C reads them, for as long as a profiler may look at its records: for ever.

use std::ffi::{CString, c_char};
use std::sync::{LazyLock, Mutex, PoisonError};

use cgsan_model::FunctionId;
use rustc_hash::FxHashMap;

use crate::gpu::kernel;
use crate::module;

static NAMES: LazyLock<Mutex<FxHashMap<FunctionId, CString>>> = LazyLock::new(Mutex::default);

/// Where the name of a kernel stands.
pub fn address_of(function: FunctionId) -> *const c_char {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names.entry(function).or_insert_with(|| {
        let of_library = || kernel::name_of_library(function).map(str::to_owned);
        let name = module::text_of(function.0).or_else(of_library);
        CString::new(name.unwrap_or_else(|| "unknown".to_owned())).unwrap_or_default()
    });
    // The text is never removed nor changed, so it stays where it is, wherever the map moves its owner to.
    name.as_ptr()
}
