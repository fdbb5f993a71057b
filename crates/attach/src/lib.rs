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
//! | `words` | all of it as text |
//! | `permission` | what keeps a process from being looked at, and what to set |
//!
//! How it is known what is said, and what cannot be known from outside, is in
//! [`docs/architecture.md`](../../../docs/architecture.md#processes-that-already-run). Nothing of a process is changed, but for
//! [`ask`].
#![forbid(unsafe_code)]

mod calls;
mod inside;
mod job;
mod looked;
mod permission;
mod subject;
mod words;

pub use calls::{Call, call_of};
pub use inside::{Collective, GraphInside, Group, Inside, LineInside, Memory, PoolInside, ask};
pub use job::{Found, of as job_of, started_by};
pub use looked::{Attached, Doing, Looked, is_virtual, look_at};
pub use permission::what_to_set;
pub use subject::{Place, Subject};
pub use words::{does, missing, refusal, text, time, variable};
