//! Stream-capture semantics of CUDA as a pure state machine.
//!
//! A [`Call`] made by a thread goes in, an [`Answer`] comes out: the code the driver would return, and why.
//! The virtual GPU asks the model what to answer; the diagnosis replays recorded calls through the same model to know
//! the state at every moment. The model does no I/O, holds no lock, never panics, and allocates no handle of its own:
//! the caller names every stream, event, graph and executable graph it creates.
#![forbid(unsafe_code)]

mod answer;
mod call;
mod capture;
mod code;
mod conflicts;
mod dependencies;
mod devices;
mod events;
mod exec;
mod graph;
mod handle;
mod lifetime;
mod memory;
mod model;
mod node;
mod permission;
mod reason;
mod registry;
mod streams;
mod update;
mod work;

pub use answer::{Answer, CaptureInfo, CaptureStatus, UpdateResult, Value};
pub use call::{Call, CaptureMode, Restricted};
pub use capture::{Capture, CaptureId, CaptureState};
pub use code::Code;
pub use dependencies::Dependencies;
pub use exec::Exec;
pub use graph::{Graph, Node, NodeIndex};
pub use handle::{Device, EventId, ExecId, FunctionId, GraphId, Stream, ThreadId};
pub use model::Model;
pub use node::{CopyKind, HostMemory, NodeKind};
pub use reason::Reason;
