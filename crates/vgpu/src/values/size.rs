//! Whether a program is too large to be computed here: it is told so once, and nothing more is computed before memory runs out.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::memory::backing;

/// After so much time of computing, a person is told what leaves that out.
const LONG: Duration = Duration::from_mins(1);

/// The part of this machine's memory that is left to others.
const LEFT: u64 = 16;

/// After so many bytes of operands, it is looked at how much memory is left.
const BETWEEN_LOOKS: u64 = 64 << 20;

/// How long it has been computed, in nanoseconds, in all threads.
static TIME: AtomicU64 = AtomicU64::new(0);
static TOLD: AtomicBool = AtomicBool::new(false);
/// Bytes of operands since it was looked at how much memory is left.
static WRITTEN: AtomicU64 = AtomicU64::new(0);
static FULL: AtomicBool = AtomicBool::new(false);

/// It was computed for so long.
pub fn took(time: Duration) {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let before = TIME.fetch_add(nanoseconds, Ordering::Relaxed);
    let is_long = Duration::from_nanos(before.saturating_add(nanoseconds)) > LONG;
    if is_long && !TOLD.swap(true, Ordering::Relaxed) {
        cgsan_observe::say(&format!(
            "the virtual GPU has computed for {} s by now, on the CPU; `cgsan run --no-values` computes nothing, where numbers do not matter",
            LONG.as_secs()
        ));
    }
}

/// Whether memory has nearly run out, so that nothing more is computed.
pub fn is_full() -> bool {
    FULL.load(Ordering::Relaxed)
}

/// Whether there is memory to compute on these ranges, as far as can be told: start and bytes of each. So many bytes lie beside them
/// for a moment.
pub fn has_room(ranges: &[(u64, u64)], beside: u64) -> bool {
    if is_full() {
        return false;
    }
    let sizes = ranges.iter().map(|(_, bytes)| *bytes);
    let bytes = sizes.fold(0, u64::saturating_add);
    let before = WRITTEN.fetch_add(bytes, Ordering::Relaxed);
    if before.saturating_add(bytes).saturating_add(beside) < BETWEEN_LOOKS {
        return true;
    }
    WRITTEN.store(0, Ordering::Relaxed);
    let Some((left, all)) = memory() else {
        return true;
    };
    let fits = |bytes: u64| bytes.saturating_add(beside).saturating_add(all / LEFT) <= left;
    let untouched = || {
        let each = ranges
            .iter()
            .map(|(start, bytes)| backing::untouched(*start, *bytes));
        each.fold(0, u64::saturating_add)
    };
    if fits(bytes) || fits(untouched()) {
        return true;
    }
    if !FULL.swap(true, Ordering::Relaxed) {
        let text = format!(
            "an operator needs more memory than the {} MiB that are left of this machine's {}: the virtual GPU computes nothing from \
             here on, and results of operators are undefined. Use a machine with more memory, or `--no-values`, which needs none for \
             what a GPU computes",
            left >> 20,
            all >> 20
        );
        cgsan_observe::say(&text);
        cgsan_observe::note(&text);
    }
    false
}

/// How many bytes of memory are left, of how many: this machine's, or what its container may use.
fn memory() -> Option<(u64, u64)> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let of_machine = (
        field(&machine, "MemAvailable:")? << 10,
        field(&machine, "MemTotal:")? << 10,
    );
    let Some((used, limit)) = container() else {
        return Some(of_machine);
    };
    let (left, all) = of_machine;
    Some((left.min(limit.saturating_sub(used)), all.min(limit)))
}

/// What a container uses that cannot be given back, and what it may use (cgroup v2, <https://docs.kernel.org/admin-guide/cgroup-v2.html>).
fn container() -> Option<(u64, u64)> {
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?;
    let limit = limit.trim().parse().ok()?;
    let used = fs::read_to_string("/sys/fs/cgroup/memory.stat").ok()?;
    Some((field(&used, "anon")? + field(&used, "shmem")?, limit))
}

/// The number behind a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == name).then(|| words.next()?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_the_number_behind_its_name() {
        let text = "anon_thp 7\nanon 4096\nMemTotal:  24 kB\n";
        assert_eq!(field(text, "anon"), Some(4096));
        assert_eq!(field(text, "MemTotal:"), Some(24));
        assert_eq!(field(text, "shmem"), None);
    }

    #[test]
    fn this_machine_has_memory_left() {
        let (left, all) = memory().expect("a machine with memory");
        assert!(0 < left && left <= all, "{left} of {all}");
    }
}
