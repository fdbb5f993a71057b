//! `cgsan diff`: two captured graphs compared.

use super::operand;
use crate::cli::DiffOptions;
use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::progress::Progress;
use crate::output::standard::Standard;

/// Compares the two.
///
/// # Errors
///
/// If one cannot be read, or the differences cannot be written.
pub fn run(options: &DiffOptions) -> Result<Exit, Error> {
    let mut destination = Destination::output(options.output.as_deref(), Standard::Output)?;
    let old = operand::read_one(&options.old)?;
    let new = operand::read_one(&options.new)?;
    let progress = Progress::start("comparing the graphs");
    let difference = cgsan_graphs::difference(old.graph(), new.graph());
    drop(progress);
    let text = if options.json {
        cgsan_render::difference_json(old.named(), new.named(), &difference)
    } else {
        let style = destination.look(&options.appearance);
        cgsan_render::difference(old.named(), new.named(), &difference, &style)
    };
    destination.write(&text)?;
    Ok(Exit::Status(u8::from(!difference.is_nothing())))
}
