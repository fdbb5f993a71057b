//! What was seen of trials of changes that may save memory, when a trace was recorded.

use cgsan_diagnose::trial::{Outcome, Reserved};
use cgsan_trace::Trace;

/// What the trials of a trace that was kept saw, when it was recorded: a report runs no program.
pub struct KeptTrials<'a> {
    kept: std::slice::Iter<'a, Vec<Vec<(u64, u64)>>>,
}

impl<'a> KeptTrials<'a> {
    /// Those that are kept with a trace.
    pub fn of(trace: &'a Trace) -> KeptTrials<'a> {
        KeptTrials {
            kept: trace.kept().trials.iter(),
        }
    }

    /// What the next one saw.
    pub fn next(&mut self) -> Outcome {
        let kept = self.kept.next()?;
        let reserved = |(all, of_graphs): &(u64, u64)| Reserved {
            all: *all,
            of_graphs: *of_graphs,
        };
        let runs = kept.iter().map(|run| run.iter().map(reserved).collect());
        Some(runs.collect())
    }
}
