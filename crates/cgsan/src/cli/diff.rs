//! The options of `cgsan diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::appearance::Appearance;
use super::heading;

/// The options of `cgsan diff`.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct DiffOptions {
    /// The graph of before: `run.cgsan#2` for the second capture of a trace that `cgsan run --save` kept, or a DOT file of
    /// `torch.cuda.CUDAGraph.debug_dump`
    ///
    /// The number may be left out where a trace has one capture.
    #[arg(value_name = "OLD")]
    pub old: OsString,

    /// The graph to compare it with
    #[arg(value_name = "NEW")]
    pub new: OsString,

    /// Write one JSON object instead of text
    #[arg(long, help_heading = heading::WRITE)]
    pub json: bool,

    /// Write to FILE [default: standard output]
    #[arg(long, short, value_name = "FILE", help_heading = heading::WRITE)]
    pub output: Option<PathBuf>,

    /// How text for people looks.
    #[command(flatten)]
    pub appearance: Appearance,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the graphs do not differ
  1    they differ
  2    wrong arguments, or a file without such a graph
  125  the differences cannot be written";
