//! Moments of a trace as the profiler counts them.

use cgsan_trace::Trace;

const SECOND: u64 = 1_000_000_000;

/// Kineto, which writes the files of `torch.profiler`, counts from the last multiple of this since the Unix epoch (`ChromeTraceBaseTime`
/// of its `output_json`): numbers of JSON tell nanoseconds apart over a quarter of a year, and not over fifty.
const QUARTER_NS: u64 = 7_889_238 * SECOND;

/// The clock of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// When recording began, by the clock of the trace and by that of the day.
    began_ns: u64,
    started_ns: u64,
    base_ns: u64,
}

impl Clock {
    /// That of the process of a trace, counted from `base_ns`; if that is not known yet, as a profile that begins with the process.
    pub(super) fn of(trace: &Trace, base_ns: Option<u64>) -> Clock {
        let process = trace.process();
        let rest = process.started_ns.unwrap_or_default();
        let started_ns = process.started.saturating_mul(SECOND);
        let started_ns = started_ns.saturating_add(u64::from(rest));
        Clock {
            began_ns: trace.began_ns(),
            started_ns,
            base_ns: base_ns.unwrap_or(started_ns - started_ns % QUARTER_NS),
        }
    }

    /// The moment from which times count, in nanoseconds since the Unix epoch.
    pub(super) fn base_ns(self) -> u64 {
        self.base_ns
    }

    /// A moment of the trace, in microseconds.
    pub(super) fn time(self, time_ns: u64) -> f64 {
        let since = time_ns.saturating_sub(self.began_ns);
        let since_base = self.started_ns.saturating_add(since);
        microseconds(since_base.saturating_sub(self.base_ns))
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
