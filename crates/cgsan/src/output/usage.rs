//! What the parser of the command line has to say.

use std::io::Write as _;
use std::process::ExitCode;

use super::destination::Destination;
use super::error::Error;
use super::standard::Standard;
use crate::cli::Color;

/// Writes what the parser has to say: the help that was asked for, or what is wrong with the arguments.
pub fn leave(stopped: &clap::Error) -> ExitCode {
    let text = cgsan_render::shown(&stopped.render().ansi().to_string());
    if stopped.use_stderr() {
        // If nobody reads it, there is nothing left to do.
        let _ = write!(anstream::stderr(), "{text}");
        return ExitCode::from(2);
    }
    let style = Destination::Standard(Standard::Output).takes_color(Color::Auto);
    let plain = || anstream::adapter::strip_str(&text).to_string();
    match Standard::Output.tell(&if style { text.clone() } else { plain() }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(unwritten) => {
            let error = Error::from(unwritten);
            error.print();
            error.exit_code()
        }
    }
}
