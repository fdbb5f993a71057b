//! What the watched process is told when recording starts.

use std::path::Path;

use cgsan_trace::written::WrittenPath;
use serde::Deserialize;

/// The configuration of a watched process, read from the JSON that the agent passes to `cgsan_start`.
#[derive(Clone, Debug, Default, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, as the agent and the libraries give it"
)]
pub struct Config {
    /// The folder of this run; the trace becomes `trace-<pid>.cgsan` in it.
    pub run_directory: WrittenPath,
    /// The folder of the agent's own code, which is left out of stacks; empty if unknown.
    #[serde(default)]
    pub agent: String,
    /// The size of the virtual GPU's memory in bytes, if it was asked for.
    #[serde(default)]
    pub gpu_memory: Option<u64>,
    /// How many virtual GPUs there are, if it was asked for.
    #[serde(default)]
    pub gpus: Option<u32>,
    /// Whether the agent computes what operators compute.
    #[serde(default)]
    pub values: bool,
    /// When the virtual GPU does work: `eager`, `lazy` or `random:SEED`; empty if nothing was asked for.
    #[serde(default)]
    pub schedule: String,
    /// The version of CPython, e.g. `3.12.3`.
    #[serde(default)]
    pub python: String,
    /// The version of PyTorch, e.g. `2.11.0+cu130`; empty if unknown.
    #[serde(default)]
    pub torch: String,
    /// The version of CUDA that PyTorch was built for, e.g. `13.0`; empty if unknown.
    #[serde(default)]
    pub cuda: String,
    /// The command line of the program; empty if it is to be left out.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The Python threads that run already: the numbers that the system gave them, and their names.
    #[serde(default)]
    pub threads: Vec<(u32, String)>,
    /// Folders in which PyTorch's wheels may have put CUPTI.
    #[serde(default)]
    pub cupti: Vec<WrittenPath>,
    /// Whether to watch calls to a real GPU all the time, also where nothing that captures is near.
    #[serde(default)]
    pub watch_always: bool,
    /// Whether to measure what executable graphs take from the driver of a real GPU.
    #[serde(default)]
    pub memory: bool,
    /// Whether to note when the program asks for work ([`clock`](crate::clock)).
    #[serde(default)]
    pub clock: bool,
    /// Whether to record; without it, every function of this crate does nothing.
    #[serde(default = "yes")]
    pub record: bool,
    /// The device that serves the process; filled in by the library that serves it, not by the agent.
    #[serde(skip)]
    pub device: String,
    /// Whether that device is the virtual GPU; filled in like `device`.
    #[serde(skip)]
    pub virtual_gpu: bool,
    /// Whether, on a real GPU, all replays and the calls that order them are seen in windows; filled in like `device`.
    #[serde(skip)]
    pub sees_order: bool,
}

impl Config {
    /// The folder of this run.
    pub fn run_directory(&self) -> &Path {
        &self.run_directory.0
    }
}

fn yes() -> bool {
    true
}
