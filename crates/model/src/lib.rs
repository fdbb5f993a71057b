//! Stream-capture semantics of CUDA as a pure state machine.
//!
//! A [`Call`] made by a thread goes in, an [`Answer`] comes out: the code the driver would return, and why.
//! The virtual GPU asks the model what to answer; the diagnosis replays recorded calls through the same model to know
//! the state at every moment. The model does no I/O, holds no lock, never panics, and allocates no handle of its own:
//! the caller names every stream, event, graph and executable graph it creates.

mod call;
mod code;
mod handle;
mod node;

pub use call::{Call, CaptureMode, Restricted};
pub use code::Code;
pub use handle::{Device, EventId, ExecId, FunctionId, GraphId, Stream, ThreadId};
pub use node::{CopyKind, HostMemory, NodeKind};
