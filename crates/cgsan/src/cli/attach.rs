//! The options of `cgsan attach`.

use std::path::PathBuf;

use clap::Args;

use super::appearance::Appearance;
use super::{heading, value};

/// The options of `cgsan attach`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    the processes were looked at\n  2    wrong arguments, or a process that is gone or is not a Python program\n  125  they may not be looked at, or what was found cannot be written"
)]
pub struct AttachOptions {
    /// The processes, by their ids
    #[arg(required_unless_present = "job", value_name = "PID")]
    pub pids: Vec<u32>,

    /// Look at all ranks of a job on this machine: PID is the launcher, or any of the ranks
    ///
    /// Ranks are told by what `torchrun`, Slurm and MPI put into their environment, by who spawned them
    /// (`torch.multiprocessing`), and as workers of Ray.
    #[arg(long, value_name = "PID", conflicts_with = "pids", help_heading = heading::RUN_ON)]
    pub job: Option<u32>,

    /// Look for so many seconds whether something goes on
    #[arg(long = "for", value_name = "SECONDS", default_value = "5", value_parser = value::delay, help_heading = heading::LOOK_FOR)]
    pub window: f64,

    /// Ask each process, too: pools and who holds memory, graphs, process groups, collectives in flight
    ///
    /// A thread of the process runs a script that reads them and changes nothing. It needs Python 3.14, and a thread that comes to run
    /// Python. Without it, nothing runs in the process.
    #[arg(long, help_heading = heading::LOOK_FOR)]
    pub inside: bool,

    /// Write what is known of each process into FOLDER, for `cgsan report`: dumps of all machines become one report
    #[arg(long, value_name = "FOLDER", help_heading = heading::WRITE)]
    pub dump: Option<PathBuf>,

    /// Write one JSON object
    #[arg(long, help_heading = heading::WRITE)]
    pub json: bool,

    /// Write to FILE [default: standard output]
    #[arg(long, short, value_name = "FILE", help_heading = heading::WRITE)]
    pub output: Option<PathBuf>,

    /// Show whole stacks, Python and native
    #[arg(long, help_heading = heading::WRITE)]
    pub stack: bool,

    /// How text for people looks.
    #[command(flatten)]
    pub appearance: Appearance,
}
