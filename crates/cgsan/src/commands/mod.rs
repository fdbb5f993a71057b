//! The commands, one a file or a folder.

mod attach;
mod captured;
mod environment;
mod explain;
#[cfg(feature = "export")]
mod export;
mod features;
#[cfg(feature = "export")]
mod fleet_page;
mod found_by;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "lint")]
mod lsp;
#[cfg(feature = "lint")]
mod pasted;
#[cfg(feature = "perf")]
mod perf;
mod report;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod since;
mod summarize;

use crate::cli::{Command, LspOptions};
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::traces::carrying;

#[cfg(feature = "serve")]
pub use serve::end_with_parent;

/// Does what a command asks for.
///
/// # Errors
///
/// What kept it from that.
pub fn run(command: Command) -> Result<Exit, Error> {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Watch(options) => run::run(&options.limited()),
        Command::Report(options) => report::run(&options),
        Command::Attach(options) => attach::run(&options),
        Command::Summarize(options) => summarize::run(&options),
        Command::Perf(options) => features::perf(&options),
        Command::Export(options) => features::export(&options),
        Command::Diff(options) => captured::diff(&options),
        Command::Graph(options) => captured::graph(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Lint(options) => features::lint(&options),
        Command::Lsp(LspOptions { stdio: _ }) => features::lsp(),
        Command::Env(options) => environment::run(&options),
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
        Command::Carry(options) => carrying::run(&options),
    }
}
