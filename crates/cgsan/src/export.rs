//! `cgsan export`: traces as tables, for engines that query many processes at once, and as a time line.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use cgsan_diagnose::Seen;
use cgsan_export::{Export, Failed, TABLES, Timeline};
use cgsan_files::{Begun, Links, Unwritten};
use cgsan_finding::{Note, Report};
use cgsan_render::Options;
use clap::{Args, ValueEnum};

use crate::diagnosis::{Examination, Wanted};
use crate::error::Error;
use crate::exit::Exit;
use crate::output::Standard;
use crate::recording::Recording;
use crate::report;
use crate::sources;

/// The options of `cgsan export`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    it was written\n  2    wrong arguments, or a file that is not a trace"
)]
pub struct ExportOptions {
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    pub format: ExportFormat,

    /// The folder for the tables, which is made if it is not there; the file for a time line
    ///
    /// The folder gets processes.parquet, events.parquet, captures.parquet and findings.parquet, in place of those of before.
    #[arg(long, short, value_name = "PATH")]
    pub output: PathBuf,

    /// The traces, or folders with traces, as for `cgsan report`
    #[arg(required = true, value_name = "FILE")]
    pub traces: Vec<PathBuf>,
}

/// A format for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Tables in Apache Parquet, which DuckDB, Polars, Spark and Ray read
    Parquet,
    /// A time line for Perfetto, on the clock of `torch.profiler`'s files: calls, captures, forks, joins, replays
    Perfetto,
}

/// Writes what is asked for.
///
/// # Errors
///
/// If a trace cannot be read, or a file cannot be written. Then all files are those of before.
pub fn run(options: &ExportOptions) -> Result<Exit, Error> {
    let notes = match options.format {
        ExportFormat::Parquet => tables(options)?,
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
    Ok(notes)
}

/// What is done with a trace that was found where a person said, and what its diagnosis saw.
type Take<'a> = dyn FnMut(&Path, &Recording, &Seen<'_, '_>) -> Result<(), Error> + 'a;

/// Goes through the traces that used CUDA. Gives the report on them, and a note for each that cannot be read.
fn for_each(options: &ExportOptions, take: &mut Take<'_>) -> Result<(Report, Vec<Note>), Error> {
    let reach = sources::reach_of_kept(&[])?;
    let mut examination = Examination::new(Wanted::default(), &reach);
    let notes =
        report::for_each_kept(&options.traces, &reach, &mut |run, recording, is_wanted| {
            if !is_wanted {
                examination.pass_over(&recording.trace);
                return Ok(());
            }
            let mut taken = Ok(());
            examination.add_and_show(&recording.trace, &mut |seen| {
                taken = take(run, recording, seen);
            });
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
    let [processes, events, captures, findings] = paths;
    Ok([
        open(processes)?,
        open(events)?,
        open(captures)?,
        open(findings)?,
    ])
}

fn not_written(folder: &Path, failed: Failed) -> Error {
    let reason = match failed {
        Failed::Io(reason) => reason,
        other => std::io::Error::other(other),
    };
    Error::not_writable("--output", folder, Unwritten::Io(reason))
}
