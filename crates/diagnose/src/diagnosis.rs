//! The diagnosis of a run, process by process.

use cgsan_finding::{Finding, Report};
use cgsan_trace::Trace;

use crate::merge::Merged;
use crate::ranks::Ranks;
use crate::seen::Look;
use crate::summary::Summary;
use crate::trial::Try;

/// Explains what went wrong in the processes of a run, in one report.
///
/// Traces, or summaries of traces, are added one by one, in the order in which their findings are to be told, and none is kept. What
/// several processes, such as the ranks of a job, did in the same way is said once, with all their names.
#[derive(Debug, Default)]
pub struct Diagnosis {
    merged: Merged,
    ranks: Ranks,
    keeps_memory: bool,
}

impl Diagnosis {
    /// Of no process yet. With `keeps_memory`, the report will say who held memory in each: that is as long as the traces are.
    pub fn new(keeps_memory: bool) -> Diagnosis {
        Diagnosis {
            keeps_memory,
            ..Diagnosis::default()
        }
    }

    /// Takes note of the processes that one forked, which did nothing else to be examined: they leave without cleaning up by
    /// custom.
    pub fn add_forks(&mut self, trace: &Trace) {
        self.absorb(Summary::passed_over(trace));
    }

    /// Explains what went wrong in the process of a trace. Gives the findings that no process before had, so that more can be
    /// said of them while the trace is there.
    ///
    /// `attempt` runs trials of changes that may save memory; without it, what they save is computed.
    pub fn add(&mut self, trace: &Trace, attempt: &mut Try<'_>) -> &mut [Finding] {
        self.absorb(Summary::of(trace, self.keeps_memory, attempt))
    }

    /// The same, and lets `look` at what was found out on the way.
    pub fn add_and_show(
        &mut self,
        trace: &Trace,
        attempt: &mut Try<'_>,
        look: Look<'_>,
    ) -> &mut [Finding] {
        self.absorb(Summary::of_and_show(
            trace,
            self.keeps_memory,
            attempt,
            look,
        ))
    }

    /// Takes over what is known of a process. Gives the findings that no process before had.
    pub fn absorb(&mut self, summary: Summary) -> &mut [Finding] {
        let host = summary.process.host.as_deref();
        self.merged.add_forked(host, summary.forked.iter().copied());
        let Some(mut found) = summary.found else {
            return &mut [];
        };
        if let Some(rank) = found.rank.take() {
            self.ranks.add(rank, &found);
        }
        self.merged.add(&summary.process, *found)
    }

    /// The report on all processes.
    pub fn finish(self) -> Report {
        let mut report = self.merged.finish();
        self.ranks.complete(&mut report);
        report
    }
}
