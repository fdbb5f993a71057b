//! What can be seen of a run's processes at one moment, without disturbing them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cgsan_threads::{SystemCall, ThreadStatus, processes_below, threads_of};
use cgsan_trace::waits::{self, Wait};

/// The run at one moment.
#[derive(Clone, Debug)]
pub struct Sample {
    /// When.
    pub at: Instant,
    /// Its processes, without those that have ended.
    pub processes: Vec<ProcessSample>,
}

/// A process at one moment.
#[derive(Clone, Debug, Default)]
pub struct ProcessSample {
    /// Its id.
    pub pid: u32,
    /// Whether its calls to CUDA are recorded.
    pub is_watched: bool,
    /// Whether a debugger traces it.
    pub is_traced: bool,
    /// Whether it handles signals that end it otherwise: another process may wake it by one.
    pub handles_signals: bool,
    /// The calls that have not returned.
    pub waits: Vec<Wait>,
    /// What the virtual GPU computes in it.
    pub computes: Vec<Wait>,
    /// The last read of a truth value that nothing computes, where a place goes on reading it.
    pub decides: Option<Wait>,
    /// Its threads.
    pub threads: Vec<ThreadSample>,
}

/// A thread at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSample {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The letter for its state.
    pub state: char,
    /// How long it ran.
    pub ran: Duration,
    /// The system call that it is in.
    pub system_call: Option<SystemCall>,
}

impl From<ThreadStatus> for ThreadSample {
    fn from(status: ThreadStatus) -> Self {
        Self {
            id: status.id,
            name: status.name,
            state: status.state,
            ran: status.ran,
            system_call: status.system_call,
        }
    }
}

/// Signals by which programs are told to go on or to end, as bits of `SigCgt`: hang-up, the two of users, alarm, termination.
const TELLING: u64 = bit(1) | bit(10) | bit(12) | bit(14) | bit(15);

const fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// Looks at the processes below this one, whose traces are in the folder of a run.
pub fn take(own: u32, folder: &Path) -> Sample {
    let living = processes_below(own)
        .into_iter()
        .filter(|it| it.state != 'Z');
    Sample {
        at: Instant::now(),
        processes: living.map(|it| process(it.pid, folder)).collect(),
    }
}

/// A process that has no table of calls, in which these have not returned.
pub fn of_running(pid: u32, is_watched: bool, waits: Vec<Wait>) -> ProcessSample {
    ProcessSample {
        is_watched,
        waits,
        ..without_calls(pid)
    }
}

fn process(pid: u32, folder: &Path) -> ProcessSample {
    let table = cgsan_files::read(&folder.join(waits::file_name(pid)), waits::LENGTH as u64);
    let is_watched = table.is_ok();
    let waits = table.map(|bytes| waits::parse(&bytes)).unwrap_or_default();
    let (mut decides, waits): (Vec<Wait>, Vec<Wait>) = waits
        .into_iter()
        .partition(|wait| wait.name == waits::UNCOMPUTED);
    let (computes, waits) = waits
        .into_iter()
        .partition(|wait| wait.name == waits::COMPUTES);
    ProcessSample {
        is_watched,
        computes,
        decides: decides.pop(),
        waits,
        ..without_calls(pid)
    }
}

fn without_calls(pid: u32) -> ProcessSample {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default()
    };
    let caught = u64::from_str_radix(field("SigCgt:"), 16).unwrap_or(0);
    ProcessSample {
        pid,
        is_traced: !matches!(field("TracerPid:"), "" | "0"),
        handles_signals: caught & TELLING != 0,
        threads: threads_of(pid)
            .into_iter()
            .map(ThreadSample::from)
            .collect(),
        ..ProcessSample::default()
    }
}
