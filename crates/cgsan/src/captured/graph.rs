//! `cgsan graph`: one captured graph, as text or as a picture.

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

/// The options of `cgsan graph`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    it was shown\n  2    wrong arguments, or a file without such a graph\n  125  the picture cannot be written"
)]
pub struct GraphOptions {
    /// `run.cgsan#2` for the second capture of a trace that `cgsan run --save` kept, or a DOT file of
    /// `torch.cuda.CUDAGraph.debug_dump`
    ///
    /// Without a number, all captures of the trace.
    #[arg(value_name = "FILE")]
    pub graph: OsString,

    /// Draw it as a picture (SVG), for light and dark
    ///
    /// Rows are the order of the edges, lanes are streams. In a graph of more than 60 nodes, what repeats is drawn once.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// Shows what is asked for.
///
/// # Errors
///
/// If it cannot be read, or cannot be written.
pub fn run(options: &GraphOptions) -> Result<Exit, Error> {
    let picture = options.svg.as_deref();
    let picture = picture.map(|path| Destination::open("--svg", path));
    let picture = picture.transpose()?;
    let mut destination = Destination::Standard(Standard::Output);
    let here = env::current_dir().unwrap_or_default();
    let style = Options {
        width: destination.width(),
        color: destination.takes_color(options.color),
        directory: Some(here.to_string_lossy().into_owned()),
        ..Options::default()
    };
    if let Some(mut file) = picture {
        let one = operand::read_one(&options.graph)?;
        file.write(&cgsan_render::graph_picture(one.named(), &style))?;
        return Ok(Exit::Status(0));
    }
    let all = operand::read(&options.graph)?;
    let all: Vec<String> = all
        .iter()
        .map(|it| cgsan_render::graph(it.named(), &style))
        .collect();
    destination.write(&all.join("\n"))?;
    Ok(Exit::Status(0))
}
