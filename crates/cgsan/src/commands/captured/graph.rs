//! `cgsan graph`: one captured graph, as text or as a picture.

use super::operand;
use crate::cli::GraphOptions;
use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::progress::Progress;
use crate::output::standard::Standard;

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
    let style = destination.look(&options.appearance);
    if let Some(mut file) = picture {
        let one = operand::read_one(&options.graph)?;
        let progress = Progress::start("drawing the graph");
        let drawn = cgsan_render::graph_picture(one.named(), &style);
        drop(progress);
        file.write(&drawn)?;
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
