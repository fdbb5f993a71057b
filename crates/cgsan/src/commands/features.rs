//! The commands that are features of this crate: each as it is, or what stands in for it in a build without it.

#[cfg(feature = "export")]
pub use crate::cli::export::ExportOptions;
#[cfg(feature = "lint")]
pub use crate::cli::lint::LintOptions;
#[cfg(feature = "perf")]
pub use crate::cli::perf::PerfOptions;
#[cfg(feature = "export")]
pub use crate::export::run as export;
#[cfg(feature = "lint")]
pub use crate::lint::run as lint;
#[cfg(feature = "lint")]
pub use crate::lsp::run as lsp;
#[cfg(feature = "lint")]
pub use crate::pasted::evidence;
#[cfg(feature = "perf")]
pub use crate::perf::run as perf;
#[cfg(feature = "serve")]
pub use crate::serve::run as serve;

#[cfg(not(feature = "lint"))]
pub use left_out::evidence;
#[cfg(not(feature = "serve"))]
pub use left_out::serve;
#[cfg(not(feature = "export"))]
pub use left_out::{LeftOut as ExportOptions, export};
#[cfg(not(feature = "lint"))]
pub use left_out::{LeftOut as LintOptions, lint, lsp};
#[cfg(not(feature = "perf"))]
pub use left_out::{LeftOut as PerfOptions, perf};

/// Says that a command is not there, and how to get it.
#[cfg_attr(
    all(
        feature = "export",
        feature = "lint",
        feature = "perf",
        feature = "serve"
    ),
    allow(dead_code, reason = "everything is there")
)]
mod left_out {
    use std::ffi::OsString;

    use cgsan_explain::Evidence;
    use clap::Args;

    use crate::cli::ExplainOptions;
    use crate::error::Error;
    use crate::exit::Exit;

    /// The arguments of a command that was left out, whatever they are.
    #[derive(Debug, Args)]
    pub struct LeftOut {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _arguments: Vec<OsString>,
    }

    pub fn export(_: &LeftOut) -> Result<Exit, Error> {
        left_out("export")
    }

    pub fn lint(_: &LeftOut) -> Result<Exit, Error> {
        left_out("lint")
    }

    pub fn lsp() -> Result<Exit, Error> {
        left_out("lsp")
    }

    pub fn perf(_: &LeftOut) -> Result<Exit, Error> {
        left_out("perf")
    }

    pub fn serve(_: &ExplainOptions) -> Result<Exit, Error> {
        left_out("explain --serve")
    }

    /// Without the linter, nothing is known of a program that a text holds.
    pub fn evidence(_: &str) -> Vec<Evidence> {
        Vec::new()
    }

    fn left_out(command: &'static str) -> Result<Exit, Error> {
        Err(Error::LeftOut { command })
    }
}
