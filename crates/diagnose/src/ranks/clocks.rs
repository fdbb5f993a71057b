//! When something happened in one of several processes, perhaps on different machines.

use std::collections::BTreeMap;

use cgsan_finding::Process;
use cgsan_trace::Trace;

/// The times of day of two machines differ by less than this if they are kept right, in nanoseconds. Recordings begin in a
/// whole second.
const DOUBT_NS: i128 = 2_000_000_000;

/// A moment in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The machine, if the trace names it.
    pub(super) host: Option<String>,
    /// Nanoseconds of the clock that all processes of the machine have in common (`CLOCK_MONOTONIC`).
    pub(super) ns: u64,
}

impl Moment {
    /// The moment of an entry; `None` if there is no such entry.
    pub(super) fn of(trace: &Trace, entry: usize) -> Option<Moment> {
        Some(Moment {
            host: trace.process().host.clone(),
            ns: trace.entries().get(entry)?.time_ns,
        })
    }
}

/// What the clocks of the machines say of the time of day.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// Nanoseconds from the beginning of a machine's clock to the Unix epoch. Each trace says it to the second, rounded down.
    offsets: BTreeMap<Option<String>, i128>,
}

impl Clocks {
    /// Takes over what a process says of the clock of its machine, which showed `began_ns` when its recording began.
    pub(super) fn learn(&mut self, process: &Process, began_ns: u64) {
        let started = i128::from(process.started) * 1_000_000_000;
        let offset = started - i128::from(began_ns);
        let known = self.offsets.entry(process.host.clone()).or_insert(offset);
        *known = offset.max(*known);
    }

    /// The time of day in nanoseconds, by which moments can be put into an order: that of one machine is exact.
    pub(super) fn time_of_day(&self, moment: &Moment) -> i128 {
        let offset = self.offsets.get(&moment.host);
        i128::from(moment.ns) + offset.copied().unwrap_or_default()
    }

    /// Whether a moment is certainly later than another one.
    pub(super) fn is_after(&self, later: &Moment, earlier: &Moment) -> bool {
        let doubt = if later.host == earlier.host {
            0
        } else {
            DOUBT_NS
        };
        self.time_of_day(later) > self.time_of_day(earlier) + doubt
    }
}

#[cfg(test)]
mod tests {
    use cgsan_model::ThreadId;
    use cgsan_trace::{Entry, ProcessInfo, Record, format};

    use super::*;

    /// The trace of a process whose first record was made at `ns`, in the second `started`.
    fn trace(host: &str, started: u64, ns: u64) -> Trace {
        let process = Record::Process(ProcessInfo {
            started,
            host: Some(host.to_owned()),
            ..ProcessInfo::default()
        });
        let entries = [(ns, process), (ns + 1, Record::Fork { child: 1 })];
        let entries = entries.map(|(time_ns, record)| Entry {
            time_ns,
            thread: ThreadId(1),
            record,
        });
        Trace::parse(&format::encode_all(&entries)).expect("a trace")
    }

    #[test]
    fn moments_of_one_machine_are_told_apart_exactly_and_of_two_by_the_time_of_day() {
        let second = 1_000_000_000;
        let one = trace("a", 100, 5 * second + 900_000_000);
        let same = trace("a", 101, 6 * second);
        let soon = trace("b", 102, 700 * second);
        let later = trace("b", 104, 702 * second);
        let mut clocks = Clocks::default();
        for trace in [&one, &same, &soon, &later] {
            clocks.learn(&crate::process::of(trace, 1), trace.began_ns());
        }
        let [one, same, soon, later] =
            [&one, &same, &soon, &later].map(|trace| Moment::of(trace, 0).expect("an entry"));
        assert!(clocks.is_after(&same, &one) && !clocks.is_after(&one, &same));
        assert!(clocks.time_of_day(&soon) > clocks.time_of_day(&same));
        assert!(!clocks.is_after(&soon, &same));
        assert!(clocks.is_after(&later, &same));
    }
}
