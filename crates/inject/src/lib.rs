//! The watcher of a real GPU: a library that NVIDIA's driver loads into the program, and that records the program's calls
//! to CUDA as the virtual GPU does.
//!
//! The driver loads the library named in `CUDA_INJECTION64_PATH` when CUDA starts, and calls its `InitializeInjection`.
//! From there on CUPTI, NVIDIA's interface for profilers, tells of each call to the driver, with its parameters and its
//! result, whoever made it: PyTorch through the runtime, or a library such as cuBLAS. In Python the agent has loaded the
//! same file before, and started the recording.
//!
//! | file | what |
//! |---|---|
//! | `start` | what the agent starts, and then the driver |
//! | `watch` | from a callback of CUPTI to a record |
//! | `subscription` | when CUPTI is subscribed to at all |
//! | `announce` | what is seen of captures to come while it is not |
//! | `executables` | what executable graphs take from the driver |
//! | `aside` | replays, and what orders them, seen by the runtime's functions rather than by CUPTI |
//! | `blocking` | calls that may not return, for the command to see |
//! | `libraries` | functions that stand before those of NVIDIA's libraries |
//! | `gate` | which functions CUPTI tells of: few, unless something captures |
//! | `functions` | the driver's functions: their numbers, their parameters, and the call that each one is |
//! | `foreign` | what the parameters point to |
//! | `graph_nodes` | the places of a graph's nodes, and the graphs that captures add to |
//! | `parameters` | what the driver tells of kernels' parameters |
//! | `followed` | launches in a child that runs a region again |
//! | `cupti` | CUPTI itself: finding it, its interface, and making way for the program's own profiler |
//!
//! A failure inside turns the watcher off, and the report says so. The program never waits for anything but the recorder.
#![deny(unsafe_code)]

mod announce;
mod aside;
mod blocking;
mod cupti;
mod device;
mod driver;
mod executables;
mod followed;
mod foreign;
mod functions;
mod gate;
mod graph_nodes;
mod kernel;
mod libraries;
mod loaded;
mod parameters;
mod pointer;
mod start;
mod subscription;
mod watch;

cgsan_observe::export_cxa_throw!();
cgsan_observe::export_memory_reports!();
cgsan_observe::export_agent_functions!(start::start, || ());
