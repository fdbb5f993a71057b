//! The options of `cgsan carry`, which `cgsan run` starts.

use std::path::PathBuf;

use clap::Args;

/// The options of `cgsan carry`.
#[derive(Debug, Args)]
pub struct CarryOptions {
    /// The folder of the run
    pub run: PathBuf,

    /// The file that the first trace becomes
    #[arg(long, conflicts_with = "folder", hide = true)]
    pub file: Option<PathBuf>,

    /// The folder that the traces go to
    #[arg(long, hide = true)]
    pub folder: Option<PathBuf>,

    /// Carry, and start no other process to do it
    #[arg(long, hide = true)]
    pub alone: bool,
}
