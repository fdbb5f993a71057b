//! Moments of a trace as the profiler counts them.

use cgsan_trace::Trace;

use crate::cells;

const SECOND: u64 = 1_000_000_000;

/// Kineto, which writes the files of `torch.profiler`, counts from the last multiple of this since the Unix epoch (`ChromeTraceBaseTime`
/// of its `output_json`): numbers of JSON tell nanoseconds apart over a quarter of a year, and not over fifty.
const QUARTER_NS: u64 = 7_889_238 * SECOND;

/// The clock of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    of_day: cells::Clock,
    base: u64,
}

impl Clock {
    /// That of the process of a trace, counted from `base_ns`; if that is not known yet, as a profile that begins with the process.
    pub(super) fn of(trace: &Trace, base_ns: Option<u64>) -> Clock {
        let of_day = cells::Clock::of(trace);
        let started = of_day.unix_ns(trace.began_ns());
        Clock {
            of_day,
            base: base_ns.unwrap_or(started - started % QUARTER_NS),
        }
    }

    /// The moment from which times count, in nanoseconds since the Unix epoch.
    pub(super) fn base_ns(self) -> u64 {
        self.base
    }

    /// A moment of the trace, in microseconds.
    pub(super) fn time(self, time_ns: u64) -> f64 {
        microseconds(self.of_day.unix_ns(time_ns).saturating_sub(self.base))
    }
}

/// Nanoseconds as microseconds.
#[allow(
    clippy::cast_precision_loss,
    reason = "a quarter of a year in nanoseconds is below 2^53"
)]
pub(super) fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1_000.0
}
