//! `cgsan explain`: what is known about a failure mode.

use cgsan_render::Options;

use crate::cli::ExplainOptions;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{Destination, Standard};

/// Prints the catalogue's entry.
pub fn run(options: &ExplainOptions) -> Result<Exit, Error> {
    let wanted = options.id.trim();
    let entry = cgsan_catalogue::entry(&wanted.to_ascii_uppercase())
        .or_else(|| cgsan_catalogue::entry(&wanted.to_ascii_lowercase()))
        .ok_or_else(|| Error::NoEntry {
            id: wanted.to_owned(),
            similar: similar(wanted),
        })?;
    let mut output = Destination::Standard(Standard::Output);
    let options = Options {
        width: output.width(),
        color: output.takes_color(crate::cli::Color::Auto),
        ..Options::default()
    };
    output.write(&cgsan_render::entry(entry, &options))?;
    Ok(Exit::Status(0))
}

/// The ids of which a part looks like what was asked for.
fn similar(wanted: &str) -> Vec<&'static str> {
    let wanted = wanted.to_ascii_lowercase();
    if wanted.len() < 3 {
        return Vec::new();
    }
    cgsan_catalogue::entries()
        .iter()
        .filter(|entry| entry.id.eq_ignore_ascii_case(&wanted) || entry.name.contains(&wanted))
        .map(|entry| entry.id)
        .collect()
}
