//! The kernels that were launched, by name.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use cgsan_model::FunctionId;
use rustc_hash::FxHashMap;

use super::{handle, tally};

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

/// The name of a kernel that a library launches by itself.
pub fn name_of_library(function: FunctionId) -> Option<&'static str> {
    let known = OF_LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let of_function = known.iter().find(|(_, id)| **id == function);
    of_function.map(|(name, _)| *name)
}

/// How many kernels were launched whose results are missing from memory. Those of operators count once these have ended, and nobody has
/// computed them: meanwhile, other threads read what has nothing to do with them.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// What the host or a fill wrote since the last launch: bytes that no kernel computed.
static WRITTEN: Mutex<Written> = Mutex::new(Written {
    launches: 0,
    ranges: Vec::new(),
});

struct Written {
    /// How many kernels had been launched by then.
    launches: u64,
    /// First bytes, and what follows the last ones.
    ranges: Vec<(u64, u64)>,
}

/// More ranges than this are not kept.
const RANGES: usize = 64;

/// A kernel is being launched.
#[inline]
pub fn note_launch() {
    if tally::is_running() {
        tally::add_launch();
    } else {
        note_not_computed(1);
    }
}

/// So many kernels were launched that nothing computes.
pub fn note_not_computed(launches: usize) {
    LAUNCHES.fetch_add(launches as u64, Ordering::Relaxed);
}

/// The host or a fill writes device memory from `start` to before `end`.
pub fn note_written(start: u64, end: u64) {
    let launches = LAUNCHES.load(Ordering::Relaxed);
    if launches == 0 {
        return;
    }
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if written.launches != launches {
        written.launches = launches;
        written.ranges.clear();
    }
    if written.ranges.len() < RANGES {
        written.ranges.push((start, end));
    }
}

/// The host reads device memory from `start` to before `end`.
pub fn note_read_by_host(start: u64, end: u64) {
    let launches = LAUNCHES.load(Ordering::Relaxed);
    if launches == 0 {
        return;
    }
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let holds = |range: &(u64, u64)| range.0 <= start && end <= range.1;
    if written.launches != launches || !written.ranges.iter().any(holds) {
        cgsan_observe::computed_value_read(end - start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_kept(range: (u64, u64)) -> bool {
        let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        written.launches == LAUNCHES.load(Ordering::Relaxed) && written.ranges.contains(&range)
    }

    #[test]
    fn what_was_written_is_known_until_the_next_launch() {
        note_launch();
        note_written(16, 32);
        assert!(is_kept((16, 32)));
        note_launch();
        assert!(!is_kept((16, 32)));
        note_written(0, 8);
        assert!(is_kept((0, 8)) && !is_kept((16, 32)));
    }

    #[test]
    fn launches_of_an_operator_count_when_it_has_ended_and_nobody_computes_them() {
        let before = LAUNCHES.load(Ordering::Relaxed);
        let caller = tally::begin();
        note_launch();
        assert_eq!(LAUNCHES.load(Ordering::Relaxed), before);
        note_not_computed(tally::end(caller).launches);
        assert_eq!(LAUNCHES.load(Ordering::Relaxed), before + 1);
    }
}
