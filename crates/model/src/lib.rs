//! Stream-capture semantics of CUDA as a pure state machine.
//!
//! A [`Call`] made by a thread goes in, an [`Answer`] comes out: the code the driver would return, and why.
//! The virtual GPU asks the model what to answer; the diagnosis re-runs recorded calls through the same model to know
//! the state at every moment. The model does no I/O, holds no lock, never panics, and allocates no handle of its own:
//! the caller names every stream, event, graph and executable graph it creates.
//!
//! The rules were read off recordings of a real driver, which the tests re-run: `tests/truth/conformance`, named here
//! `rules.jsonl.gz` and `fuzz.jsonl.gz`, and the project's own `recorder/recordings`. A rule says which recording shows it.
//!
//! | file | rule |
//! |---|---|
//! | `lifetime` | beginning and ending a capture |
//! | `by_hand` | capturing into a graph that exists, with dependencies of the program's choice |
//! | `build` | graphs, built node by node |
//! | `nested` | child graphs, and what conditional nodes run |
//! | `events` | forking and joining; what a captured event cannot do |
//! | `work` | what is captured, done at once, or refused |
//! | `permission` | the unsafe calls: mode × thread × exchanged mode |
//! | `devices` | the legacy stream, and waiting for a device |
//! | `streams` | what a stream tells of its capture |
//! | `exec`, `update`, `state/memory` | executables, and the memory that graphs allocate |
//!
//! `state` is what the driver knows, and names no rule. `shortest` is for whoever holds the model against a driver: it finds the calls that show a contradiction.
//!
//! Handles that no call announced are believed, since a recording may begin late: a stream is then a non-blocking one of
//! device 0, an event was never recorded, a graph or executable can do what it is asked. Destroyed handles are refused.
//!
//! An answer takes the same time however many streams, events and nodes there are. Breaking a capture is one flag on the
//! capture, which its streams look up; ending one visits only its own streams and nodes.
#![forbid(unsafe_code)]

mod answer;
mod build;
mod by_hand;
mod call;
mod code;
mod dependencies;
mod devices;
mod events;
mod exec;
mod handle;
mod lifetime;
mod model;
mod nested;
mod node;
mod permission;
mod reason;
mod shortest;
mod state;
mod streams;
#[cfg(test)]
mod testing;
mod update;
mod work;

pub use answer::{Answer, CaptureInfo, CaptureStatus, UpdateResult, Value};
pub use call::{Call, CaptureMode, Restricted};
pub use code::Code;
pub use dependencies::Dependencies;
pub use handle::{
    CaptureId, Device, EventId, ExecId, FunctionId, GraphId, NodeIndex, Stream, ThreadId,
};
pub use model::Model;
pub use node::{CopyKind, HostMemory, NodeKind};
pub use reason::Reason;
pub use shortest::shortest;
pub use state::capture::{Capture, CaptureState};
pub use state::exec::Exec;
pub use state::graph::{Graph, Node};
pub use update::{Obstacle, Update};
