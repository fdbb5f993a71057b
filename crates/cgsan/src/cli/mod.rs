//! What `cgsan` understands on its command line.

mod appearance;
mod attach;
mod carry;
mod diff;
mod display;
mod env;
mod explain;
#[cfg(feature = "export")]
mod export;
mod format;
mod graph;
mod heading;
#[cfg(not(all(feature = "export", feature = "lint", feature = "perf")))]
mod left_out;
#[cfg(feature = "lint")]
mod lint;
mod lsp;
#[cfg(feature = "perf")]
mod perf;
mod report;
mod run;
mod selection;
mod shell;
mod summarize;
#[cfg(test)]
mod tests;
mod value;
mod version;

use clap::{Arg, ArgAction, Parser, Subcommand};

pub use appearance::{Appearance, Color};
pub use attach::AttachOptions;
pub use carry::CarryOptions;
pub use diff::DiffOptions;
pub use display::DisplayOptions;
pub use env::EnvironmentOptions;
pub use explain::{ExplainOptions, Lang};
#[cfg(feature = "export")]
pub use export::{ExportFormat, ExportOptions};
pub use format::Format;
pub use graph::GraphOptions;
#[cfg(feature = "lint")]
pub use lint::LintOptions;
pub use lsp::LspOptions;
#[cfg(feature = "perf")]
pub use perf::PerfOptions;
pub use report::ReportOptions;
pub use run::{OnHang, RunOptions, Twin};
pub use selection::SelectionOptions;
pub use shell::{CompletionsOptions, ManOptions};
pub use summarize::SummarizeOptions;

#[cfg(not(feature = "export"))]
pub use left_out::LeftOut as ExportOptions;
#[cfg(not(feature = "lint"))]
pub use left_out::LeftOut as LintOptions;
#[cfg(not(feature = "perf"))]
pub use left_out::LeftOut as PerfOptions;

/// Explains why a CUDA graph of a PyTorch program fails to capture, with or without a GPU.
#[derive(Debug, Parser)]
#[command(long_version = version::LONG, version, max_term_width = 100)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    arg(version_flag()),
    arg(help_flag())
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program on the GPU, or on a virtual one, and explain what goes wrong with its CUDA graphs
    Run(RunOptions),
    /// Run a program for days or weeks: as `run`, with traces that stay short
    #[command(override_usage = "cgsan watch [OPTIONS] [--] <PROGRAM> [ARGUMENTS]...")]
    Watch(RunOptions),
    /// Show the findings of a trace that `cgsan run --save` kept
    Report(ReportOptions),
    /// Keep what is known of each process of traces, for one report with those of other machines
    Summarize(SummarizeOptions),
    /// Say what a program does that already runs: threads, calls that do not return, live graphs, and whether it hangs
    Attach(AttachOptions),
    /// Say what CUDA graphs would gain, and what keeps them from paying
    Perf(PerfOptions),
    /// Write traces that `cgsan run --save` kept for other tools: as tables for DuckDB, Polars, Spark or Ray, or for Perfetto
    Export(ExportOptions),
    /// Compare two captured graphs: nodes, launches, edges, and whether one can be updated to the other
    Diff(DiffOptions),
    /// Show a captured graph, or draw it as a picture (SVG)
    Graph(GraphOptions),
    /// Explain an id, an error or an error text: what it means, why it happens, what to do
    Explain(ExplainOptions),
    /// Find problems with CUDA graphs in source code, without running it
    Lint(LintOptions),
    /// Show the findings of `cgsan lint` in an editor, as you type (Language Server Protocol on standard input and output)
    Lsp(LspOptions),
    /// Check what a run needs on this machine, and what to do about what is missing
    Env(EnvironmentOptions),
    /// Print the completions of a shell
    Completions(CompletionsOptions),
    /// Write the manual pages into a folder
    Man(ManOptions),
    /// Copy traces into a place that may not answer, for `cgsan run`
    #[command(hide = true)]
    Carry(CarryOptions),
}

/// Behind all others under a heading.
const LAST: usize = 1_000;

/// What clap itself would add, under the heading of the others.
fn help_flag() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .global(true)
        .help_heading(heading::GENERAL)
        .display_order(LAST)
        .help("Print a summary of the options; --help explains them")
        .long_help("Print this help; -h prints a summary")
}

fn version_flag() -> Arg {
    Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .help_heading(heading::GENERAL)
        .help("Print the version; --version prints where the build comes from, too")
}
