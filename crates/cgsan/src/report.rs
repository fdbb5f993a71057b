//! `cgsan report`: shows the findings of saved traces again.

use std::path::{Path, PathBuf};

use cgsan_finding::{Note, NoteLevel};
use cgsan_render::Run;
use cgsan_symbols::Reach;

use crate::cli::ReportOptions;
use crate::diagnosis::Examination;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{Output, Standard};
use crate::recording::{self, Recording};
use crate::sources;
use crate::trial::KeptTrials;

/// Shows the findings of the traces as one report.
pub fn run(options: &ReportOptions) -> Result<Exit, Error> {
    let output = Output::open("cgsan report", &options.display, Standard::Output)?
        .with_texts(options.rendered);
    let reach = sources::reach_of_kept(&options.sources)?;
    let mut examination = Examination::new(output.wants(), &reach);
    let part = options.part();
    let notes = for_each_kept(&options.traces, &reach, &mut |_, recording, is_wanted| {
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
    report.notes.extend(notes);
    if part.is_some() {
        // What limits the diagnosis of the whole says little of a part.
        report.notes.retain(|note| note.level == NoteLevel::Error);
    }
    let run = Run {
        program: recorded.program.clone(),
        exit: None,
    };
    let exit = Exit::of_findings(options.strict, !report.findings.is_empty());
    output.write(report, &run, &recorded, &reach)?;
    Ok(exit)
}

/// Reads traces that were kept, one at a time: files that a person names, and the traces below folders. `take` is told where one
/// was found, and whether it is wanted: in a folder, those are that used CUDA. Gives a note for each in a folder that cannot be
/// read.
pub fn for_each_kept(
    paths: &[PathBuf],
    reach: &Reach,
    take: &mut dyn FnMut(&Path, &mut Recording, bool) -> Result<(), Error>,
) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let mut recording = Recording::read(path.clone(), reach).map_err(Error::Trace)?;
            take(path, &mut recording, true)?;
            continue;
        }
        let (found, unread) = recording::traces_below(path);
        if found.is_empty() {
            let reason = unread.into_iter().next().map(|note| note.text);
            return Err(Error::NoTraces {
                folder: path.clone(),
                reason: reason.unwrap_or_else(|| "it holds no traces".to_owned()),
            });
        }
        notes.extend(unread);
        for trace in found {
            match Recording::read(trace, reach) {
                Ok(mut recording) => {
                    let is_wanted = recording.trace.uses_cuda();
                    take(path, &mut recording, is_wanted)?;
                }
                Err(error) => notes.push(recording::lost(&error)),
            }
        }
    }
    Ok(notes)
}
