//! Kernels that nobody computes: those that no operator of PyTorch's launches, and nobody who computes launches by himself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use cgsan_model::FunctionId;
use cgsan_observe::sealed::is_sealed;
use rustc_hash::FxHashMap;

use super::agent::are_computed;
use super::size;
use crate::gpu::tally;

/// Kernels that write nothing: that of `torch.cuda._sleep` (PyTorch 2.11, `aten/src/ATen/cuda/Sleep.cu`).
const WRITE_NOTHING: [&str; 1] = ["spin_kernel"];

/// How many were launched.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Whether a kernel writes anything.
static WRITES: LazyLock<Mutex<FxHashMap<FunctionId, bool>>> = LazyLock::new(Mutex::default);

/// Whether a kernel writes anything, as those of operators do. What the name of another one is is asked once.
pub fn writes(function: FunctionId, name: impl FnOnce() -> Option<String>) -> bool {
    if is_sealed() || tally::is_running() {
        return true;
    }
    let mut known = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(function).or_insert_with(|| {
        let name = name().unwrap_or_default();
        !WRITE_NOTHING.iter().any(|known| name.contains(known))
    })
}

/// A kernel that writes something is launched.
pub fn note_launch(function: FunctionId) {
    if is_sealed() || !are_computed() || tally::is_running() || size::is_full() {
        return;
    }
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
    cgsan_observe::kernel_not_computed(function);
}

/// How many were launched so far.
pub fn launches() -> u64 {
    LAUNCHES.load(Ordering::Relaxed)
}
