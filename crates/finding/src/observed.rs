//! What was recorded of a finding in a program that ran.

use serde::{Deserialize, Serialize};

use crate::{Location, Process};

/// What a run's trace says of a finding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// The call that was refused.
    pub call: Option<CallInfo>,
    /// The thread that made it.
    pub thread: Option<ThreadInfo>,
    /// The capture that failed.
    pub capture: Option<CaptureInfo>,
    /// Later errors that this cause brought about.
    pub consequences: Vec<Consequence>,
    /// The whole Python stack of the cause, innermost frame first.
    pub stack: Vec<Location>,
    /// The native stack of the refused call, innermost frame first, as `file+0xoffset`.
    pub native_stack: Vec<String>,
    /// Where all threads stood, if the run did not go on.
    pub standing: Vec<StandingThread>,
    /// Whether it is about replays, which one line of a program makes of many graphs.
    pub of_replays: bool,
    /// How often it happened, in all processes.
    pub count: usize,
    /// The processes in which it happened, by rank.
    pub processes: Vec<Process>,
}

/// A call to CUDA and what came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallInfo {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: String,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime_function: Option<String>,
    /// The library function it came through, e.g. `cublasCreate_v2`.
    pub library_function: Option<String>,
    /// The code it returned, e.g. 900.
    pub code: i32,
    /// The code's name in the driver API, e.g. `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
    pub name: String,
    /// Why, in the model's words.
    pub reason: Option<String>,
}

/// A thread of the watched process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// The number that `gettid` returns.
    pub id: u32,
    /// Its name, Python's where it has one.
    pub name: Option<String>,
}

/// A thread of a process that did not go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingThread {
    /// The process.
    pub pid: u32,
    /// Its rank, if it has one.
    pub rank: Option<u32>,
    /// The number that `gettid` returns.
    pub id: u32,
    /// Its name, Python's where it has one.
    pub name: String,
    /// What it did, as the kernel sees it: `waits in futex`.
    pub waits_in: String,
    /// Its Python stack, innermost frame first.
    pub stack: Vec<Location>,
    /// Its native stack, innermost frame first.
    pub native_stack: Vec<String>,
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaptureInfo {
    /// The file of the line that began it.
    pub file: Option<String>,
    /// The line that began it.
    pub line: Option<u32>,
    /// `global`, `thread_local` or `relaxed`.
    pub mode: &'static str,
    /// The origin stream, e.g. `stream 7 (non-blocking)`.
    pub stream: String,
    /// The thread that began it.
    pub thread: ThreadInfo,
}

/// An error that followed from a finding's cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consequence {
    /// The failure mode it would be by itself, e.g. `CG190`, if it has one.
    pub id: Option<&'static str>,
    /// What it was: a call with its code, or an exception with its message.
    pub text: String,
    /// Where it surfaced.
    pub location: Option<Location>,
}
