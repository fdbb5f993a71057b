//! What `cgsan` understands on its command line.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use cgsan_diagnose::Part;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::captured::{DiffOptions, GraphOptions};
use crate::export::ExportOptions;
use crate::format::Format;
use crate::gpu::Gpu;
use crate::lint::LintOptions;
use crate::output::{Destination, Standard};
use crate::perf::PerfOptions;
use crate::shell::{CompletionsOptions, ManOptions};
use crate::version;

/// Explains why a CUDA graph of a PyTorch program fails to capture, with or without a GPU.
#[derive(Debug, Parser)]
#[command(version, long_version = version::LONG, max_term_width = 100)]
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
    /// Show the findings of a trace that `cgsan run --save` kept
    Report(ReportOptions),
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
}

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
        Err(error) => {
            error.print();
            error.exit_code()
        }
    }
}

/// The options of `cgsan run`.
#[derive(Debug, Args)]
#[command(override_usage = "cgsan run [OPTIONS] [--] <PROGRAM> [ARGUMENTS]...")]
#[command(after_long_help = RUN_EXIT_STATUS)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct RunOptions {
    /// Run on this machine's GPU [default if it has one]
    #[arg(long, conflicts_with_all = ["virtual_gpu", "gpu_memory", "gpus", "values"])]
    pub gpu: bool,

    /// Run on the virtual GPU, even if there is a real one
    #[arg(long = "virtual")]
    pub virtual_gpu: bool,

    /// Watch the calls to CUDA all the time
    ///
    /// Without it, calls are watched around captures only, so that launches and replays between them cost nothing extra. A
    /// capture that is begun neither by PyTorch nor through the CUDA runtime may then be missed.
    #[arg(long, conflicts_with_all = ["virtual_gpu", "gpu_memory", "gpus", "values"])]
    pub watch_always: bool,

    /// How much memory the virtual GPU has, e.g. 24GB; GB means 1024³ bytes [default: as an H100, 80GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub gpu_memory: Option<u64>,

    /// How many virtual GPUs there are [default: 1, or one for each rank that torchrun starts here]
    #[arg(long, value_name = "COUNT", value_parser = parse_gpus)]
    pub gpus: Option<u32>,

    /// Compute on the virtual GPU what PyTorch's operators compute, on the CPU
    ///
    /// Replays compute too, at the addresses that were captured, so wrong numbers come out as on a GPU. Random numbers are CUDA's.
    /// Kernels of Triton are computed by its interpreter, which is slow; other kernels that are no operators of PyTorch (CuPy,
    /// numba, C++) are not computed. Functions given to `torch.compile` run uncompiled.
    #[arg(long)]
    pub values: bool,

    /// When work is done, of all moments that the order of streams and events allows: lazy, eager, random:SEED or race [default:
    /// lazy]
    ///
    /// lazy: when something waits for it, and what was enqueued last first. eager: when it is enqueued. random:SEED: at moments
    /// that follow from a number. A program whose numbers differ between two of them has a race.
    ///
    /// race: runs the program eagerly, then again lazily with its output dropped. Names the first operator with another result,
    /// and the work that nothing orders it with.
    #[arg(long, value_name = "SCHEDULE", requires = "values", value_parser = parse_schedule)]
    pub schedule: Option<String>,

    /// Compare calls of graphed callables with eager runs
    ///
    /// At the calls 1, 2, 3, 4, 8, 16, … of what `torch.cuda.make_graphed_callables` returned, the original runs eagerly on the
    /// same state and inputs, and outputs, gradients and changed state are compared; all of it is put back. What differs is
    /// reported as an error, for --strict too. Captures by `with torch.cuda.graph(…)` cannot be run again: use
    /// `cgsan.verify(fn, *inputs)` in the program. Turns --values on where the GPU is virtual.
    #[arg(long)]
    pub verify: bool,

    /// After how many seconds without progress to say where every thread stands; 0 never
    ///
    /// No progress means that no process of the run computes, and that a call to CUDA or NCCL does not return, that threads wait
    /// for each other, or that a signal stopped the process. What waits for a person, the network, a disk or a child that
    /// computes is left alone. The stacks of all threads, in Python and native, go to standard error at once and into the report.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub hang_timeout: u32,

    /// What becomes of a program that makes no progress
    #[arg(long, value_name = "ACTION", default_value = "continue")]
    pub on_hang: OnHang,

    /// Keep the trace, to show it again with `cgsan report`
    ///
    /// If several processes used CUDA, the first one's trace goes to FILE and the others' to FILE.1, FILE.2 and so on.
    /// If FILE is a folder, they go into it as trace-PID.cgsan.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Exit with status 1 if there are findings, even if the program succeeds
    #[arg(long)]
    pub strict: bool,

    /// Judge what `pytest --cgsan` has not reported yet, and say nothing if there is nothing to say
    #[arg(long, hide = true)]
    pub untold: bool,

    /// Leave out findings of these failure modes
    #[arg(long, value_name = "IDS", value_delimiter = ',', hide = true)]
    pub allow: Vec<String>,

    /// How to show what was found.
    #[command(flatten)]
    pub display: DisplayOptions,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// What becomes of a program that makes no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnHang {
    /// End it, and exit with status 123
    Kill,
    /// Leave it alone
    Continue,
}

impl RunOptions {
    /// Whether a program on this GPU is given values.
    pub fn values(&self, gpu: Gpu) -> bool {
        self.values || (self.verify && gpu == Gpu::Virtual)
    }

    /// The schedule of the run, or of the first of two.
    ///
    /// With values, work is done late unless asked otherwise: a program that does not wait for what it reads then reads what was
    /// there before, as it may on a GPU. Without values there is nothing that could be late.
    pub fn schedule(&self, gpu: Gpu) -> &str {
        match self.schedule.as_deref() {
            Some("race") => "eager",
            Some(asked) => asked,
            None if self.values(gpu) => "lazy",
            None => "eager",
        }
    }

    /// Whether the program is run twice, to compare what it computes.
    pub fn looks_for_races(&self) -> bool {
        self.schedule.as_deref() == Some("race")
    }
}

const RUN_EXIT_STATUS: &str = "\
Exit status:
  The program's own. If a signal ended the program, the same signal ends cgsan.
  1    with --strict, if there are findings and the program succeeded
  2    wrong arguments
  123  the program made no progress and was ended, with `--on-hang kill`
  125  cgsan failed, and the program did not
  126  the program cannot be executed
  127  the program was not found";

/// The options of `cgsan report`.
#[derive(Debug, Args)]
#[command(after_long_help = REPORT_EXIT_STATUS)]
pub struct ReportOptions {
    /// The traces, or folders with traces, of one run or of many machines
    ///
    /// What several processes did in the same way is one finding that names them all. Traces are read one at a time, so there may
    /// be thousands. In a folder, and in those below, traces are the files named `*.cgsan` or `*.cgsan.NUMBER`.
    #[arg(required = true, value_name = "FILE")]
    pub traces: Vec<PathBuf>,

    /// Show lines of source files below PATH, too [default: this folder and PyTorch's]
    ///
    /// A trace may name any file of this machine: name only what belongs to the program.
    #[arg(long, value_name = "PATH")]
    pub sources: Vec<PathBuf>,

    /// Judge one part of the program by itself: a test that `pytest --cgsan` ran, by its id
    ///
    /// What lasts from before the part is known: its streams, tensors and graphs.
    #[arg(long, value_name = "NAME", conflicts_with = "untold")]
    pub part: Option<String>,

    /// Judge what `pytest --cgsan` has not reported yet
    #[arg(long, hide = true)]
    pub untold: bool,

    /// With --json, give each finding as text, too
    #[arg(long)]
    pub rendered: bool,

    /// Exit with status 1 if there are findings
    #[arg(long)]
    pub strict: bool,

    /// How to show what was found.
    #[command(flatten)]
    pub display: DisplayOptions,
}

impl ReportOptions {
    /// The part of the program to judge, if not the whole.
    pub fn part(&self) -> Option<Part<'_>> {
        let untold = self.untold.then_some(Part::Untold);
        self.part.as_deref().map(Part::Named).or(untold)
    }
}

const REPORT_EXIT_STATUS: &str = "\
Exit status:
  0    the traces were read
  1    with --strict, if there are findings
  2    wrong arguments, or a file that is not a trace";

/// How findings are shown.
#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct DisplayOptions {
    /// How to write what was found
    ///
    /// Best with --output: the program may write to standard error too. To write one run in several formats, keep it with --save
    /// and give it to `cgsan report`.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Write to FILE [default: standard error for `run`, standard output for `report`]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the report to FILE as JSON, too: for `cgsan explain --serve`
    #[arg(long, value_name = "FILE", hide = true)]
    pub also_json: Option<PathBuf>,

    /// Show whole stacks, Python and native
    #[arg(long)]
    pub stack: bool,

    /// Show who holds memory: by pool, by graph and by line, in MiB
    ///
    /// The numbers are those of PyTorch's allocator, before and at the end of each capture, before replays if the reserved
    /// memory has changed, and at the end of the program. On a real GPU, what executable graphs take from the driver is measured
    /// too. With --json, they are in the field `memory`; sarif, github and junit have no place for them.
    #[arg(long)]
    pub memory: bool,

    /// Show what the captures recorded: streams, nodes by kind, edges
    ///
    /// With --json, the field `graphs` has each node, with its stream, its edges and its line, and what happened while the capture
    /// ran. sarif, github, junit and markdown have no place for them.
    #[arg(long)]
    pub graphs: bool,

    /// Draw who held memory when, as a picture (SVG): each pool over time, with the captures and the peaks
    #[arg(long, value_name = "FILE")]
    pub memory_timeline: Option<PathBuf>,

    /// Write a page about the run: findings with their source, what was captured as pictures, memory over time, ranks
    ///
    /// One file of HTML, to be sent to others: it needs no network and no other file. It shows lines of the program's source.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Columns to write into [default: those of the terminal, else 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
}

impl DisplayOptions {
    /// How what was found is to be written.
    pub fn chosen_format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The options of `cgsan explain`.
#[derive(Debug, Args)]
#[command(after_long_help = EXPLAIN_EXIT_STATUS)]
pub struct ExplainOptions {
    /// An id (CG101), a name (host-sync-in-capture), an error code (906, cudaErrorStreamCaptureImplicit), a file with a
    /// traceback or a log, or an error text [default: standard input]
    #[arg(value_name = "WHAT")]
    pub what: Vec<OsString>,

    /// The language of the output [default: that of `LC_ALL`, `LC_MESSAGES` or `LANG`]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Lang>,

    /// Write one JSON object with the candidates instead of text
    #[arg(long)]
    pub json: bool,

    /// Serve a program or an agent: a server of the Model Context Protocol on standard input and output
    ///
    /// Its tools look things up in the catalogue, explain logs, and lint and report on files of this folder and below.
    #[arg(long, conflicts_with_all = ["what", "lang", "json"])]
    pub serve: bool,

    /// With --serve: let the client run any program as you, under `cgsan run`
    #[arg(long, requires = "serve")]
    pub allow_run: bool,

    /// With --serve: the folder whose files may be linted and reported on, and in which programs run [default: this folder]
    #[arg(long, requires = "serve", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// A language that the catalogue is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English
    En,
    /// Chinese
    Zh,
}

const EXPLAIN_EXIT_STATUS: &str = "\
Exit status:
  0    it was explained
  1    nothing in the catalogue matches
  2    wrong arguments, or a file that is not text";

/// The options of `cgsan lsp`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    the editor asked to shut down before it asked to exit\n  1    it did not, or went away"
)]
pub struct LspOptions {
    /// Accepted because clients pass it to servers that also have other transports
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// The options of `cgsan env`.
#[derive(Debug, Args)]
#[command(after_long_help = "Exit status:\n  0    a run would work\n  1    something is missing")]
pub struct EnvironmentOptions {
    /// The Python to look at [default: `python` of PATH, else `python3`]
    #[arg(long, value_name = "PROGRAM")]
    pub python: Option<PathBuf>,

    /// Write one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// The least that PyTorch starts with: its allocator takes segments of 20 MiB.
const LEAST_MEMORY: u64 = 256 << 20;

/// Reads a size such as `80GB`, `512 MiB` or `1073741824`, in bytes.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number
        .parse()
        .map_err(|_| "write a number and a unit, e.g. 80GB".to_owned())?;
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        other => return Err(format!("`{other}` is not a unit; use MB, GB or TB")),
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a size of memory is positive and far below 2^53; beyond, the cast saturates"
    )]
    let bytes = (number * (1u64 << shift) as f64) as u64;
    if bytes < LEAST_MEMORY {
        return Err(format!(
            "too little for PyTorch; at least {}MB",
            LEAST_MEMORY >> 20
        ));
    }
    if bytes > 1 << 50 {
        return Err("more than any GPU has; at most 1024TB".to_owned());
    }
    Ok(bytes)
}

/// Reads when work is to be done.
fn parse_schedule(text: &str) -> Result<String, String> {
    let seed = text.strip_prefix("random:").map(str::parse::<u64>);
    if matches!(text, "eager" | "lazy" | "race") || matches!(seed, Some(Ok(_))) {
        return Ok(text.to_owned());
    }
    Err("write eager, lazy, race or random:SEED, where SEED is a number".to_owned())
}

/// The most virtual GPUs that there can be.
const MOST_GPUS: u32 = 64;

/// Reads how many virtual GPUs there are to be.
fn parse_gpus(text: &str) -> Result<u32, String> {
    let count = text.parse().ok();
    count
        .filter(|count| (1..=MOST_GPUS).contains(count))
        .ok_or_else(|| format!("write a number from 1 to {MOST_GPUS}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_in_the_units_of_gpu_memory() {
        assert_eq!(parse_size("80GB"), Ok(80 << 30));
        assert_eq!(parse_size("512 MiB"), Ok(512 << 20));
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert_eq!(parse_size("1073741824"), Ok(1 << 30));
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        for text in [
            "",
            "GB",
            "80XB",
            "-1GB",
            "1e9",
            "0",
            "1MB",
            "9999999TB",
            "1.2.3GB",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn there_can_be_1_to_64_virtual_gpus() {
        assert_eq!(parse_gpus("1"), Ok(1));
        assert_eq!(parse_gpus("64"), Ok(64));
        for text in ["", "0", "65", "-1", "two", "1.5"] {
            assert!(parse_gpus(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_schedule_is_a_word_or_a_seed() {
        for text in [
            "eager",
            "lazy",
            "race",
            "random:0",
            "random:18446744073709551615",
        ] {
            assert_eq!(parse_schedule(text).as_deref(), Ok(text));
        }
        for text in ["", "Lazy", "random", "random:", "random:x", "random:-1"] {
            assert!(parse_schedule(text).is_err(), "{text}");
        }
        let alone = ["cgsan", "run", "--schedule", "lazy", "python"];
        assert!(Arguments::try_parse_from(alone).is_err());
    }

    #[test]
    fn what_follows_the_program_is_the_programs() {
        let run = |words: &[&str]| match Arguments::parse_from(words).command {
            Command::Run(options) => options,
            other => panic!("{other:?}"),
        };
        let options = run(&[
            "cgsan", "run", "--strict", "python", "a.py", "--json", "-o", "x",
        ]);
        assert!(options.strict && !options.display.json);
        assert_eq!(options.program, ["python", "a.py", "--json", "-o", "x"]);
        let options = run(&["cgsan", "run", "--json", "--", "python", "--", "--strict"]);
        assert!(options.display.json && !options.strict);
        assert_eq!(options.program, ["python", "--", "--strict"]);
        assert!(Arguments::try_parse_from(["cgsan", "run", "--no-such-option", "python"]).is_err());
        assert!(Arguments::try_parse_from(["cgsan", "run"]).is_err());
    }
}
