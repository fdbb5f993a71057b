//! `cgsan run`: runs a program on a GPU, real or virtual, and reports what it did wrong.

use std::path::Path;

use cgsan_diagnose::{Part, Unwatched};
use cgsan_finding::{Note, NoteLevel, Report};
use cgsan_hangs::Account;
use cgsan_render::{Ending, Run};
use cgsan_symbols::Reach;
use cgsan_trace::command_line;

use crate::cli::{RunOptions, Twin};
use crate::output::error::Error;
use crate::output::exit::{self, Exit};
use crate::output::standard::Standard;
use crate::program::driver_log;
use crate::program::gpu::Gpu;
use crate::program::hangs::{self, Hangs};
use crate::program::library;
use crate::program::run_directory::RunDirectory;
use crate::program::shortening::Shortening;
use crate::program::start::{self, Ended, Start};
use crate::program::status::{self, Statuses};
use crate::program::trial::Trials;
use crate::reports::diagnosis::{Examination, Recorded, Wanted};
use crate::reports::output::Output;
use crate::reports::selection::{FilesOfRun, Selection};
use crate::reports::strict;
use crate::traces::carrying;
use crate::traces::recording::{self, Recording};
use crate::traces::save::{SavePlace, Saving};
use cgsan_diagnose::race::{self, Verdict};

/// Runs the program and reports. The exit status is the program's own, except where `--strict` says otherwise.
pub fn run(options: &RunOptions) -> Result<Exit, Error> {
    // Whatever can fail without the program does so before it starts: it may run for hours.
    let output = Output::open("cgsan run", &options.display, Standard::Error)?;
    let selection = Selection::here(&options.selection)?;
    let save = options.save.as_deref().map(SavePlace::open).transpose()?;
    let gpu = Gpu::choose(options)?;
    let mut directory = match RunDirectory::create(gpu) {
        Ok(directory) => directory,
        Err(reason) => return run_unwatched(options, &reason),
    };
    directory.tell_of_others();
    let spool = save.as_ref().filter(|place| place.is_remote());
    let limit = options.trace_limit.or(spool.map(|_| carrying::SPOOL));
    let mut saving = save
        .map(|place| place.begin(directory.path()))
        .transpose()?;
    let library = library::find(gpu, &directory)?;

    let shortening = limit
        .map(|limit| Shortening::begin(&directory, limit))
        .transpose()?;
    let start = start(options, gpu, &directory, &library);
    let ended = start::run(&start)?;
    drop(shortening);
    let verdict = if options.looks_for_races() {
        run_again(&start)?
    } else {
        Verdict::default()
    };
    let ran = Ran {
        options,
        gpu,
        folder: directory.path(),
        statuses: status::read_all(directory.path()),
        ended,
        verdict,
    };

    let Examined {
        mut report,
        recorded,
        lost,
    } = ran.examine(output.wants(), saving.as_mut());
    ran.add_ending(&mut report);
    let mut files = FilesOfRun::new(recorded.sources(&Reach::OwnRun));
    let listed = selection.apply(&mut report, &mut files);
    if !options.untold {
        let remarks = selection.remarks(&report, &files);
        report.notes.extend(remarks);
    }
    let is_found = ran.is_found(&report);
    let unjudged = ran.unjudged(&report, &lost).filter(|_| !is_found);

    let is_silent = options.untold && report.findings.is_empty() && report.notes.is_empty();
    let written = if is_silent {
        Ok(())
    } else {
        output.write(report, &ran.shown(&recorded), &recorded, &Reach::OwnRun)
    };
    let saved = saving.map_or(Ok(()), Saving::finish);
    let is_left = matches!(saved, Err(Error::NotCarried { .. }));
    let exit = ran
        .judge_writing([written, saved, listed])
        .map(|()| ran.exit(is_found, unjudged));
    if is_left {
        directory.leave_traces();
    }
    exit
}

/// How the program starts.
fn start<'a>(
    options: &'a RunOptions,
    gpu: Gpu,
    directory: &'a RunDirectory,
    library: &'a Path,
) -> Start<'a> {
    Start {
        words: &options.program,
        directory,
        gpu,
        library,
        gpu_memory: options.gpu_memory,
        gpus: options.gpus,
        values: options.values(gpu),
        verify: options.verify,
        schedule: options.schedule(gpu),
        twin: options.twin,
        results: options.looks_for_races(),
        again: false,
        memory: options.display.memory,
        watch_always: options.watch_always,
        no_arguments: options.no_arguments,
        hangs: Hangs::of(options, gpu),
        perf: None,
    }
}

/// A run whose program has ended.
struct Ran<'a> {
    options: &'a RunOptions,
    gpu: Gpu,
    folder: &'a Path,
    statuses: Statuses,
    ended: Ended,
    /// On what its work does in another order.
    verdict: Verdict,
}

/// What the traces of a run show.
struct Examined {
    report: Report,
    recorded: Recorded,
    /// On traces that cannot be read.
    lost: Vec<Note>,
}

impl Ran<'_> {
    /// Diagnoses the processes of the run, and keeps their traces where that was asked for.
    fn examine(&self, wanted: Wanted, mut saving: Option<&mut Saving>) -> Examined {
        let mut trials = Trials::new(&self.statuses, self.gpu, self.options.gpu_memory);
        let mut unwatched = Unwatched::default();
        let below = recording::below(self.folder);
        let (traces, mut lost) = (below.traces, below.notes);
        let mut examination = Examination::new(wanted, &Reach::OwnRun, traces.len());
        for (path, _) in traces {
            let mut recording = match Recording::read(path, &Reach::OwnRun) {
                Ok(recording) => recording,
                Err(error) => {
                    lost.push(recording::lost(&error));
                    continue;
                }
            };
            if !recording.trace.uses_cuda() {
                examination.pass_over(&recording.trace);
                continue;
            }
            if saving.is_some() {
                recording.complete();
            }
            if self.options.untold {
                cgsan_diagnose::narrow(&mut recording.trace, Part::Untold);
            }
            examination.add(&recording.trace, &mut |trace, trial| {
                trials.run(trace, trial)
            });
            trials.keep(&mut recording);
            if self.gpu == Gpu::Real {
                let process = recording.trace.process().pid;
                let log = driver_log::of_process(self.folder, process);
                unwatched.add(&recording.trace, &log);
            }
            if let Some(saving) = &mut saving {
                saving.keep(&recording);
            }
        }
        let (mut report, recorded) = examination.finish();
        report.notes.extend(lost.iter().cloned());
        let is_recorded = recorded.processes > 0;
        let notes = status::notes(&self.statuses, is_recorded);
        report.notes.extend(notes);
        if self.gpu == Gpu::Real {
            self.add_unwatched(&mut report, unwatched);
        }
        Examined {
            report,
            recorded,
            lost,
        }
    }

    /// Adds what the agent and the driver's log tell where CUPTI was not there to watch.
    fn add_unwatched(&self, report: &mut Report, unwatched: Unwatched) {
        let found = unwatched.unexplained(report);
        if start::another_tool_is_injected() {
            let log = driver_log::of_run(self.folder);
            let note = cgsan_diagnose::another_tool_watches(&log, !found.is_empty());
            report.notes.push(note);
        }
        report.findings.extend(found);
    }

    /// Adds where the run stood still, what its work does in another order, and how it ended.
    fn add_ending(&self, report: &mut Report) {
        hangs::add_to(report, &self.ended.hangs);
        if self.watched_for_hangs().is_some() {
            report.notes.extend(hangs::unseen());
        }
        report.notes.extend(self.verdict.notes.iter().cloned());
        if self.options.untold {
            // What was judged was told with the parts, and whether the program failed as well.
            report.coverage = None;
        } else {
            let early = cgsan_diagnose::ended_early(self.ended.status, report);
            report.notes.extend(early);
        }
    }

    fn watched_for_hangs(&self) -> Option<Hangs> {
        Hangs::of(self.options, self.gpu)
    }

    /// Whether cgsan ended the program, since it stood still.
    fn was_killed(&self) -> bool {
        let kills = self.watched_for_hangs().is_some_and(Hangs::kills);
        kills && self.ended.hangs.iter().any(Account::is_certain)
    }

    /// Whether there is anything that `--strict` fails for.
    fn is_found(&self, report: &Report) -> bool {
        let is_wrong = |note: &Note| note.level == NoteLevel::Error;
        !report.findings.is_empty() || report.notes.iter().any(is_wrong) || self.verdict.is_race()
    }

    /// Why `--strict` fails for a report without findings; `None` if it does not.
    fn unjudged(&self, report: &Report, lost: &[Note]) -> Option<Error> {
        let options = self.options;
        // The tests told what was judged; a race is looked for in all work.
        let judges_graphs = !options.untold && !options.looks_for_races();
        let must_judge = judges_graphs && options.strict && !options.allow_nothing;
        let unjudged = || strict::unjudged(report, lost, || self.statuses.why_nothing());
        must_judge.then(unjudged).flatten()
    }

    /// What ran, as reports show it.
    fn shown(&self, recorded: &Recorded) -> Run {
        let program = &self.options.program;
        let words = if self.options.no_arguments {
            &program[..1]
        } else {
            program
        };
        Run {
            program: command_line::masked(words),
            ending: if self.was_killed() {
                Ending::NoProgress(hangs::ENDED)
            } else {
                exit::ending(self.ended.status)
            },
            environments: recorded.environments.clone(),
        }
    }

    /// What of all that could not be written is an error; where the program failed, that matters more.
    fn judge_writing(&self, results: [Result<(), Error>; 3]) -> Result<(), Error> {
        for result in results {
            match result {
                // A stream that is closed or full is no failure of the program's, and no place to say so.
                Err(Error::Stream { .. }) if !self.options.strict => {}
                Err(error) if self.ended.status.success() => return Err(error),
                Err(error) => error.print(),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn exit(&self, is_found: bool, unjudged: Option<Error>) -> Exit {
        if self.was_killed() {
            return Exit::Status(hangs::ENDED);
        }
        if let Some(unjudged) = unjudged.filter(|_| self.ended.status.success()) {
            unjudged.print();
            return Exit::Status(1);
        }
        Exit::of_program(self.ended.status, self.options.strict, is_found)
    }
}

/// Runs the program though nothing can be seen of it, and says why.
fn run_unwatched(options: &RunOptions, reason: &Error) -> Result<Exit, Error> {
    let text = format!(
        "cgsan: the program runs unwatched: {reason}\n  {}\n",
        reason.help()
    );
    // If nobody reads it, the program runs all the same.
    let _ = Standard::Error.write(&cgsan_render::shown(&text));
    let ended = start::run_unwatched(&options.program)?;
    let is_judged = options.allow_nothing;
    Ok(Exit::of_program(ended, options.strict, !is_judged))
}

/// Runs the program once more, with its work done as late as possible, and compares what it computed.
fn run_again(first: &Start<'_>) -> Result<Verdict, Error> {
    let directory = RunDirectory::create(first.gpu)?;
    let again = |directory, schedule| {
        start::run_aside(&Start {
            directory,
            schedule,
            again: true,
            twin: Twin::Never,
            hangs: None,
            ..*first
        })
    };
    again(&directory, "lazy")?;
    let mut verdict = race::compare(first.directory.path(), directory.path());
    if verdict.is_race() {
        let directory = RunDirectory::create(first.gpu)?;
        again(&directory, "eager")?;
        verdict.confirm(first.directory.path(), directory.path());
    }
    Ok(verdict)
}
