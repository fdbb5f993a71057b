//! The options of `cgsan graph`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::appearance::Appearance;
use super::heading;

/// The options of `cgsan graph`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    it was shown\n  2    wrong arguments, or a file without such a graph\n  125  the picture cannot be written"
)]
pub struct GraphOptions {
    /// `run.cgsan#2` for the second capture of a trace that `cgsan run --save` kept, or a DOT file of
    /// `torch.cuda.CUDAGraph.debug_dump`
    ///
    /// Without a number, all captures of the trace.
    #[arg(value_name = "FILE")]
    pub graph: OsString,

    /// Draw it as a picture (SVG), for light and dark
    ///
    /// Rows are the order of the edges, lanes are streams. In a graph of more than 60 nodes, what repeats is drawn once.
    #[arg(long, value_name = "FILE", help_heading = heading::WRITE)]
    pub svg: Option<PathBuf>,

    /// How text for people looks.
    #[command(flatten)]
    pub appearance: Appearance,
}
