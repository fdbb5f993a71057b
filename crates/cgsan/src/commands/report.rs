//! `cgsan report`: shows the findings of saved traces again, and of summaries of traces.

use std::path::Path;

use cgsan_finding::{Note, NoteLevel};
use cgsan_render::{Ending, Run};

use crate::cli::ReportOptions;
use crate::commands::since::Since;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::standard::Standard;
use crate::reports::diagnosis::{Examination, Wanted};
use crate::reports::examined;
use crate::reports::output::Output;
use crate::reports::selection::{FilesOfRun, Selection};
use crate::reports::strict;
use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::parallel;
use crate::traces::recording;
use crate::traces::runs::{self, OfRun};
use crate::traces::sources;

/// Shows the findings of the traces: those of each run as a report of its own.
pub fn run(options: &ReportOptions) -> Result<Exit, Error> {
    let kept = Kept::find_all(&options.traces)?;
    if options.merge {
        return report_on(options, &kept);
    }
    let runs = runs::tell_apart(kept);
    if let [run] = &*runs {
        return report_on(options, &run.kept);
    }
    if !options.display.is_plain() || options.since.is_some() {
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

/// What a report lacks of processes of which there are summaries only.
fn without_traces(kept: &Kept, options: &ReportOptions, wanted: Wanted) -> Option<Note> {
    let are_summaries = kept.traces.iter().any(|it| it.summary.is_some());
    let lacks = match () {
        () if options.part().is_some() => "parts of a program",
        () if wanted.memory || wanted.graphs => "memory and graphs",
        () => return None,
    };
    let text =
        format!("{lacks} are not in summaries: give the traces to see those of all processes");
    are_summaries.then(|| Note::new(text, None))
}

/// Bytes of the largest list of lost traces that is read.
const LARGEST_LIST: u64 = 64 << 20;

/// Notes on traces that could not be read elsewhere: `file` has the reason for each in a line.
fn lost_elsewhere(file: &Path) -> Result<Vec<Note>, Error> {
    let text = cgsan_files::read_text(file, LARGEST_LIST).map_err(|reason| Error::Selection {
        what: format!("--lost {}: {reason}", file.display()),
        help: "name a text with a line for each trace",
    })?;
    let lines = text.lines();
    Ok(lines.map(|line| recording::lost(&line)).collect())
}

/// Shows the findings of traces as one report.
fn report_on(options: &ReportOptions, kept: &Kept) -> Result<Exit, Error> {
    let output = Output::open("cgsan report", &options.display, Standard::Output)?
        .with_texts(options.rendered);
    let selection = Selection::here(&options.selection)?;
    let reach = sources::reach_of_kept(&options.sources)?;
    let mut examination = Examination::new(output.wants(), &reach, kept.traces.len());
    let part = options.part();
    let wanted = output.wants();
    let work = |trace: &KeptTrace| examined::of(trace, part, wanted, &reach);
    let jobs = parallel::jobs(options.jobs);
    let mut unread = kept.for_each(jobs, &work, &mut |_, examined| {
        examination.absorb(examined);
        Ok(())
    })?;
    let (mut report, recorded) = examination.finish();
    if let Some(file) = &options.lost {
        unread.extend(lost_elsewhere(file)?);
    }
    report.notes.extend(unread.iter().cloned());
    report.notes.extend(without_traces(kept, options, wanted));
    let mut files = FilesOfRun::new(recorded.sources(&reach));
    selection.apply(&mut report, &mut files)?;
    if let Some(earlier) = &options.since {
        Since::read(earlier, &reach)?.apply(&mut report);
    }
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
