//! A capture: from its begin to its end.

use crate::{CaptureMode, Node, Stream, ThreadId};

/// A capture's identity within one model, counted from 1; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaptureId(pub u64);

/// Where a capture stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureState {
    /// It records.
    Active,
    /// A call broke it; it records no more, and ending it will yield no graph.
    Invalidated,
    /// It ended, with this code.
    Ended(crate::Code),
}

/// One capture.
#[derive(Clone, Debug)]
pub struct Capture {
    origin: Stream,
    mode: CaptureMode,
    thread: ThreadId,
    state: CaptureState,
    members: Vec<Stream>,
    nodes: Vec<Node>,
}

impl Capture {
    /// The stream it began on, and must end on.
    pub fn origin(&self) -> Stream {
        self.origin
    }

    /// The mode it began with.
    pub fn mode(&self) -> CaptureMode {
        self.mode
    }

    /// The thread that began it.
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Where it stands.
    pub fn state(&self) -> CaptureState {
        self.state
    }

    /// The streams that it captures or captured, the origin first, then in the order they were forked.
    pub fn members(&self) -> &[Stream] {
        &self.members
    }

    /// The nodes recorded so far. Empty once a successful end moved them into the graph.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
