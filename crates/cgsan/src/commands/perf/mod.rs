//! `cgsan perf`: what graphs would gain.

mod files;
mod live;
mod seen;

use std::env;
use std::path::Path;

use crate::cli::PerfOptions;
use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::standard::Standard;
use crate::traces::sources::{self, Sources};
use cgsan_render::perf::OfProcess;
use cgsan_render::{Options, Run};

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
    let mut destination = Destination::output(options.output.as_deref(), standard)?;
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
        full: options.all,
        ..destination.look(&options.appearance)
    };
    let source = &mut |file: &Path| sources.text(file);
    Ok(cgsan_render::perf::text(processes, &shown, source))
}
