//! The commands that are features of this crate: each as it is, or what stands in for it in a build without it.

#[cfg(feature = "export")]
pub use super::export::run as export;
#[cfg(feature = "lint")]
pub use super::lint::run as lint;
#[cfg(feature = "lint")]
pub use super::lsp::run as lsp;
#[cfg(feature = "lint")]
pub use super::pasted::evidence;
#[cfg(feature = "perf")]
pub use super::perf::run as perf;
#[cfg(feature = "serve")]
pub use super::serve::run as serve;

#[cfg(not(feature = "lint"))]
pub use left_out::evidence;
#[cfg(not(feature = "export"))]
pub use left_out::export;
#[cfg(not(feature = "perf"))]
pub use left_out::perf;
#[cfg(not(feature = "serve"))]
pub use left_out::serve;
#[cfg(not(feature = "lint"))]
pub use left_out::{lint, lsp};

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
    use cgsan_explain::Evidence;

    use crate::cli::{ExplainOptions, ExportOptions, LintOptions, PerfOptions};
    use crate::output::error::Error;
    use crate::output::exit::Exit;

    pub fn export(_: &ExportOptions) -> Result<Exit, Error> {
        left_out("export")
    }

    pub fn lint(_: &LintOptions) -> Result<Exit, Error> {
        left_out("lint")
    }

    pub fn lsp() -> Result<Exit, Error> {
        left_out("lsp")
    }

    pub fn perf(_: &PerfOptions) -> Result<Exit, Error> {
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
