//! `cgsan`, the CUDA Graph sanitizer for PyTorch: the command.
#![deny(unsafe_code)]

mod captured;
mod cli;
mod diagnosis;
mod driver_log;
mod environment;
mod error;
mod exit;
mod explain;
mod export;
mod format;
mod found_by;
mod gpu;
mod hangs;
mod kernel_caches;
mod language;
mod library;
mod lint;
mod lsp;
mod output;
mod pasted;
mod perf;
mod probe;
mod program;
mod progress;
mod python_files;
mod race;
mod recording;
mod relay;
mod report;
mod run;
mod run_directory;
mod save;
mod shell;
mod signals;
mod sources;
mod status;
mod streams;
mod stubs;
mod trial;
mod version;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Arguments, Command, LspOptions};

/// Syntax trees are many small allocations by several threads, for which the allocator of the C library takes longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    signals::survive_limits();
    signals::end_with_parent();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(stopped) => return cli::leave(&stopped),
    };
    let outcome = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Perf(options) => perf::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Diff(options) => captured::diff(&options),
        Command::Graph(options) => captured::graph(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Lint(options) => lint::run(&options),
        Command::Lsp(LspOptions { stdio: _ }) => lsp::run(),
        Command::Env(options) => environment::run(&options),
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
    };
    match outcome {
        Ok(status) => status.leave(),
        Err(error) => {
            error.print();
            error.exit_code()
        }
    }
}
