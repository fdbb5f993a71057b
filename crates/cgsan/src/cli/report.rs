//! The options of `cgsan report`.

use std::num::NonZero;
use std::path::PathBuf;

use cgsan_diagnose::Part;
use clap::Args;

use super::display::DisplayOptions;
use super::heading;
use super::selection::SelectionOptions;

/// The options of `cgsan report`.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_STATUS)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct ReportOptions {
    /// The traces, or folders with traces, of one run or of many machines
    ///
    /// What several processes did in the same way is one finding that names them all. Each core reads one trace at a time, so there may
    /// be thousands. In a folder, and in those below, traces are the files named `*.cgsan` or `*.cgsan.NUMBER`, and summaries, as
    /// `cgsan summarize` writes them, those named `*.cgsan-summary`.
    #[arg(required = true, value_name = "FILE")]
    pub traces: Vec<PathBuf>,

    /// Take the traces of several runs for one run
    ///
    /// Without it, each run is reported on by itself, one after the other, as text on standard output; whatever holds one report (a
    /// file, a page, a format other than text) takes the traces of one run. The machines of a distributed job are one run.
    #[arg(long, help_heading = heading::RUN_ON)]
    pub merge: bool,

    /// Judge one part of the program by itself: a test that `pytest --cgsan` ran, by its id
    ///
    /// What lasts from before the part is known: its streams, tensors and graphs.
    #[arg(long, value_name = "NAME", conflicts_with = "untold", help_heading = heading::LOOK_FOR)]
    pub part: Option<String>,

    /// Which findings are reported.
    #[command(flatten)]
    pub selection: SelectionOptions,

    /// Report only what is new since an earlier run, and say what is gone
    ///
    /// The earlier run is a report that was written as JSON, or traces, or folders of traces. A finding is the same if its id, the
    /// name of its file and the function are: lines may have moved.
    #[arg(long, value_name = "EARLIER", conflicts_with = "part", help_heading = heading::LOOK_FOR)]
    pub since: Option<PathBuf>,

    /// Exit with status 1 if there are findings, or if nothing was judged
    #[arg(long, help_heading = heading::LOOK_FOR)]
    pub strict: bool,

    /// With --strict: exit with status 0 also if nothing was judged, as where no CUDA graph was captured
    #[arg(long, requires = "strict", help_heading = heading::LOOK_FOR)]
    pub allow_nothing: bool,

    /// Show lines of source files below PATH, too [default: this folder and PyTorch's]
    ///
    /// A trace may name any file of this machine: name only what belongs to the program.
    #[arg(long, value_name = "PATH", help_heading = heading::WRITE)]
    pub sources: Vec<PathBuf>,

    /// With --json, give each finding as text, too
    #[arg(long, help_heading = heading::WRITE)]
    pub rendered: bool,

    /// Work on so many traces at once [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = heading::RUN_ON)]
    pub jobs: Option<NonZero<usize>>,

    /// Judge what `pytest --cgsan` has not reported yet
    #[arg(long, hide = true)]
    pub untold: bool,

    /// Traces that could not be read elsewhere: a file with the reason for each in a line, for `cgsan.fleet`
    #[arg(long, value_name = "FILE", hide = true)]
    pub lost: Option<PathBuf>,

    /// How to show what was found.
    #[command(flatten)]
    pub display: DisplayOptions,
}

impl ReportOptions {
    /// The part of the program to judge, if not the whole.
    pub fn part(&self) -> Option<Part<'_>> {
        let untold = self.untold.then_some(Part::Untold);
        self.part.as_deref().map(Part::Named).or(untold)
    }
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the traces were read
  1    with --strict, if there are findings, or nothing was judged
  2    wrong arguments, or a file that is not a trace";
