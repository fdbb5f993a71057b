//! `cgsan`, the CUDA Graph sanitizer for PyTorch: the command.
#![deny(unsafe_code)]
#![cfg_attr(
    not(all(
        feature = "export",
        feature = "lint",
        feature = "perf",
        feature = "serve"
    )),
    allow(dead_code, reason = "what only a command uses that was left out")
)]

mod cli;
mod commands;
mod output;
mod program;
mod reports;
mod traces;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Arguments;
use crate::output::{signals, usage};

/// Syntax trees are many small allocations by several threads, for which the allocator of the C library takes longer.
#[cfg(feature = "lint")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    signals::survive_limits();
    #[cfg(feature = "serve")]
    commands::end_with_parent();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(stopped) => return usage::leave(&stopped),
    };
    match commands::run(arguments.command) {
        Ok(status) => status.leave(),
        Err(error) => {
            error.print();
            error.exit_code()
        }
    }
}
