//! The kernels that were launched, by name.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use cgsan_model::FunctionId;
use rustc_hash::FxHashMap;

use super::handle;

static OF_LIBRARIES: LazyLock<Mutex<FxHashMap<&'static str, FunctionId>>> =
    LazyLock::new(Mutex::default);

/// The identity of a kernel that a library launches by itself.
pub fn of_library(name: &'static str) -> FunctionId {
    let mut known = OF_LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(name).or_insert_with(|| {
        let id = FunctionId(handle::fresh());
        cgsan_observe::define_function(id, name);
        id
    })
}

/// Whether a kernel was launched, whose results are then missing from memory.
static LAUNCHED: AtomicBool = AtomicBool::new(false);

/// A kernel is being launched.
#[inline]
pub fn note_launch() {
    LAUNCHED.store(true, Ordering::Relaxed);
}

/// The host reads device memory.
pub fn note_read_by_host() {
    if LAUNCHED.load(Ordering::Relaxed) {
        cgsan_observe::computed_value_read();
    }
}
