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

mod attach;
mod captured;
mod carrying;
mod cli;
mod commands;
mod diagnosis;
mod driver_log;
mod environment;
mod error;
mod exit;
mod explain;
#[cfg(feature = "export")]
mod export;
#[cfg(feature = "export")]
mod fleet_page;
mod format;
mod found_by;
mod gpu;
mod hangs;
mod interrupt;
mod kept;
mod kernel_caches;
mod language;
mod leftovers;
mod library;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "lint")]
mod lsp;
mod output;
mod parallel;
#[cfg(feature = "export")]
mod partitioned;
#[cfg(feature = "lint")]
mod pasted;
#[cfg(feature = "perf")]
mod perf;
mod probe;
mod program;
mod progress;
mod python_files;
mod pytorch;
mod race;
mod recording;
mod relay;
mod report;
mod run;
mod run_directory;
mod runs;
mod save;
mod selection;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod shortening;
mod signals;
mod since;
mod sources;
mod status;
mod streams;
mod strict;
mod stubs;
mod summaries;
mod summarize;
mod trial;
mod version;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Arguments, Command, LspOptions};

/// Syntax trees are many small allocations by several threads, for which the allocator of the C library takes longer.
#[cfg(feature = "lint")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    signals::survive_limits();
    #[cfg(feature = "serve")]
    serve::end_with_parent();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(stopped) => return cli::leave(&stopped),
    };
    let outcome = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Watch(options) => run::run(&options.limited()),
        Command::Report(options) => report::run(&options),
        Command::Attach(options) => attach::run(&options),
        Command::Summarize(options) => summarize::run(&options),
        Command::Perf(options) => commands::perf(&options),
        Command::Export(options) => commands::export(&options),
        Command::Diff(options) => captured::diff(&options),
        Command::Graph(options) => captured::graph(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Lint(options) => commands::lint(&options),
        Command::Lsp(LspOptions { stdio: _ }) => commands::lsp(),
        Command::Env(options) => environment::run(&options),
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
        Command::Carry(options) => carrying::run(&options),
    };
    match outcome {
        Ok(status) => status.leave(),
        Err(error) => {
            error.print();
            error.exit_code()
        }
    }
}
