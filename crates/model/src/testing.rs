//! Short names for the unit tests: a driver with two non-blocking streams and a blocking one.

use crate::{
    Call, CaptureId, CaptureMode, Code, Device, EventId, ExecId, GraphId, Model, NodeIndex,
    NodeKind, Stream, ThreadId,
};

pub(crate) const HERE: ThreadId = ThreadId(1);
pub(crate) const ELSEWHERE: ThreadId = ThreadId(2);
pub(crate) const DEVICE: Device = Device(0);
pub(crate) const A: Stream = Stream::Created(1);
pub(crate) const B: Stream = Stream::Created(2);
pub(crate) const BLOCKING: Stream = Stream::Created(3);
pub(crate) const LEGACY: Stream = Stream::Legacy(DEVICE);
pub(crate) const FORK: EventId = EventId(1);
pub(crate) const JOIN: EventId = EventId(2);
pub(crate) const GRAPH: GraphId = GraphId(1);
pub(crate) const EXEC: ExecId = ExecId(1);
pub(crate) const KERNEL: NodeKind = NodeKind::Empty;

pub(crate) fn driver() -> Model {
    let mut model = Model::new();
    for (stream, non_blocking) in [(A, true), (B, true), (BLOCKING, false)] {
        let create = Call::StreamCreate {
            stream,
            device: DEVICE,
            non_blocking,
            priority: 0,
        };
        model.ok(&create);
    }
    model
}

impl Model {
    /// The code that a call in the main thread of the test gets.
    pub(crate) fn code(&mut self, call: &Call) -> Code {
        self.call(HERE, call).code
    }

    /// Make a call that must succeed. Returns the capture it was part of.
    #[track_caller]
    pub(crate) fn ok(&mut self, call: &Call) -> Option<CaptureId> {
        let answer = self.call(HERE, call);
        assert!(answer.code.is_success(), "{call:?}: {answer:?}");
        answer.capture
    }

    /// Make calls that must succeed.
    #[track_caller]
    pub(crate) fn all_ok(&mut self, calls: &[Call]) {
        for call in calls {
            self.ok(call);
        }
    }

    /// Capture `work` on stream A as `graph`.
    #[track_caller]
    pub(crate) fn captured(&mut self, graph: GraphId, work: &[NodeKind]) {
        self.ok(&begin(A, CaptureMode::Relaxed));
        for node in work {
            self.ok(&enqueue(A, node.clone()));
        }
        self.ok(&end(A, graph));
    }
}

pub(crate) fn begin(stream: Stream, mode: CaptureMode) -> Call {
    Call::StreamBeginCapture { stream, mode }
}

pub(crate) fn end(stream: Stream, graph: GraphId) -> Call {
    Call::StreamEndCapture { stream, graph }
}

pub(crate) fn enqueue(stream: Stream, node: NodeKind) -> Call {
    Call::Work { stream, node }
}

pub(crate) fn record(event: EventId, stream: Stream) -> Call {
    Call::EventRecord {
        event,
        stream,
        external: false,
    }
}

pub(crate) fn wait(stream: Stream, event: EventId) -> Call {
    Call::StreamWaitEvent {
        stream,
        event,
        external: false,
    }
}

/// Fork stream B from a capture on stream A.
pub(crate) fn fork() -> [Call; 2] {
    [record(FORK, A), wait(B, FORK)]
}

/// Join stream B into stream A.
pub(crate) fn join() -> [Call; 2] {
    [record(JOIN, B), wait(A, JOIN)]
}

pub(crate) fn instantiate(graph: GraphId, exec: ExecId) -> Call {
    Call::GraphInstantiate {
        graph,
        exec,
        auto_free: false,
    }
}

pub(crate) fn create(graph: GraphId) -> Call {
    Call::GraphCreate { graph }
}

pub(crate) fn add_to(graph: GraphId, node: NodeKind, after: &[u32]) -> Call {
    Call::GraphAddNode {
        graph,
        node,
        dependencies: nodes(after),
    }
}

pub(crate) fn nodes(indices: &[u32]) -> Vec<NodeIndex> {
    indices.iter().copied().map(NodeIndex).collect()
}

/// Make node `to` wait for node `from`.
pub(crate) fn link(graph: GraphId, from: u32, to: u32) -> Call {
    Call::GraphAddDependencies {
        graph,
        from: nodes(&[from]),
        to: nodes(&[to]),
    }
}

/// Make node `to` no longer wait for node `from`.
pub(crate) fn unlink(graph: GraphId, from: u32, to: u32) -> Call {
    Call::GraphRemoveDependencies {
        graph,
        from: nodes(&[from]),
        to: nodes(&[to]),
    }
}

pub(crate) fn remove_node(graph: GraphId, node: u32) -> Call {
    let node = NodeIndex(node);
    Call::GraphDestroyNode { graph, node }
}

pub(crate) fn begin_to(graph: GraphId, after: &[u32]) -> Call {
    Call::StreamBeginCaptureToGraph {
        stream: A,
        graph,
        dependencies: nodes(after),
        mode: CaptureMode::Relaxed,
    }
}

pub(crate) fn clone(graph: GraphId, clone: GraphId) -> Call {
    Call::GraphClone { graph, clone }
}

pub(crate) fn child(graph: GraphId) -> NodeKind {
    NodeKind::ChildGraph { graph }
}

pub(crate) fn launch(exec: ExecId) -> Call {
    Call::GraphLaunch { exec, stream: B }
}

pub(crate) fn alloc(address: u64) -> NodeKind {
    NodeKind::MemAlloc { address, bytes: 64 }
}

pub(crate) fn free(address: u64) -> NodeKind {
    NodeKind::MemFree { address }
}
