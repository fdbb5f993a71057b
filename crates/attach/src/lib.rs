//! What programs do that were started without cgsan: which processes there are, where their threads are, which calls do not return,
//! which graphs live, and whether they stand still.
//!
//! | file | what it is |
//! |---|---|
//! | `subject` | a process, as the system describes it |
//! | `job` | the processes of a job |
//! | `calls` | the call of a library that a thread is in |
//! | `looked` | two looks, and samples of the time between them |
//! | `inside` | what the process itself says, when it is asked to |
//! | `related` | failure modes that what was seen points to |
//! | `words` | all of it as text |
//! | `told` | all of it for other programs |
//! | `dump` | a process as a summary |
//! | `permission` | what keeps a process from being looked at, and what to set |
//!
//! How it is known what is said, and what cannot be known from outside, is in
//! [`docs/architecture/processes.md`](../../../docs/architecture/processes.md#processes-that-already-run). Nothing of a process is changed, but for
//! [`ask`].
#![forbid(unsafe_code)]

mod calls;
mod dump;
mod inside;
mod job;
mod looked;
mod permission;
mod related;
mod subject;
mod told;
mod words;

pub use calls::{Call, call_of};
pub use dump::summary;
pub use inside::{
    Collective, GraphInside, Group, Inside, LineInside, Memory, PoolInside, ask, growth,
};
pub use job::{Found, of as job_of, started_by};
pub use looked::{Attached, Doing, Looked, is_virtual, look_at};
pub use permission::what_to_set;
pub use related::{of_memory, of_stacks};
pub use subject::{Place, Subject};
pub use told::{ToldGraph, ToldProcess, ToldThread, ToldVariable};
pub use words::{does, missing, refusal, text, time, variable};

/// The failure modes that it finds, by their ids.
pub const FINDS: &[&str] = &["CG405"];
