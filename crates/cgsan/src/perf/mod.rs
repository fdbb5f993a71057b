//! `cgsan perf`: what graphs would gain.

mod files;
mod recorded;

use std::env;
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
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The name of the ranges that mark steps, of `record_function` or NVTX; numbers may follow it [default: `ProfilerStep`,
    /// which `profile.step()` makes; without those, the shortest sequence of launches that repeats is a step]
    #[arg(long, value_name = "NAME")]
    pub step_marker: Option<String>,

    /// Write one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write to FILE [default: standard output]
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
  0    the files were read
  2    wrong arguments, or a file that is not a trace";

/// Says what graphs would gain.
///
/// # Errors
///
/// If a file cannot be read, or the report cannot be written.
pub fn run(options: &PerfOptions) -> Result<Exit, Error> {
    let mut destination = match &options.output {
        None => Destination::Standard(Standard::Output),
        Some(path) => Destination::open("--output", path)?,
    };
    let processes = files::analyse(options)?;
    let text = report(options, &destination, &processes)?;
    destination.write(&text)?;
    Ok(Exit::Status(0))
}

/// What is said of the processes, in the form that was asked for.
fn report(
    options: &PerfOptions,
    destination: &Destination,
    processes: &[OfProcess],
) -> Result<String, Error> {
    if options.json {
        return Ok(cgsan_render::perf::json(&Run::default(), processes));
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
