//! The options of `cgsan lint`.

use std::path::PathBuf;

use cgsan_lint::Version;
use clap::Args;

use super::appearance::Appearance;
use super::format::Format;
use super::heading;
use super::selection::SelectionOptions;

/// The options of `cgsan lint`.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_STATUS)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
pub struct LintOptions {
    /// Files and folders; `-` is standard input [default: this folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The file name of standard input in reports
    #[arg(long, value_name = "FILE", help_heading = heading::RUN_ON)]
    pub stdin_filename: Option<PathBuf>,

    /// Which findings are reported.
    #[command(flatten)]
    pub selection: SelectionOptions,

    /// The version of PyTorch that the code is for [default: the one installed beside it, else 2.11]
    #[arg(long, value_name = "VERSION", help_heading = heading::LOOK_FOR)]
    pub torch: Option<Version>,

    /// Also report what depends on unknown values
    #[arg(long, help_heading = heading::LOOK_FOR)]
    pub pedantic: bool,

    /// Exit with status 0 even if there are findings
    #[arg(long, help_heading = heading::LOOK_FOR)]
    pub exit_zero: bool,

    /// Apply the fixes that are safe
    #[arg(long, help_heading = heading::CHANGE)]
    pub fix: bool,

    /// Show what --fix would change, without changing it
    #[arg(long, conflicts_with = "fix", help_heading = heading::CHANGE)]
    pub diff: bool,

    /// Also apply fixes that may change what the program does
    #[arg(long, help_heading = heading::CHANGE)]
    pub unsafe_fixes: bool,

    /// How to write the findings
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = heading::WRITE)]
    pub format: Format,

    /// Show only how often each id was found
    #[arg(long, conflicts_with_all = ["diff", "write_baseline"], help_heading = heading::WRITE)]
    pub statistics: bool,

    /// Write findings only, without warnings and the summary
    #[arg(long, short, help_heading = heading::WRITE)]
    pub quiet: bool,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = heading::WRITE)]
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
  0    no findings, or --exit-zero was given
  1    there are findings, or files with invalid Python syntax
  2    wrong arguments or configuration";

impl LintOptions {
    /// How findings are to be written.
    pub fn chosen_format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}
