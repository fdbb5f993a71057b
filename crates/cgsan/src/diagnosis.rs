//! From the traces of a run to one report.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use cgsan_diagnose::trial::Try;
use cgsan_diagnose::{Diagnosis, Look, Seen};
use cgsan_finding::{CapturedGraph, Environment, Report};
use cgsan_symbols::Reach;
use cgsan_trace::Trace;

use crate::progress::Progress;
use crate::sources::Sources;
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
    progress: Progress,
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
    /// What they ran on, each once, with the moment when the first of them began.
    pub environments: Vec<Environment>,
    /// The code of the cells of notebooks, by name; `None` where two notebooks have different cells of one name.
    pub cells: BTreeMap<PathBuf, Option<String>>,
}

impl Recorded {
    /// The source files of the program, as far as they are in reach.
    pub fn sources<'a>(&self, reach: &'a Reach) -> Sources<'a> {
        let here = || env::current_dir().unwrap_or_default();
        let there = self.directory.clone().unwrap_or_else(here);
        Sources::new(reach, &there).with_cells(self.cells.clone())
    }
}

impl<'a> Examination<'a> {
    /// Of no process yet, and of so many traces to come. Names come from the files in reach.
    pub fn new(wanted: Wanted, reach: &'a Reach, traces: usize) -> Self {
        Self {
            diagnosis: Diagnosis::new(wanted.memory),
            wanted,
            graphs: Vec::new(),
            reach,
            recorded: Recorded::default(),
            progress: Progress::start_of("looking for causes", traces),
        }
    }

    /// Takes note of a process that did not use CUDA.
    pub fn pass_over(&mut self, trace: &Trace) {
        self.diagnosis.add_forks(trace);
        self.progress.advance();
    }

    /// Diagnoses a process. `attempt` runs trials of changes that may save memory.
    pub fn add(&mut self, trace: &Trace, attempt: &mut Try<'_>) {
        self.count(trace);
        let mut graphs = Vec::new();
        let new = if self.wanted.graphs {
            let look = &mut |seen: &Seen<'_, '_>| graphs = seen.graphs();
            self.diagnosis.add_and_show(trace, attempt, look)
        } else {
            self.diagnosis.add(trace, attempt)
        };
        if self.wanted.symbols && !new.is_empty() {
            cgsan_symbols::name_functions(new, trace, self.reach);
        }
        cgsan_symbols::name_kernels(graphs.iter_mut().flat_map(|it| &mut it.nodes));
        self.graphs.append(&mut graphs);
        self.progress.advance();
    }

    /// The same for a trace that was kept, and lets `look` at what was found out on the way.
    pub fn add_and_show(&mut self, trace: &Trace, look: Look<'_>) {
        self.count(trace);
        let mut trials = KeptTrials::of(trace);
        self.diagnosis
            .add_and_show(trace, &mut |_, _| trials.next(), look);
        self.progress.advance();
    }

    fn count(&mut self, trace: &Trace) {
        if self.recorded.processes == 0 {
            self.recorded.program.clone_from(&trace.process().arguments);
            self.recorded.directory = Some(PathBuf::from(&trace.process().directory));
        }
        self.recorded.processes += 1;
        self.recorded.take_environment(trace);
        for (name, code) in trace.cells() {
            let known = self.recorded.cells.entry(PathBuf::from(name));
            let cell = known.or_insert_with(|| Some(code.to_owned()));
            if cell.as_deref().is_some_and(|known| known != code) {
                *cell = None;
            }
        }
    }

    /// The report on all of them.
    pub fn finish(self) -> (Report, Recorded) {
        let mut report = self.diagnosis.finish();
        report.graphs = self.wanted.graphs.then_some(self.graphs);
        (report, self.recorded)
    }
}

impl Recorded {
    fn take_environment(&mut self, trace: &Trace) {
        let process = trace.process();
        let new = Environment {
            torch: process.torch.clone(),
            python: process.python.clone(),
            device: process.device.clone(),
            host: process.host.clone(),
            started: process.started,
        };
        let known = self.environments.iter_mut().find(|it| {
            (&it.torch, &it.python, &it.device, &it.host)
                == (&new.torch, &new.python, &new.device, &new.host)
        });
        match known {
            Some(known) => known.started = known.started.min(new.started),
            None => self.environments.push(new),
        }
    }
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Coverage;

    use super::*;

    #[test]
    fn without_a_recording_nothing_was_watched() {
        let (report, recorded) = Examination::new(Wanted::default(), &Reach::OwnRun, 0).finish();
        assert_eq!(report.coverage, Some(Coverage::default()));
        assert!(report.findings.is_empty());
        assert_eq!(recorded.directory, None);
    }
}
