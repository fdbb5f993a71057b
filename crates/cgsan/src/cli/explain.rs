//! The options of `cgsan explain`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::heading;

/// The options of `cgsan explain`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each flag of the command"
)]
#[command(after_long_help = EXIT_STATUS)]
pub struct ExplainOptions {
    /// An id (CG101), a name (host-sync-in-capture), an error code (906, cudaErrorStreamCaptureImplicit), a file with a
    /// traceback or a log, or an error text [default: standard input]
    #[arg(value_name = "WHAT")]
    pub what: Vec<OsString>,

    /// Show all that is known about an id: how it is recognized, each change with its program, versions, measurements, sources
    #[arg(long, requires = "what", conflicts_with = "json", help_heading = heading::WRITE)]
    pub all: bool,

    /// List the ids with their titles
    #[arg(long, conflicts_with_all = ["what", "json", "all"], help_heading = heading::WRITE)]
    pub list: bool,

    /// The language of the output [default: that of `LC_ALL`, `LC_MESSAGES` or `LANG`]
    #[arg(long, value_name = "LANGUAGE", help_heading = heading::WRITE)]
    pub lang: Option<Lang>,

    /// Write one JSON object with the candidates instead of text
    #[arg(long, help_heading = heading::WRITE)]
    pub json: bool,

    /// Serve a program or an agent: a server of the Model Context Protocol on standard input and output
    ///
    /// Its tools look things up in the catalogue, explain logs, and lint and report on files of this folder and below.
    #[arg(long, conflicts_with_all = ["what", "lang", "json", "all", "list"], help_heading = heading::SERVE)]
    pub serve: bool,

    /// With --serve: let the client run any program as you, under `cgsan run`
    #[arg(long, requires = "serve", help_heading = heading::SERVE)]
    pub allow_run: bool,

    /// With --serve: the folder whose files may be linted and reported on, and in which programs run [default: this folder]
    #[arg(long, requires = "serve", value_name = "FOLDER", help_heading = heading::SERVE)]
    pub folder: Option<PathBuf>,
}

/// A language that the catalogue is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English
    En,
    /// Chinese
    Zh,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    it was explained
  1    nothing in the catalogue matches
  2    wrong arguments, or a file that is not text";
