//! Which activities a profiler wants, and by which clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use cgsan_observe::sealed::is_sealed;

use super::buffers;

/// The kinds of activity that there are (`CUpti_ActivityKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// Copies.
    Copy = 1,
    /// Fills.
    Fill = 2,
    /// Kernels, each at a time of its own.
    Kernel = 3,
    /// Calls to the driver.
    Driver = 4,
    /// Calls to the runtime.
    Runtime = 5,
    /// Kernels that may run at the same time.
    ConcurrentKernel = 10,
    /// What profiling costs: nothing that would be told.
    Overhead = 17,
    /// Waiting on the host, which takes no time here.
    Synchronization = 38,
    /// Which of the profiler's own ids was current at a call.
    ExternalCorrelation = 39,
}

impl Kind {
    /// The kind with this number, if there is such.
    pub fn of(number: u32) -> Option<Kind> {
        [
            Kind::Copy,
            Kind::Fill,
            Kind::Kernel,
            Kind::Driver,
            Kind::Runtime,
            Kind::ConcurrentKernel,
            Kind::Overhead,
            Kind::Synchronization,
            Kind::ExternalCorrelation,
        ]
        .into_iter()
        .find(|kind| *kind as u32 == number)
    }

    fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// The kinds that are wanted, as bits.
static WANTED: AtomicU64 = AtomicU64::new(0);

/// `CUpti_TimestampCallbackFunc`.
pub type RegisteredClock = extern "C" fn() -> u64;

static CLOCK: Mutex<Option<RegisteredClock>> = Mutex::new(None);

/// Begins to tell of a kind.
pub fn enable(kind: Kind) {
    static NOTED: Once = Once::new();
    NOTED.call_once(|| {
        cgsan_observe::note(
            "a profiler records the virtual GPU: kernels, copies and fills have their names, streams and graphs, but their times \
             are not those of a GPU; profile on a real one for times",
        );
    });
    WANTED.fetch_or(kind.bit(), Ordering::Relaxed);
}

/// No longer tells of a kind.
pub fn disable(kind: Kind) {
    WANTED.fetch_and(!kind.bit(), Ordering::Relaxed);
}

/// Whether a kind is wanted.
pub fn is_wanted(kind: Kind) -> bool {
    WANTED.load(Ordering::Relaxed) & kind.bit() != 0
}

/// Whether anything is wanted, and somebody takes it.
#[inline]
pub fn is_on() -> bool {
    WANTED.load(Ordering::Relaxed) != 0 && !is_sealed() && buffers::are_taken()
}

/// Replaces the clock.
pub fn register_clock(clock: Option<RegisteredClock>) {
    *CLOCK.lock().unwrap_or_else(PoisonError::into_inner) = clock;
}

/// The time by the profiler's clock, or in nanoseconds.
pub fn now() -> u64 {
    let clock = *CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clock.map_or_else(nanoseconds, |clock| clock())
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos());
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_its_number() {
        assert_eq!(Kind::of(10), Some(Kind::ConcurrentKernel));
        assert_eq!(Kind::of(39), Some(Kind::ExternalCorrelation));
        assert_eq!(Kind::of(22), None);
    }
}
