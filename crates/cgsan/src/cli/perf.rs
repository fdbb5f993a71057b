//! The options of `cgsan perf`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::appearance::Appearance;
use super::{heading, value};

/// The options of `cgsan perf`.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct PerfOptions {
    /// Traces of torch.profiler (JSON, also compressed by gzip) and exports of Nsight Systems (`nsys export --type sqlite`)
    ///
    /// Traces of `cgsan run --save` are read too, for what they have: launches and waits of the host, without times of the device.
    ///
    /// Files of one process are windows of its run. Of these, one with stacks (`with_stack=True`) gives the lines, and the others are
    /// measured.
    /// A folder is what `--save` kept of a program.
    #[arg(required_unless_present = "program", value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A program to run on this machine's GPU, and its arguments
    ///
    /// For a few seconds it is looked at: at steps that nothing disturbs, at some under PyTorch's profiler, and at the lines that ask
    /// for work. Then it is left alone.
    #[arg(last = true, conflicts_with = "files", value_name = "PROGRAM")]
    pub program: Vec<OsString>,

    /// Look at the program this many seconds after its first launch: warm-up and compilation should be over
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "2",
        value_parser = value::delay,
        requires = "program", help_heading = heading::RUN_ON)]
    pub after: f64,

    /// Run the program on the virtual GPU: counts mean something there, times do not
    #[arg(long = "virtual", requires = "program", help_heading = heading::RUN_ON)]
    pub virtual_gpu: bool,

    /// The name of the ranges that mark steps, of `record_function` or NVTX; numbers may follow it [default: `ProfilerStep`,
    /// which `profile.step()` makes; without those, the shortest sequence of launches that repeats is a step]
    #[arg(long, value_name = "NAME", help_heading = heading::LOOK_FOR)]
    pub step_marker: Option<String>,

    /// Keep what was recorded of the program in FOLDER, for `cgsan perf FOLDER`
    #[arg(long, value_name = "FOLDER", requires = "program", help_heading = heading::WRITE)]
    pub save: Option<PathBuf>,

    /// Write one JSON object instead of text
    #[arg(long, help_heading = heading::WRITE)]
    pub json: bool,

    /// Write to FILE [default: standard output; standard error with a program, whose output the other one is]
    #[arg(long, short, value_name = "FILE", help_heading = heading::WRITE)]
    pub output: Option<PathBuf>,

    /// Show lines of source files below PATH, too [default: this folder and PyTorch's]
    #[arg(long, value_name = "PATH", help_heading = heading::WRITE)]
    pub sources: Vec<PathBuf>,

    /// Show all stretches of a step
    #[arg(long, help_heading = heading::WRITE)]
    pub all: bool,

    /// How text for people looks.
    #[command(flatten)]
    pub appearance: Appearance,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the files were read; with a program, its own
  2    wrong arguments, or a file that is not a trace
  125  cgsan itself failed
  126, 127  the program cannot be executed, or was not found";
