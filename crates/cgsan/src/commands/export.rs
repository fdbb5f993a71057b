//! `cgsan export`: traces as tables, for engines that query many processes at once, and as a time line.

use std::fs;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use cgsan_diagnose::Seen;
use cgsan_export::{Export, Failed, Making, Rows, TABLES, Timeline};
use cgsan_files::{Begun, Links};
use cgsan_finding::Note;
use cgsan_symbols::Reach;

use crate::cli::{ExportFormat, ExportOptions};
use crate::commands::fleet_page;
use crate::output::destination::tell_written;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::progress::Progress;
use crate::reports::diagnosis::{self, Examination, Examined, Wanted};
use crate::reports::output::tell_notes;
use crate::reports::partitioned;
use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::parallel;
use crate::traces::sources;

/// Bytes of the traces of which one thread makes a row group: with them, its events are some ten thousands.
const PART: u64 = 2 << 20;

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
    tell_notes(notes)?;
    Ok(Exit::Status(0))
}

/// Writes the tables. Gives a note for each trace that cannot be read.
fn tables(options: &ExportOptions) -> Result<Vec<Note>, Error> {
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|reason| Error::not_writable("--output", folder, reason))?;
    let paths = TABLES.map(|name| folder.join(format!("{name}.parquet")));
    let failed = |failed| partitioned::not_written(folder, failed);
    let reach = sources::reach_of_kept(&[])?;
    let kept = Kept::find(&options.traces)?;
    let mut examination = Examination::new(Wanted::default(), &reach, kept.traces.len());
    let mut export = Export::begin(begin(&paths)?).map_err(failed)?;
    let making = Making::new().map_err(failed)?;

    let parts = parts(&kept.traces);
    let work = |part: &&[KeptTrace]| rows(part, &making, &reach, &failed);
    let jobs = parallel::jobs(options.jobs);
    let mut notes = kept.notes.clone();
    parallel::in_order(jobs, &parts, &work, &mut |_, made| {
        let made = made?;
        notes.extend(made.lost);
        made.examined
            .into_iter()
            .for_each(|it| examination.absorb(it));
        export.add(made.rows).map_err(failed)
    })?;
    let (report, _) = examination.finish();
    let files = export.finish(&report.findings).map_err(failed)?;
    for (file, path) in files.into_iter().zip(&paths) {
        file.keep()
            .map_err(|reason| Error::not_writable("--output", path, reason))?;
    }
    tell_written(&paths);
    Ok(notes)
}

/// Traces that follow each other and make about one row group of events together, whatever works on them.
fn parts(traces: &[KeptTrace]) -> Vec<&[KeptTrace]> {
    let mut parts = Vec::new();
    let (mut begins, mut bytes) = (0, 0);
    for (at, trace) in traces.iter().enumerate() {
        let own = fs::metadata(&trace.path).map_or(0, |it| it.len());
        if at > begins && bytes + own > PART {
            parts.push(&traces[begins..at]);
            (begins, bytes) = (at, 0);
        }
        bytes += own;
    }
    parts.push(&traces[begins..]);
    parts
}

/// What was made of some traces.
struct Made {
    rows: Rows,
    examined: Vec<Examined>,
    /// One for each trace that cannot be read.
    lost: Vec<Note>,
}

/// The rows of those of some traces that used CUDA.
fn rows(
    traces: &[KeptTrace],
    making: &Making,
    reach: &Reach,
    failed: &(dyn Fn(Failed) -> Error + Sync),
) -> Result<Made, Error> {
    let mut rows = making.begin();
    let mut examined = Vec::new();
    let mut lost = Vec::new();
    for kept in traces {
        let (recording, is_wanted) = match kept.read(reach) {
            Ok(read) => read,
            Err(error) => {
                lost.push(kept.lost(error)?);
                continue;
            }
        };
        let trace = &recording.trace;
        if !is_wanted {
            examined.push(Examined::passed_over(trace));
            continue;
        }
        let run = kept.named.to_string_lossy();
        let mut added = Ok(());
        let look = &mut |seen: &Seen<'_, '_>| added = rows.add(&run, &kept.path, trace, seen);
        examined.push(diagnosis::examine_and_show(trace, Wanted::default(), look));
        added.map_err(failed)?;
    }
    Ok(Made {
        rows: rows.finish().map_err(failed)?,
        examined,
        lost,
    })
}

/// Writes the time line. Gives a note for each trace that cannot be read.
fn timeline(options: &ExportOptions) -> Result<Vec<Note>, Error> {
    let path = &options.output;
    let failed = |reason: io::Error| Error::not_writable("--output", path, reason);
    let file = Begun::open(path, Links::Part)
        .map_err(|reason| Error::not_writable("--output", path, reason))?;
    let mut timeline = Timeline::begin(BufWriter::new(file), cgsan_symbols::kernel_name);
    let reach = sources::reach_of_kept(&[])?;
    let kept = Kept::find(&options.traces)?;
    let progress = Progress::start_of("writing what happened", kept.traces.len());
    let work = |kept: &KeptTrace| kept.read(&reach);
    let notes = kept.for_each(1, &work, &mut |_, (recording, is_wanted)| {
        progress.advance();
        let mut added = Ok(());
        let look = &mut |seen: &Seen<'_, '_>| added = timeline.add(&recording.trace, seen);
        if is_wanted {
            diagnosis::examine_and_show(&recording.trace, Wanted::default(), look);
        }
        added.map_err(failed)
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
