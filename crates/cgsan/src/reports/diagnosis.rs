//! From the traces of a run to one report.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::path::PathBuf;

use cgsan_diagnose::trial::Try;
use cgsan_diagnose::{Diagnosis, Look, Seen, Summary};
use cgsan_finding::{CapturedGraph, Environment, Finding, Report};
use cgsan_symbols::Reach;
use cgsan_trace::Trace;

use super::kept_trials::KeptTrials;
use crate::output::progress::Progress;
use crate::traces::sources::Sources;

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

/// What was found out of a process.
#[derive(Debug)]
pub struct Examined {
    /// All that is known of it.
    pub summary: Summary,
    /// Whether the functions in native stacks have names, as far as they can have some.
    pub is_named: bool,
}

impl Examined {
    /// Of a process that did not use CUDA, or of which nothing is asked.
    pub fn passed_over(trace: &Trace) -> Examined {
        Examined {
            summary: Summary::passed_over(trace),
            is_named: true,
        }
    }
}

/// Finds out what there is of the process of a trace that was kept.
pub fn examine(trace: &Trace, wanted: Wanted) -> Examined {
    examine_and_show(trace, wanted, &mut |_| {})
}

/// The same, and lets `look` at what was found out on the way.
pub fn examine_and_show(trace: &Trace, wanted: Wanted, look: Look<'_>) -> Examined {
    let mut trials = KeptTrials::of(trace);
    let mut summary = summarize(trace, wanted, &mut |_, _| trials.next(), look);
    let is_named = !trace.kept().native_names.is_empty();
    if wanted.symbols && is_named {
        // Where names are kept, no file is read.
        cgsan_symbols::name_functions(findings(&mut summary), trace, &Reach::Below(Vec::new()));
    }
    Examined { summary, is_named }
}

/// The findings of a summary.
pub fn findings(summary: &mut Summary) -> &mut [Finding] {
    match &mut summary.found {
        Some(found) => &mut found.findings,
        None => &mut [],
    }
}

fn summarize(trace: &Trace, wanted: Wanted, attempt: &mut Try<'_>, look: Look<'_>) -> Summary {
    let mut graphs = Vec::new();
    let look = &mut |seen: &Seen<'_, '_>| {
        look(seen);
        if wanted.graphs {
            graphs = seen.graphs();
        }
    };
    let mut summary = Summary::of_and_show(trace, wanted.memory, attempt, look);
    cgsan_symbols::name_kernels(graphs.iter_mut().flat_map(|it| &mut it.nodes));
    if let Some(found) = &mut summary.found {
        found.graphs = graphs;
    }
    summary
}

/// Puts together what was found out of the processes of a run, one by one.
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
    /// Where each stands in that list.
    known: HashMap<[Option<String>; 4], usize>,
    /// The code of the cells of notebooks, by name; `None` where two notebooks have different cells of one name.
    pub cells: BTreeMap<PathBuf, Option<String>>,
    /// Lines of source that summaries have.
    pub lines: BTreeMap<PathBuf, BTreeMap<u32, String>>,
}

impl Recorded {
    /// The source files of the program, as far as they are in reach.
    pub fn sources<'a>(&self, reach: &'a Reach) -> Sources<'a> {
        let here = || env::current_dir().unwrap_or_default();
        let there = self.directory.clone().unwrap_or_else(here);
        Sources::new(reach, &there)
            .with_cells(self.cells.clone())
            .with_lines(self.lines.clone())
    }
}

impl<'a> Examination<'a> {
    /// Of no process yet, and of so many to come. Names come from the files in reach.
    pub fn new(wanted: Wanted, reach: &'a Reach, processes: usize) -> Self {
        Self {
            diagnosis: Diagnosis::new(wanted.memory),
            wanted,
            graphs: Vec::new(),
            reach,
            recorded: Recorded::default(),
            progress: Progress::start_of("looking for causes", processes),
        }
    }

    /// Takes note of a process that did not use CUDA.
    pub fn pass_over(&mut self, trace: &Trace) {
        self.diagnosis.add_forks(trace);
        self.progress.advance();
    }

    /// Diagnoses a process. `attempt` runs trials of changes that may save memory.
    pub fn add(&mut self, trace: &Trace, attempt: &mut Try<'_>) {
        let summary = summarize(trace, self.wanted, attempt, &mut |_| {});
        let new = take(
            &mut self.recorded,
            &mut self.graphs,
            &mut self.diagnosis,
            summary,
        );
        if self.wanted.symbols && !new.is_empty() {
            cgsan_symbols::name_functions(new, trace, self.reach);
        }
        self.progress.advance();
    }

    /// Takes over what was found out of a process.
    pub fn absorb(&mut self, examined: Examined) {
        let Examined { summary, is_named } = examined;
        let new = take(
            &mut self.recorded,
            &mut self.graphs,
            &mut self.diagnosis,
            summary,
        );
        if self.wanted.symbols && !is_named && !new.is_empty() {
            cgsan_symbols::name_functions_of_files(new, self.reach);
        }
        self.progress.advance();
    }

    /// The report on all of them.
    pub fn finish(self) -> (Report, Recorded) {
        let mut report = self.diagnosis.finish();
        report.graphs = self.wanted.graphs.then_some(self.graphs);
        (report, self.recorded)
    }
}

/// Adds a summary to what is known. Gives the findings that no process before had.
fn take<'d>(
    recorded: &mut Recorded,
    graphs: &mut Vec<CapturedGraph>,
    diagnosis: &'d mut Diagnosis,
    mut summary: Summary,
) -> &'d mut [Finding] {
    recorded.count(&mut summary);
    if let Some(found) = &mut summary.found {
        graphs.append(&mut found.graphs);
    }
    diagnosis.absorb(summary)
}

impl Recorded {
    fn count(&mut self, summary: &mut Summary) {
        let Some(found) = &mut summary.found else {
            return;
        };
        let info = &summary.info;
        if self.processes == 0 {
            self.program.clone_from(&info.arguments);
            self.directory = Some(PathBuf::from(&info.directory));
        }
        self.processes += 1;
        for (name, code) in std::mem::take(&mut found.cells) {
            let known = self.cells.entry(PathBuf::from(name));
            let cell = known.or_insert_with(|| Some(code.clone()));
            if cell.as_ref().is_some_and(|known| *known != code) {
                *cell = None;
            }
        }
        for (file, lines) in std::mem::take(&mut found.lines) {
            let known = self.lines.entry(file).or_default();
            for (number, line) in lines {
                known.entry(number).or_insert(line);
            }
        }
        self.take_environment(Environment {
            torch: info.torch.clone(),
            python: info.python.clone(),
            device: info.device.clone(),
            host: info.host.clone(),
            started: info.started,
        });
    }

    fn take_environment(&mut self, new: Environment) {
        let some = |text: &String| Some(text.clone());
        let key = [
            some(&new.torch),
            some(&new.python),
            some(&new.device),
            new.host.clone(),
        ];
        let at = *self.known.entry(key).or_insert(self.environments.len());
        match self.environments.get_mut(at) {
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
