//! `cgsan export`: traces as tables, for engines that query many processes at once, and as a time line.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use cgsan_diagnose::Seen;
use cgsan_export::{Export, Failed, TABLES, Timeline};
use cgsan_files::{Begun, Links, Unwritten};
use cgsan_finding::{Note, Report};
use cgsan_render::Options;

use crate::cli::export::{ExportFormat, ExportOptions};
use crate::diagnosis::{self, Examination, Wanted};
use crate::error::Error;
use crate::exit::Exit;
use crate::fleet_page;
use crate::kept::{Kept, KeptTrace};
use crate::output::{Standard, tell_written};
use crate::partitioned;
use crate::recording::Recording;
use crate::sources;

/// Writes what is asked for.
///
/// # Errors
///
/// If a trace cannot be read, or a file cannot be written. Then all files are those of before.
pub fn run(options: &ExportOptions) -> Result<Exit, Error> {
    let notes = match options.format {
        ExportFormat::Parquet if options.partitioned => partitioned::write(options)?,
        ExportFormat::Parquet => tables(options)?,
        ExportFormat::Page => {
            fleet_page::write(&options.traces, &options.output)?;
            tell_written(std::slice::from_ref(&options.output));
            Vec::new()
        }
        ExportFormat::Perfetto => timeline(options)?,
    };
    let notes = Report {
        notes,
        ..Report::default()
    };
    let text = cgsan_render::findings(&notes, &Options::default(), &mut |_| None);
    Standard::Error.tell(&text)?;
    Ok(Exit::Status(0))
}

/// Writes the tables. Gives a note for each trace that cannot be read.
fn tables(options: &ExportOptions) -> Result<Vec<Note>, Error> {
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|reason| Error::not_writable("--output", folder, reason))?;
    let paths = TABLES.map(|name| folder.join(format!("{name}.parquet")));
    let failed = |failed| not_written(folder, failed);
    let mut export = Export::begin(begin(&paths)?).map_err(failed)?;

    let (report, notes) = for_each(options, &mut |run, recording, seen| {
        let run = run.to_string_lossy();
        let added = export.add(&run, &recording.path, &recording.trace, seen);
        added.map_err(failed)
    })?;
    let files = export.finish(&report.findings).map_err(failed)?;
    for (file, path) in files.into_iter().zip(&paths) {
        file.keep()
            .map_err(|reason| Error::not_writable("--output", path, reason))?;
    }
    tell_written(&paths);
    Ok(notes)
}

/// Writes the time line. Gives a note for each trace that cannot be read.
fn timeline(options: &ExportOptions) -> Result<Vec<Note>, Error> {
    let path = &options.output;
    let failed = |reason: io::Error| Error::not_writable("--output", path, reason);
    let file = Begun::open(path, Links::Part)
        .map_err(|reason| Error::not_writable("--output", path, reason))?;
    let mut timeline = Timeline::begin(BufWriter::new(file), cgsan_symbols::kernel_name);
    let (_, notes) = for_each(options, &mut |_, recording, seen| {
        timeline.add(&recording.trace, seen).map_err(failed)
    })?;
    let file = timeline.finish().map_err(failed)?;
    let file = file
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    file.keep()
        .map_err(|reason| Error::not_writable("--output", path, reason))?;
    tell_written(std::slice::from_ref(path));
    Ok(notes)
}

/// What is done with a trace that was found where a person said, and what its diagnosis saw.
type Take<'a> = dyn FnMut(&Path, &Recording, &Seen<'_, '_>) -> Result<(), Error> + 'a;

/// Goes through the traces that used CUDA. Gives the report on them, and a note for each that cannot be read.
fn for_each(options: &ExportOptions, take: &mut Take<'_>) -> Result<(Report, Vec<Note>), Error> {
    let reach = sources::reach_of_kept(&[])?;
    let kept = Kept::find(&options.traces)?;
    let mut examination = Examination::new(Wanted::default(), &reach, kept.traces.len());
    let work = |kept: &KeptTrace| kept.read(&reach);
    let notes = kept.for_each(1, &work, &mut |kept, (recording, is_wanted)| {
        if !is_wanted {
            examination.pass_over(&recording.trace);
            return Ok(());
        }
        let mut taken = Ok(());
        let look = &mut |seen: &Seen<'_, '_>| taken = take(&kept.named, &recording, seen);
        let examined = diagnosis::examine_and_show(&recording.trace, Wanted::default(), look);
        examination.absorb(examined);
        taken
    })?;
    let (report, _) = examination.finish();
    Ok((report, notes))
}

fn begin(paths: &[PathBuf; TABLES.len()]) -> Result<[Begun; TABLES.len()], Error> {
    let open = |path: &PathBuf| {
        Begun::open(path, Links::Part)
            .map_err(|reason| Error::not_writable("--output", path, reason))
    };
    let [processes, events, captures, findings, steps] = paths;
    Ok([
        open(processes)?,
        open(events)?,
        open(captures)?,
        open(findings)?,
        open(steps)?,
    ])
}

fn not_written(folder: &Path, failed: Failed) -> Error {
    let reason = match failed {
        Failed::Io(reason) => reason,
        other => std::io::Error::other(other),
    };
    Error::not_writable("--output", folder, Unwritten::Io(reason))
}
