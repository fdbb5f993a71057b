//! `cgsan run`: runs a program on a GPU, real or virtual, and reports what it did wrong.

use cgsan_diagnose::{Part, Unwatched};
use cgsan_finding::{Finding, Note, NoteLevel};
use cgsan_hangs::Account;
use cgsan_render::Run;
use cgsan_symbols::Reach;

use crate::cli::RunOptions;
use crate::diagnosis::Examination;
use crate::driver_log;
use crate::error::Error;
use crate::exit::Exit;
use crate::gpu::Gpu;
use crate::hangs::{self, Hangs};
use crate::library;
use crate::output::{Output, Standard};
use crate::program::{self, Ended, Start};
use crate::race::{self, Verdict};
use crate::recording::{self, Recording};
use crate::run_directory::RunDirectory;
use crate::save::{SavePlace, Saving};
use crate::status;
use crate::trial::Trials;

/// Runs the program and reports. The exit status is the program's own, except where `--strict` says otherwise.
pub fn run(options: &RunOptions) -> Result<Exit, Error> {
    // Whatever can fail without the program does so before it starts: it may run for hours.
    let output = Output::open("cgsan run", &options.display, Standard::Error)?;
    let save = options.save.as_deref().map(SavePlace::open).transpose()?;
    let gpu = Gpu::choose(options)?;
    let directory = RunDirectory::create(gpu)?;
    let library = library::find(gpu, &directory)?;

    let start = Start {
        words: &options.program,
        directory: &directory,
        gpu,
        library: &library,
        gpu_memory: options.gpu_memory,
        gpus: options.gpus,
        values: options.values(gpu),
        verify: options.verify,
        schedule: options.schedule(gpu),
        results: options.looks_for_races(),
        again: false,
        memory: options.display.memory,
        watch_always: options.watch_always,
        hangs: Hangs::of(options, gpu),
        perf: None,
    };
    let Ended {
        status: ended,
        hangs,
    } = program::run(&start)?;
    let verdict = if options.looks_for_races() {
        run_again(&start)?
    } else {
        Verdict::default()
    };

    let mut examination = Examination::new(output.wants(), &Reach::OwnRun);
    let statuses = status::read_all(directory.path());
    let mut trials = Trials::new(&statuses, gpu, options.gpu_memory);
    let mut saving = save.map(SavePlace::begin);
    let mut unwatched = Unwatched::default();
    let (traces, mut lost) = recording::traces_below(directory.path());
    for path in traces {
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
        if options.untold {
            cgsan_diagnose::narrow(&mut recording.trace, Part::Untold);
        }
        examination.add(&recording.trace, &mut |trace, trial| {
            trials.run(trace, trial)
        });
        trials.keep(&mut recording);
        if gpu == Gpu::Real {
            let process = recording.trace.process().pid;
            let log = driver_log::of_process(directory.path(), process);
            unwatched.add(&recording.trace, &log);
        }
        if let Some(saving) = &mut saving {
            saving.keep(&recording);
        }
    }
    let (mut report, recorded) = examination.finish();
    report.notes.extend(lost);
    report
        .notes
        .extend(status::notes(&statuses, recorded.processes > 0));
    if gpu == Gpu::Real {
        let found = unwatched.unexplained(&report);
        if program::another_tool_is_injected() {
            let log = driver_log::of_run(directory.path());
            let note = cgsan_diagnose::another_tool_watches(&log, !found.is_empty());
            report.notes.push(note);
        }
        report.findings.extend(found);
    }
    let killed =
        Hangs::of(options, gpu).is_some_and(Hangs::kills) && hangs.iter().any(Account::is_certain);
    hangs::add_to(&mut report, &hangs);
    let is_race = verdict.is_race();
    report.notes.extend(verdict.notes);
    if options.untold {
        // What was judged was told with the parts, and whether the program failed as well.
        report.coverage = None;
    } else {
        let early = cgsan_diagnose::ended_early(ended, &report);
        report.notes.extend(early);
    }
    let is_allowed = |finding: &Finding| options.allow.iter().any(|id| id == finding.id);
    report.findings.retain(|finding| !is_allowed(finding));

    let words = options
        .program
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    let run = Run {
        program: words.collect(),
        exit: ended.code(),
    };
    let is_wrong = |note: &Note| note.level == NoteLevel::Error;
    let is_found = !report.findings.is_empty() || report.notes.iter().any(is_wrong) || is_race;
    let is_silent = options.untold && report.findings.is_empty() && report.notes.is_empty();
    let written = if is_silent {
        Ok(())
    } else {
        output.write(report, &run, &recorded, &Reach::OwnRun)
    };
    let saved = saving.map_or(Ok(()), Saving::finish);
    for result in [written, saved] {
        match result {
            Err(error) if ended.success() => return Err(error),
            // That the program failed matters more.
            Err(error) => error.print(),
            Ok(()) => {}
        }
    }
    if killed {
        return Ok(Exit::Status(hangs::ENDED));
    }
    Ok(Exit::of_program(ended, options.strict, is_found))
}

/// Runs the program once more, with its work done as late as possible, and compares what it computed.
fn run_again(first: &Start<'_>) -> Result<Verdict, Error> {
    let directory = RunDirectory::create(first.gpu)?;
    let again = |directory, schedule| {
        program::run(&Start {
            directory,
            schedule,
            again: true,
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
