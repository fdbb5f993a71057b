//! `cgsan export`: traces as tables, for engines that query many processes at once.

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_export::{Export, Failed, TABLES};
use cgsan_files::{Begun, Links, Unwritten};
use cgsan_finding::Report;
use cgsan_render::Options;
use clap::{Args, ValueEnum};

use crate::diagnosis::{Examination, Wanted};
use crate::error::Error;
use crate::exit::Exit;
use crate::output::Standard;
use crate::report;
use crate::sources;

/// The options of `cgsan export`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    the tables were written\n  2    wrong arguments, or a file that is not a trace"
)]
pub struct ExportOptions {
    /// How to write the tables
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    pub format: TableFormat,

    /// The folder for the tables; it is made if it is not there
    ///
    /// It gets processes.parquet, events.parquet, captures.parquet and findings.parquet, in place of those of before.
    #[arg(long, short, value_name = "FOLDER")]
    pub output: PathBuf,

    /// The traces, or folders with traces, as for `cgsan report`
    #[arg(required = true, value_name = "FILE")]
    pub traces: Vec<PathBuf>,
}

/// A format for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Apache Parquet, which DuckDB, Polars, Spark and Ray read
    Parquet,
}

/// Writes the tables.
///
/// # Errors
///
/// If a trace cannot be read, or a table cannot be written. Then the folder has the tables that it had before.
pub fn run(options: &ExportOptions) -> Result<Exit, Error> {
    let TableFormat::Parquet = options.format;
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|reason| Error::not_writable("--output", folder, reason))?;
    let paths = TABLES.map(|name| folder.join(format!("{name}.parquet")));
    let failed = |failed| not_written(folder, failed);
    let mut export = Export::begin(begin(&paths)?).map_err(failed)?;

    let reach = sources::reach_of_kept(&[])?;
    let mut examination = Examination::new(Wanted::default(), &reach);
    let notes =
        report::for_each_kept(&options.traces, &reach, &mut |run, recording, is_wanted| {
            if !is_wanted {
                examination.pass_over(&recording.trace);
                return Ok(());
            }
            let mut added = Ok(());
            let run = run.to_string_lossy();
            examination.add_and_show(&recording.trace, &mut |seen| {
                added = export.add(&run, &recording.path, &recording.trace, seen);
            });
            added.map_err(failed)
        })?;
    let (report, _) = examination.finish();
    let files = export.finish(&report.findings).map_err(failed)?;
    for (file, path) in files.into_iter().zip(&paths) {
        file.keep()
            .map_err(|reason| Error::not_writable("--output", path, reason))?;
    }
    let notes = Report {
        notes,
        ..Report::default()
    };
    let text = cgsan_render::findings(&notes, &Options::default(), &mut |_| None);
    Standard::Error.tell(&text)?;
    Ok(Exit::Status(0))
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
