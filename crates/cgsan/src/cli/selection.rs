//! The options that leave findings out.

use std::path::PathBuf;

use clap::Args;

use super::heading;

/// Which findings are reported.
#[derive(Debug, Default, Args)]
pub struct SelectionOptions {
    /// Report only findings with these ids; CG1 stands for all that begin with it
    #[arg(long, help_heading = heading::LOOK_FOR, value_name = "IDS", value_delimiter = ',')]
    pub select: Vec<String>,

    /// Do not report findings with these ids
    ///
    /// `# cgsan: ignore[CG101]` in the source does the same for its line, `ignore` of [tool.cgsan] in pyproject.toml for all
    /// commands.
    #[arg(long, help_heading = heading::LOOK_FOR, value_name = "IDS", value_delimiter = ',')]
    pub ignore: Vec<String>,

    /// Do not report the findings listed in this file
    #[arg(long, help_heading = heading::LOOK_FOR, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// List all findings in this file as known
    #[arg(long, help_heading = heading::LOOK_FOR, value_name = "FILE", conflicts_with = "baseline")]
    pub write_baseline: Option<PathBuf>,
}
