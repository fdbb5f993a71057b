//! `cgsan perf`: what graphs would gain.

mod files;
mod live;
mod recorded;
mod seen;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cgsan_render::perf::OfProcess;
use cgsan_render::{Options, Run};
use clap::Args;

use crate::cli::Color;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{Destination, Standard};
use crate::sources::{self, Sources};

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
        default_value_t = 2.0,
        requires = "program"
    )]
    pub after: f64,

    /// Keep what was recorded of the program in FOLDER, for `cgsan perf FOLDER`
    #[arg(long, value_name = "FOLDER", requires = "program")]
    pub save: Option<PathBuf>,

    /// Run the program on the virtual GPU: counts mean something there, times do not
    #[arg(long = "virtual", requires = "program")]
    pub virtual_gpu: bool,

    /// The name of the ranges that mark steps, of `record_function` or NVTX; numbers may follow it [default: `ProfilerStep`,
    /// which `profile.step()` makes; without those, the shortest sequence of launches that repeats is a step]
    #[arg(long, value_name = "NAME")]
    pub step_marker: Option<String>,

    /// Write one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write to FILE [default: standard output; standard error with a program, whose output the other one is]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show lines of source files below PATH, too [default: this folder and PyTorch's]
    #[arg(long, value_name = "PATH")]
    pub sources: Vec<PathBuf>,

    /// Show all stretches of a step
    #[arg(long)]
    pub all: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Columns to write into [default: those of the terminal, else 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the files were read; with a program, its own
  2    wrong arguments, or a file that is not a trace
  125  cgsan itself failed
  126, 127  the program cannot be executed, or was not found";

/// Says what graphs would gain.
///
/// # Errors
///
/// If a file cannot be read, or the report cannot be written.
pub fn run(options: &PerfOptions) -> Result<Exit, Error> {
    let standard = if options.program.is_empty() {
        Standard::Output
    } else {
        Standard::Error
    };
    // Whatever can fail without the program does so before it starts.
    let mut destination = match &options.output {
        None => Destination::Standard(standard),
        Some(path) => Destination::open("--output", path)?,
    };
    let (processes, run, exit) = if options.program.is_empty() {
        (files::analyse(options)?, Run::default(), Exit::Status(0))
    } else {
        live::run(options)?
    };
    let text = report(options, &run, &destination, &processes)?;
    destination.write(&text)?;
    Ok(exit)
}

/// What is said of the processes, in the form that was asked for.
fn report(
    options: &PerfOptions,
    run: &Run,
    destination: &Destination,
    processes: &[OfProcess],
) -> Result<String, Error> {
    if options.json {
        return Ok(cgsan_render::perf::json(run, processes));
    }
    let here = env::current_dir().unwrap_or_default();
    let reach = sources::reach_of_kept(&options.sources)?;
    let mut sources = Sources::new(&reach, &here);
    let shown = Options {
        width: options
            .width
            .map_or_else(|| destination.width(), usize::from),
        color: destination.takes_color(options.color),
        full: options.all,
        directory: Some(here.to_string_lossy().into_owned()),
        ..Options::default()
    };
    let source = &mut |file: &Path| sources.text(file);
    Ok(cgsan_render::perf::text(processes, &shown, source))
}
