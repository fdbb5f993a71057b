//! The options of `cgsan export`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::heading;

/// The options of `cgsan export`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    it was written\n  2    wrong arguments, or a file that is not a trace"
)]
pub struct ExportOptions {
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "parquet", help_heading = heading::WRITE)]
    pub format: ExportFormat,

    /// The folder for the tables, which is made if it is not there; the file for a time line
    ///
    /// The folder gets processes.parquet, events.parquet, captures.parquet, findings.parquet and steps.parquet, in place of those of
    /// before.
    #[arg(long, short, value_name = "PATH", help_heading = heading::WRITE)]
    pub output: PathBuf,

    /// Work on so many traces at once [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = heading::RUN_ON)]
    pub jobs: Option<NonZero<usize>>,

    /// Write a file for each process, in folders by job and machine
    ///
    /// `events/job=…/host=…/….parquet`, as Hive, Spark and DuckDB read them. They are written at once, and those of several
    /// exports may be put into one folder: a process has the same number in all of them. Of summaries, there is the table of findings.
    #[arg(long, help_heading = heading::WRITE)]
    pub partitioned: bool,

    /// Where the traces were found: then they may be of processes that did not use CUDA, for `cgsan.fleet`
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub within: Option<PathBuf>,

    /// The traces, or folders with traces, as for `cgsan report`; for a page, folders with tables
    #[arg(required = true, value_name = "FILE")]
    pub traces: Vec<PathBuf>,
}

/// A format for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Tables in Apache Parquet, which DuckDB, Polars, Spark and Ray read
    Parquet,
    /// A page of ranks and steps: what each rank waited for in each step, made from tables that were exported before
    Page,
    /// A time line for Perfetto, on the clock of `torch.profiler`'s files: calls, captures, forks, joins, replays
    Perfetto,
}
