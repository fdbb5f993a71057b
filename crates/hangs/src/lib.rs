//! Sees when the processes of a run stand still, while they run, and says where each thread is (CG405).
//!
//! | file | what it is |
//! |---|---|
//! | `sample` | what `/proc` and the tables of waits say at one moment |
//! | `judge` | whether the run stands still, from the samples of some time; no I/O |
//! | `suspects` | what only the stacks tell: a debugger, who holds the interpreter's lock |
//! | `native` | what native frames tell: whether a thread waits for a lock of Python's |
//! | `decisions` | whether a loop waits for a truth value that nothing computes |
//! | `words` | what a thread waits for, by the functions of Python's library that it is in |
//! | `account` | the threads with their stacks, as a text and as a finding |
//! | `watch` | the thread that does it all |
//! | `running` | the same for processes that were not started by this command |
//!
//! What counts as standing still is in [`docs/architecture/processes.md`](../../../docs/architecture/processes.md#processes-that-stand-still). A
//! program that is slow for a reason of its own must never be reported: whatever may be progress counts as progress.
#![forbid(unsafe_code)]

mod account;
mod decisions;
mod judge;
mod native;
mod running;
mod sample;
mod suspects;
mod watch;
mod words;

pub use account::Account;
pub use running::{Running, RunningProcess};
pub use watch::{Actions, OnHang, Watch, Watching};
pub use words::awaited;
