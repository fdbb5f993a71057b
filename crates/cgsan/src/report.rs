//! `cgsan report`: shows the findings of saved traces again.

use cgsan_finding::NoteLevel;
use cgsan_render::{Ending, Run};

use crate::cli::ReportOptions;
use crate::diagnosis::Examination;
use crate::error::Error;
use crate::exit::Exit;
use crate::kept::Kept;
use crate::output::{Output, Standard};
use crate::runs::{self, OfRun};
use crate::selection::{FilesOfRun, Selection};
use crate::sources;
use crate::strict;
use crate::trial::KeptTrials;

/// Shows the findings of the traces: those of each run as a report of its own.
pub fn run(options: &ReportOptions) -> Result<Exit, Error> {
    let kept = Kept::find(&options.traces)?;
    if options.merge {
        return report_on(options, &kept);
    }
    let runs = runs::tell_apart(kept);
    if let [run] = &*runs {
        return report_on(options, &run.kept);
    }
    if !options.display.is_plain() {
        return Err(Error::SeveralRuns {
            runs: runs.iter().map(OfRun::described).collect(),
        });
    }
    let mut exit = Exit::of_findings(options.strict, false);
    for (number, run) in (1..).zip(&runs) {
        let title = run.title();
        let heading = format!("run {number} of {}, {title}\n\n", runs.len());
        Standard::Output.tell(&cgsan_render::shown(&heading))?;
        exit = exit.or(report_on(options, &run.kept)?);
        if number < runs.len() {
            Standard::Output.tell("\n")?;
        }
    }
    Ok(exit)
}

/// Shows the findings of traces as one report.
fn report_on(options: &ReportOptions, kept: &Kept) -> Result<Exit, Error> {
    let output = Output::open("cgsan report", &options.display, Standard::Output)?
        .with_texts(options.rendered);
    let selection = Selection::here(&options.selection)?;
    let reach = sources::reach_of_kept(&options.sources)?;
    let mut examination = Examination::new(output.wants(), &reach, kept.traces.len());
    let part = options.part();
    let unread = kept.for_each(&reach, &mut |_, recording, is_wanted| {
        if part.is_some_and(|part| !cgsan_diagnose::narrow(&mut recording.trace, part)) {
            return Ok(());
        }
        if is_wanted {
            let mut trials = KeptTrials::of(&recording.trace);
            examination.add(&recording.trace, &mut |_, _| trials.next());
        } else {
            examination.pass_over(&recording.trace);
        }
        Ok(())
    })?;
    let (mut report, recorded) = examination.finish();
    report.notes.extend(unread.iter().cloned());
    let mut files = FilesOfRun::new(recorded.sources(&reach));
    selection.apply(&mut report, &mut files)?;
    report.notes.extend(selection.remarks(&report, &files));
    let unjudged = strict::unjudged(&report, &unread, || "no process used CUDA".to_owned())
        .filter(|_| options.strict && !options.allow_nothing);
    if part.is_some() {
        // What limits the diagnosis of the whole says little of a part.
        report.notes.retain(|note| note.level == NoteLevel::Error);
    }
    let run = Run {
        program: recorded.program.clone(),
        ending: Ending::Unknown,
        environments: recorded.environments.clone(),
    };
    let is_found = !report.findings.is_empty();
    output.write(report, &run, &recorded, &reach)?;
    if let Some(unjudged) = unjudged.filter(|_| !is_found) {
        unjudged.print();
        return Ok(Exit::Status(1));
    }
    Ok(Exit::of_findings(options.strict, is_found))
}
