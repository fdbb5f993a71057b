//! The options of `cgsan summarize`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::heading;

/// The options of `cgsan summarize`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    it was written\n  2    wrong arguments, or a file that is not a trace"
)]
pub struct SummarizeOptions {
    /// The file to write, for `cgsan report`; in a folder, it finds those named `*.cgsan-summary`
    #[arg(long, short, value_name = "FILE", help_heading = heading::WRITE)]
    pub output: PathBuf,

    /// Keep lines of source files below PATH, too [default: this folder and PyTorch's]
    ///
    /// A trace may name any file of this machine: name only what belongs to the program.
    #[arg(long, value_name = "PATH", help_heading = heading::WRITE)]
    pub sources: Vec<PathBuf>,

    /// Work on so many traces at once [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = heading::RUN_ON)]
    pub jobs: Option<NonZero<usize>>,

    /// Write the tables of the processes into FOLDER on the way, as `cgsan export --partitioned` does
    #[cfg(feature = "export")]
    #[arg(long, value_name = "FOLDER", help_heading = heading::WRITE)]
    pub tables: Option<PathBuf>,

    /// Where the traces were found: then they may be of processes that did not use CUDA, for `cgsan.fleet`
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub within: Option<PathBuf>,

    /// The traces, or folders with traces, as for `cgsan report`; other summaries as well
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
}
