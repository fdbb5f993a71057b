//! `cgsan diff`: two captured graphs compared.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use cgsan_render::Options;
use clap::Args;

use super::operand;
use crate::cli::Color;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{Destination, Standard};

/// The options of `cgsan diff`.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct DiffOptions {
    /// The graph of before: `run.cgsan#2` for the second capture of a trace that `cgsan run --save` kept, or a DOT file of
    /// `torch.cuda.CUDAGraph.debug_dump`
    ///
    /// The number may be left out where a trace has one capture.
    #[arg(value_name = "OLD")]
    pub old: OsString,

    /// The graph to compare it with
    #[arg(value_name = "NEW")]
    pub new: OsString,

    /// Write one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write to FILE [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the graphs do not differ
  1    they differ
  2    wrong arguments, or a file without such a graph
  125  the differences cannot be written";

/// Compares the two.
///
/// # Errors
///
/// If one cannot be read, or the differences cannot be written.
pub fn run(options: &DiffOptions) -> Result<Exit, Error> {
    let mut destination = match &options.output {
        None => Destination::Standard(Standard::Output),
        Some(path) => Destination::open("--output", path)?,
    };
    let old = operand::read_one(&options.old)?;
    let new = operand::read_one(&options.new)?;
    let difference = cgsan_graphs::difference(old.graph(), new.graph());
    let text = if options.json {
        cgsan_render::difference_json(old.named(), new.named(), &difference)
    } else {
        let here = env::current_dir().unwrap_or_default();
        let style = Options {
            width: destination.width(),
            color: destination.takes_color(options.color),
            directory: Some(here.to_string_lossy().into_owned()),
            ..Options::default()
        };
        cgsan_render::difference(old.named(), new.named(), &difference, &style)
    };
    destination.write(&text)?;
    Ok(Exit::Status(u8::from(!difference.is_nothing())))
}
