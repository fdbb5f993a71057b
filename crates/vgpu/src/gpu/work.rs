//! Work: what a stream runs now, and a graph at each launch.

use std::ffi::c_void;
use std::sync::Arc;

use cgsan_model::{Call, CaptureId, Code, NodeKind, Stream};

use super::state::perform;
use crate::api::Function;
use crate::graph::Program;
use crate::memory::{Fill, GraphMemory, Transfer};

/// What a piece of work does when it runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// Nothing that can be seen: a kernel, which does not compute, or an empty node.
    Nothing,
    /// Moves bytes.
    Copy(Transfer),
    /// Fills bytes.
    Fill(Fill),
    /// Calls a function of the program.
    Host(HostFunction),
    /// Takes memory that a graph allocates into use.
    Allocate(Arc<GraphMemory>),
    /// Gives memory that a graph allocated back.
    Free(Arc<GraphMemory>),
    /// Runs an event's record, for `cudaEventElapsedTime`.
    RecordEvent(u64),
    /// Runs a graph inside a graph.
    Graph(Arc<Program>),
}

/// A function of the program, and what it is given (`cudaHostFn_t`).
#[derive(Clone, Copy, Debug)]
pub struct HostFunction {
    /// The function.
    pub function: extern "C-unwind" fn(*mut c_void),
    /// What it is given.
    pub data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program's own function, which the API documents to be called from any
// thread.
unsafe impl Send for HostFunction {}
// SAFETY: as above; nothing here follows the pointer.
unsafe impl Sync for HostFunction {}

impl Work {
    /// Does it.
    pub fn run(&self) {
        match self {
            Work::Nothing => {}
            Work::Copy(transfer) => transfer.run(),
            Work::Fill(fill) => fill.run(),
            Work::Host(host) => (host.function)(host.data),
            Work::Allocate(memory) => memory.take(),
            Work::Free(memory) => memory.give_back(),
            Work::RecordEvent(event) => super::state::lock().events.happened(*event),
            Work::Graph(program) => program.run(),
        }
    }
}

/// Enqueues work on a stream: it becomes a node if the stream captures, and runs at once otherwise.
///
/// Returns the capture that recorded it.
pub fn enqueue(
    function: &Function,
    stream: Stream,
    node: NodeKind,
    work: Work,
) -> Result<Option<CaptureId>, Code> {
    let call = Call::Work { stream, node };
    let captured = perform(function, &call, |gpu, answer| {
        if let Some(capture) = answer.capture {
            gpu.graphs.captured(&gpu.model, capture, work.clone());
        }
        Ok(answer.capture)
    })?;
    if captured.is_none() {
        work.run();
    }
    Ok(captured)
}
