//! Running trials of changes that may save memory: the program's PyTorch, on the virtual GPU, is asked for what was recorded.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cgsan_diagnose::trial::{Outcome, Trial};
use cgsan_trace::Trace;

use crate::cli::Twin;
use crate::output::progress::Progress;
use crate::program::gpu::Gpu;
use crate::program::library;
use crate::program::run_directory::RunDirectory;
use crate::program::start::{self, Start};
use crate::program::status::Statuses;
use crate::traces::recording::Recording;

/// No trial begins later than this after the first: a report is waited for.
const ENOUGH: Duration = Duration::from_mins(2);

/// The memory of the virtual GPU that stands in for a real one.
const LARGE: u64 = 1 << 40;

/// Runs the trials of one report.
pub struct Trials<'a> {
    statuses: &'a Statuses,
    gpu_memory: Option<u64>,
    began: Option<Instant>,
    /// What they saw and is to be kept.
    seen: Vec<Outcome>,
}

impl<'a> Trials<'a> {
    /// With the interpreters that the program used, on such a GPU.
    pub fn new(statuses: &'a Statuses, gpu: Gpu, gpu_memory: Option<u64>) -> Trials<'a> {
        Trials {
            statuses,
            // No virtual one is too small for what a real one held.
            gpu_memory: gpu_memory.or((gpu == Gpu::Real).then_some(LARGE)),
            began: None,
            seen: Vec::new(),
        }
    }

    /// Keeps what they saw since the last time with the trace that they were run for.
    pub fn keep(&mut self, recording: &mut Recording) {
        for outcome in self.seen.drain(..) {
            let looks = outcome
                .unwrap_or_default()
                .into_iter()
                .map(|run| run.into_iter().map(|it| (it.all, it.of_graphs)).collect());
            recording.trace.kept_mut().trials.push(looks.collect());
        }
    }

    /// Runs one, for what a trace recorded.
    pub fn run(&mut self, trace: &Trace, trial: &Trial) -> Outcome {
        let outcome = self.attempt(trace, trial);
        self.seen.push(outcome.clone());
        outcome
    }

    fn attempt(&mut self, trace: &Trace, trial: &Trial) -> Outcome {
        let began = *self.began.get_or_insert_with(Instant::now);
        if began.elapsed() > ENOUGH {
            return None;
        }
        let _progress = Progress::start("trying what would save memory");
        let python = self.python_of(trace)?;
        let directory = RunDirectory::create(Gpu::Virtual).ok()?;
        let steps = serde_json::to_vec(trial).ok()?;
        let steps = directory.add("steps.json", &steps).ok()?;
        let result = directory.path().join("result.json");
        let words = [python, directory.trial(), steps, result.clone()];
        start::run_aside(&Start {
            words: &words.map(OsString::from),
            directory: &directory,
            gpu: Gpu::Virtual,
            library: &library::find(Gpu::Virtual, &directory).ok()?,
            gpu_memory: self.gpu_memory,
            gpus: Some(1),
            values: false,
            schedule: "eager",
            verify: false,
            twin: Twin::Never,
            results: false,
            again: true,
            memory: false,
            watch_always: false,
            no_arguments: false,
            hangs: None,
            perf: None,
        })
        .ok()?;
        let looks: Vec<Option<_>> = serde_json::from_slice(&fs::read(result).ok()?).ok()?;
        looks.into_iter().collect()
    }

    /// The interpreter of the process that a trace is of, or of the one that forked it.
    fn python_of(&self, trace: &Trace) -> Option<PathBuf> {
        let processes = &self.statuses.processes;
        let own = processes.iter().find(|it| it.pid == trace.process().pid);
        let python = own.or(processes.first())?.executable.clone()?;
        Some(python.0)
    }
}
