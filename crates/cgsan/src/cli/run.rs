//! The options of `cgsan run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::display::DisplayOptions;
use super::selection::SelectionOptions;
use super::{heading, value};

/// The options of `cgsan run`.
#[derive(Debug, Args)]
#[command(override_usage = "cgsan run [OPTIONS] [--] <PROGRAM> [ARGUMENTS]...")]
#[command(after_long_help = EXIT_STATUS)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct RunOptions {
    /// Run on this machine's GPU [default if it has one]
    #[arg(long, conflicts_with_all = ["virtual_gpu", "gpu_memory", "gpus", "values", "no_values", "schedule"], help_heading = heading::RUN_ON)]
    pub gpu: bool,

    /// Run on the virtual GPU, even if there is a real one
    #[arg(long = "virtual", help_heading = heading::RUN_ON)]
    pub virtual_gpu: bool,

    /// Watch the calls to CUDA all the time
    ///
    /// Without it, calls are watched around captures only, so that launches and replays between them cost nothing extra. A
    /// capture that is begun neither by PyTorch nor through the CUDA runtime may then be missed.
    #[arg(long, conflicts_with_all = ["virtual_gpu", "gpu_memory", "gpus", "values", "no_values", "schedule"], help_heading = heading::LOOK_FOR)]
    pub watch_always: bool,

    /// How much memory the virtual GPU has, e.g. 24GB; GB means 1024³ bytes [default: as an H100, 80GB]
    #[arg(long, value_name = "SIZE", value_parser = value::size, help_heading = heading::RUN_ON)]
    pub gpu_memory: Option<u64>,

    /// How many virtual GPUs there are [default: 1, or one for each rank that torchrun starts here]
    #[arg(long, value_name = "COUNT", value_parser = value::gpus, help_heading = heading::RUN_ON)]
    pub gpus: Option<u32>,

    /// Compute nothing on the virtual GPU: for a program that is too large for this machine
    ///
    /// Without it, what PyTorch's operators compute is computed on the CPU, at replays too, at the addresses that were captured, so
    /// wrong numbers come out as on a GPU. Random numbers are CUDA's. Kernels of Triton, and those that `torch.compile` makes, are
    /// computed by Triton's interpreter, which is slow; other kernels that are no operators of PyTorch (CuPy, numba, C++) are not
    /// computed. With it, results of operators are undefined, and large models need no memory for their weights.
    #[arg(long, help_heading = heading::RUN_ON)]
    pub no_values: bool,

    /// What is so without any option: earlier versions had to be asked
    #[arg(long, conflicts_with = "no_values", hide = true)]
    pub values: bool,

    /// When work is done, of all moments that the order of streams and events allows: lazy, eager, random:SEED or race [default:
    /// lazy]
    ///
    /// lazy: when something waits for it, and what was enqueued last first. eager: when it is enqueued. random:SEED: at moments
    /// that follow from a number. A program whose numbers differ between two of them has a race.
    ///
    /// race: runs the program eagerly, then again lazily with its output dropped. Names the first operator with another result,
    /// and the work that nothing orders it with.
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "no_values", value_parser = value::schedule, help_heading = heading::LOOK_FOR)]
    pub schedule: Option<String>,

    /// Compare graphed callables and other graphs with eager runs
    ///
    /// At the calls 1, 2, 3, 4, 8, 16, … of what `torch.cuda.make_graphed_callables` returned, the original runs eagerly on the
    /// same state and inputs, and outputs, gradients and changed state are compared; all of it is put back. What differs is
    /// reported as an error, for --strict too. Of other graphs, what their captured code would do now is compared as with --twin, for
    /// up to half of the run's time, and the report says how many replays of each were compared.
    #[arg(long, conflicts_with = "no_values", help_heading = heading::LOOK_FOR)]
    pub verify: bool,

    /// When to compare what a graph does with what its captured region would do now
    ///
    /// At the first replays of each graph, and then ever more rarely, the body of its `with torch.cuda.graph(…)` block runs again in a copy
    /// of the process that can do nothing to the world and computes nothing, with the state of then. What it would do otherwise than at
    /// the capture is reported. auto: as often as takes little of the program's time. always: at each of these replays.
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = heading::LOOK_FOR)]
    pub twin: Twin,

    /// After how many seconds without progress to say where every thread stands; 0 never
    ///
    /// No progress means that no process of the run computes, and that a call to CUDA or NCCL does not return, that threads wait
    /// for each other, or that a signal stopped the process. What waits for a person, the network, a disk or a child that
    /// computes is left alone. The stacks of all threads, in Python and native, go to standard error at once and into the report.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = value::seconds, help_heading = heading::LOOK_FOR)]
    pub hang_timeout: u32,

    /// What becomes of a program that makes no progress
    #[arg(long, value_name = "ACTION", default_value = "continue", help_heading = heading::LOOK_FOR)]
    pub on_hang: OnHang,

    /// Keep the trace, to show it again with `cgsan report`
    ///
    /// It is written there while the program runs, and is readable whatever ends the program or cgsan. If several processes used
    /// CUDA, the trace of the first one to do so goes to FILE and the others' to FILE.1, FILE.2 and so on. If FILE is a folder, they
    /// go into it as trace-PID.cgsan, and replace none.
    #[arg(long, value_name = "FILE", help_heading = heading::WRITE)]
    pub save: Option<PathBuf>,

    /// How long the trace of a process may become, e.g. 64MB [default: not limited; with `cgsan watch`, 64MB]
    ///
    /// What was recorded first then gives way to what was found in it, while the program runs. The newest quarter or more stays
    /// as it was recorded, and of what was before, the graphs and blocks that are still in use.
    #[arg(long, value_name = "SIZE", value_parser = value::trace_limit, help_heading = heading::WRITE)]
    pub trace_limit: Option<u64>,

    /// Leave the program's arguments out of the trace and of the report
    ///
    /// Without it, they are kept, but for what looks like a secret: `--password=…`, `--api-key …`, keys of known forms, passwords in
    /// addresses.
    #[arg(long, help_heading = heading::WRITE)]
    pub no_arguments: bool,

    /// Exit with status 1 if there are findings, or if nothing was judged, even if the program succeeds
    #[arg(long, help_heading = heading::LOOK_FOR)]
    pub strict: bool,

    /// With --strict: exit with status 0 also if nothing was judged, as where the program captures no CUDA graph
    #[arg(long, requires = "strict", help_heading = heading::LOOK_FOR)]
    pub allow_nothing: bool,

    /// Judge what `pytest --cgsan` has not reported yet, and say nothing if there is nothing to say
    #[arg(long, hide = true)]
    pub untold: bool,

    /// Which findings are reported.
    #[command(flatten)]
    pub selection: SelectionOptions,

    /// How to show what was found.
    #[command(flatten)]
    pub display: DisplayOptions,

    /// The program and its arguments; a Python file is run by the Python of the environment
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// When a captured region is run again beside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Twin {
    /// At no replay
    Never,
    /// While that takes little time
    Auto,
    /// At all replays that are looked at
    Always,
}

/// What becomes of a program that makes no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnHang {
    /// End it, and exit with status 123
    Kill,
    /// Leave it alone
    Continue,
}

/// How long the trace of a process may become that runs for weeks, in bytes.
const OF_WEEKS: u64 = 64 << 20;

impl RunOptions {
    /// The same, with traces that are limited.
    pub fn limited(self) -> RunOptions {
        RunOptions {
            trace_limit: self.trace_limit.or(Some(OF_WEEKS)),
            ..self
        }
    }

    /// Whether the program is run twice, to compare what it computes.
    pub fn looks_for_races(&self) -> bool {
        self.schedule.as_deref() == Some("race")
    }
}

const EXIT_STATUS: &str = "\
Exit status:
  The program's own. If a signal ended the program, the same signal ends cgsan.
  1    with --strict, if the program succeeded and there are findings, or nothing was judged
  2    wrong arguments
  123  the program made no progress and was ended, with `--on-hang kill`
  125  cgsan failed, and the program did not
  126  the program cannot be executed
  127  the program was not found";
