//! From the traces of a run to one report.

use std::path::PathBuf;

use cgsan_diagnose::trial::Try;
use cgsan_diagnose::{Diagnosis, Look};
use cgsan_finding::{CapturedGraph, Report};
use cgsan_symbols::Reach;
use cgsan_trace::Trace;

use crate::progress::Progress;
use crate::trial::KeptTrials;

/// What a report is to have beside findings. But for the first, it is as long as the traces are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The names of functions in native stacks.
    pub symbols: bool,
    /// Who held memory.
    pub memory: bool,
    /// What the captures recorded.
    pub graphs: bool,
}

/// Diagnoses the processes of a run, whose traces are shown to it one by one.
#[derive(Debug)]
pub struct Examination<'a> {
    diagnosis: Diagnosis,
    wanted: Wanted,
    graphs: Vec<CapturedGraph>,
    reach: &'a Reach,
    recorded: Recorded,
    _progress: Progress,
}

/// What a report says of the processes that it is on.
#[derive(Debug, Default)]
pub struct Recorded {
    /// How many used CUDA.
    pub processes: usize,
    /// The command line of the first.
    pub program: Vec<String>,
    /// Where the first ran; `None` if there is none.
    pub directory: Option<PathBuf>,
}

impl<'a> Examination<'a> {
    /// Of no process yet. Names come from the files in reach.
    pub fn new(wanted: Wanted, reach: &'a Reach) -> Self {
        Self {
            diagnosis: Diagnosis::new(wanted.memory),
            wanted,
            graphs: Vec::new(),
            reach,
            recorded: Recorded::default(),
            _progress: Progress::start("looking for causes"),
        }
    }

    /// Takes note of a process that did not use CUDA.
    pub fn pass_over(&mut self, trace: &Trace) {
        self.diagnosis.add_forks(trace);
    }

    /// Diagnoses a process. `attempt` runs trials of changes that may save memory.
    pub fn add(&mut self, trace: &Trace, attempt: &mut Try<'_>) {
        self.count(trace);
        let new = self.diagnosis.add(trace, attempt);
        if self.wanted.symbols && !new.is_empty() {
            cgsan_symbols::name_functions(new, trace, self.reach);
        }
        if self.wanted.graphs {
            let mut graphs = cgsan_diagnose::graphs(trace);
            cgsan_symbols::name_kernels(graphs.iter_mut().flat_map(|it| &mut it.nodes));
            self.graphs.append(&mut graphs);
        }
    }

    /// The same for a trace that was kept, and lets `look` at what was found out on the way.
    pub fn add_and_show(&mut self, trace: &Trace, look: Look<'_>) {
        self.count(trace);
        let mut trials = KeptTrials::of(trace);
        self.diagnosis
            .add_and_show(trace, &mut |_, _| trials.next(), look);
    }

    fn count(&mut self, trace: &Trace) {
        if self.recorded.processes == 0 {
            self.recorded.program.clone_from(&trace.process().arguments);
            self.recorded.directory = Some(PathBuf::from(&trace.process().directory));
        }
        self.recorded.processes += 1;
    }

    /// The report on all of them.
    pub fn finish(self) -> (Report, Recorded) {
        let mut report = self.diagnosis.finish();
        report.graphs = self.wanted.graphs.then_some(self.graphs);
        (report, self.recorded)
    }
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Coverage;

    use super::*;

    #[test]
    fn without_a_recording_nothing_was_watched() {
        let (report, recorded) = Examination::new(Wanted::default(), &Reach::OwnRun).finish();
        assert_eq!(report.coverage, Some(Coverage::default()));
        assert!(report.findings.is_empty());
        assert_eq!(recorded.directory, None);
    }
}
