//! Where in the device's memory something other than zeros was written: what a block that is given out anew may still hold.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashSet;

use super::backing::GRANULARITY;

/// The granules of device memory with something in them. Memory starts out as zeros, and kernels write none.
static GRANULES: Mutex<Option<FxHashSet<u64>>> = Mutex::new(None);

/// Bytes from `start` to before `end` are written.
pub fn note(start: u64, end: u64) {
    lock()
        .get_or_insert_default()
        .extend(start / GRANULARITY..end.div_ceil(GRANULARITY));
}

/// Whether something may have been written from `start` to before `end`.
pub fn may_hold(start: u64, end: u64) -> bool {
    let granules = lock();
    let is_written = |granule: u64| granules.as_ref().is_some_and(|it| it.contains(&granule));
    (start / GRANULARITY..end.div_ceil(GRANULARITY)).any(is_written)
}

fn lock() -> MutexGuard<'static, Option<FxHashSet<u64>>> {
    GRANULES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_a_granule_with_a_write_may_hold_something() {
        let granule = 1 << 40;
        let at = granule * GRANULARITY;
        assert!(!may_hold(at, at + 3 * GRANULARITY));
        note(at + GRANULARITY, at + GRANULARITY + 1);
        assert!(!may_hold(at, at + GRANULARITY));
        assert!(may_hold(at, at + GRANULARITY + 1));
        assert!(may_hold(at + 2 * GRANULARITY - 1, at + 2 * GRANULARITY));
        assert!(!may_hold(at + 2 * GRANULARITY, at + 3 * GRANULARITY));
    }
}
