//! `cgsan export --partitioned`: tables in folders by job and machine, with a file for each process.
//!
//! A file is written where its trace is read, so that many are written at once, and those of machines can be put into one folder. Of a
//! process of which there is a summary only, there are the findings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cgsan_diagnose::Seen;
use cgsan_export::partition::{self, FINDINGS, PROCESS_TABLES, folder, number_of, write_findings};
use cgsan_export::{Failed, TABLES};
use cgsan_files::{Begun, Links, Unwritten};
use cgsan_finding::{Finding, Note, Process};
use cgsan_symbols::Reach;

use crate::cli::ExportOptions;
use crate::output::error::Error;
use crate::reports::diagnosis::{self, Examination, Examined, Wanted};
use crate::reports::examined;
use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::parallel;
use crate::traces::recording::Recording;
use crate::traces::sources;

/// The processes of each folder, with what they were found at.
type Known = BTreeMap<String, Vec<(String, Process)>>;

/// Writes the tables. Gives a note for each trace that cannot be read.
pub fn write(options: &ExportOptions) -> Result<Vec<Note>, Error> {
    let output = &options.output;
    let reach = sources::reach_of_kept(&[])?;
    let kept = Kept::find_all(&options.traces)?.within(options.within.as_deref());
    if kept.traces.iter().any(|it| it.summary.is_none()) {
        refuse_others(output)?;
    }
    let mut examination = Examination::new(Wanted::default(), &reach, kept.traces.len());
    let mut known = Known::new();
    let work = |kept: &KeptTrace| examined(kept, output, &reach);
    let notes = kept.for_each(
        parallel::jobs(options.jobs),
        &work,
        &mut |kept, examined| {
            let summary = &examined.summary;
            if summary.found.is_some() {
                let of_folder = known.entry(folder(Some(&summary.info))).or_default();
                let found_at = kept.named.to_string_lossy().into_owned();
                of_folder.push((found_at, summary.process.clone()));
            }
            examination.absorb(examined);
            Ok(())
        },
    )?;
    let (report, _) = examination.finish();
    findings(output, &report.findings, &known)?;
    Ok(notes)
}

/// What is known of a process. The tables of a trace are written on the way.
fn examined(kept: &KeptTrace, output: &Path, reach: &Reach) -> Result<Examined, Error> {
    if kept.summary.is_some() {
        return examined::of(kept, None, Wanted::default(), reach);
    }
    let (recording, is_wanted) = kept.read(reach)?;
    if !is_wanted {
        return examined::of(kept, None, Wanted::default(), reach);
    }
    let mut written = Ok(());
    let look = &mut |seen: &Seen<'_, '_>| {
        written = write_process(kept, &recording, seen, output);
    };
    let examined = diagnosis::examine_and_show(&recording.trace, Wanted::default(), look);
    written.map(|()| examined)
}

/// Writes the tables of a process.
pub fn write_process(
    kept: &KeptTrace,
    recording: &Recording,
    seen: &Seen<'_, '_>,
    output: &Path,
) -> Result<(), Error> {
    let trace = &recording.trace;
    let folder = folder(Some(trace.process()));
    let number = number_of(&cgsan_diagnose::process_of(trace));
    let paths = PROCESS_TABLES.map(|table| {
        output
            .join(table)
            .join(&folder)
            .join(format!("{number:016x}.parquet"))
    });
    let [processes, events, captures, steps] = &paths;
    let files = [
        begin(processes)?,
        begin(events)?,
        begin(captures)?,
        begin(steps)?,
    ];
    let run = kept.named.to_string_lossy();
    let files = partition::write_process(files, &run, &recording.path, trace, seen)
        .map_err(|failed| not_written(output, failed))?;
    for (file, path) in files.into_iter().zip(&paths) {
        file.keep()
            .map_err(|reason| Error::not_writable("--output", path, reason))?;
    }
    Ok(())
}

/// Writes the findings, by job and machine. Where there are none, a table without rows says which columns it has.
fn findings(output: &Path, found: &[Finding], known: &Known) -> Result<(), Error> {
    let mut of_folders: Vec<(&String, &[(String, Process)])> = known
        .iter()
        .map(|(folder, known)| (folder, known.as_slice()))
        .collect();
    of_folders.retain(|(_, known)| {
        let processes = found.iter().filter_map(Finding::observed);
        let mut processes = processes.flat_map(|it| &it.processes);
        processes.any(|process| known.iter().any(|(_, it)| it.is(process)))
    });
    let nowhere = folder(None);
    if of_folders.is_empty() {
        of_folders.push((&nowhere, &[]));
    }
    for (folder, known) in of_folders {
        let path = output.join(FINDINGS).join(folder).join("findings.parquet");
        let file = write_findings(begin(&path)?, found, known)
            .map_err(|failed| not_written(output, failed))?;
        file.keep()
            .map_err(|reason| Error::not_writable("--output", &path, reason))?;
    }
    Ok(())
}

/// Refuses a folder with tables of another export: rows of both would be taken for those of one.
fn refuse_others(output: &Path) -> Result<(), Error> {
    let other = TABLES
        .iter()
        .map(|table| output.join(table))
        .find(|it| it.exists());
    match other {
        Some(_) => Err(Error::Table {
            place: output.to_owned(),
            reason: "it has tables already, and files of both exports would be one table"
                .to_owned(),
        }),
        None => Ok(()),
    }
}

fn begin(path: &Path) -> Result<Begun, Error> {
    let unwritten = |reason| Error::not_writable("--output", path, reason);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|reason| unwritten(reason.into()))?;
    Begun::open(path, Links::Part).map_err(unwritten)
}

/// That tables cannot be written below a folder.
pub fn not_written(folder: &Path, failed: Failed) -> Error {
    let reason = match failed {
        Failed::Io(reason) => reason,
        other => std::io::Error::other(other),
    };
    Error::not_writable("--output", folder, Unwritten::Io(reason))
}
