//! The options of `cgsan env`.

use std::path::PathBuf;

use clap::Args;

use super::heading;

/// The options of `cgsan env`.
#[derive(Debug, Args)]
#[command(after_long_help = "Exit status:\n  0    a run would work\n  1    something is missing")]
pub struct EnvironmentOptions {
    /// The Python to look at [default: that of `VIRTUAL_ENV`, else `python` or `python3` of PATH]
    #[arg(long, value_name = "PROGRAM", help_heading = heading::RUN_ON)]
    pub python: Option<PathBuf>,

    /// Write one JSON object instead of text
    #[arg(long, help_heading = heading::WRITE)]
    pub json: bool,
}
