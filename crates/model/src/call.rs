//! The calls that a capture cares about.

use crate::{Code, Device, EventId, ExecId, GraphId, NodeIndex, NodeKind, Stream};

/// The mode of a capture, or of a thread's attitude to captures (`cudaStreamCaptureMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptureMode {
    /// No thread may make an unsafe call while the capture runs.
    #[default]
    Global,
    /// The capturing thread may not make an unsafe call.
    ThreadLocal,
    /// Unsafe calls are allowed.
    Relaxed,
}

/// One call to CUDA, reduced to what decides its answer.
///
/// Handles that a call creates (a stream, an event, a graph) are named by the caller: the handle that the call returned
/// when it is being replayed, or the one the virtual GPU will hand out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant's text speaks of its fields")]
pub enum Call {
    /// Create a stream on a device.
    StreamCreate {
        stream: Stream,
        device: Device,
        non_blocking: bool,
        priority: i32,
    },
    /// Destroy a stream.
    StreamDestroy { stream: Stream },
    /// Block until a stream is idle.
    StreamSynchronize { stream: Stream },
    /// Ask whether a stream is idle.
    StreamQuery { stream: Stream },
    /// Make a stream wait for an event; `external` is `cudaEventWaitExternal`.
    StreamWaitEvent {
        stream: Stream,
        event: EventId,
        external: bool,
    },
    /// Ask for a stream's capture status (`cudaStreamIsCapturing`).
    StreamIsCapturing { stream: Stream },
    /// Ask for a stream's capture status, id and dependencies (`cudaStreamGetCaptureInfo`).
    StreamGetCaptureInfo { stream: Stream },
    /// Ask for a stream's priority.
    StreamGetPriority { stream: Stream },
    /// Ask for a stream's flags.
    StreamGetFlags { stream: Stream },
    /// Attach managed memory to a stream.
    StreamAttachMemory { stream: Stream },
    /// Begin a capture on its origin stream.
    StreamBeginCapture { stream: Stream, mode: CaptureMode },
    /// End a capture; on success the captured graph gets the name `graph`.
    StreamEndCapture { stream: Stream, graph: GraphId },
    /// Exchange the calling thread's capture mode; the answer carries the old one.
    ThreadExchangeCaptureMode { mode: CaptureMode },

    /// Create an event; `timing` is false with `cudaEventDisableTiming`.
    EventCreate {
        event: EventId,
        device: Device,
        timing: bool,
    },
    /// Destroy an event.
    EventDestroy { event: EventId },
    /// Record an event on a stream; `external` is `cudaEventRecordExternal`.
    EventRecord {
        event: EventId,
        stream: Stream,
        external: bool,
    },
    /// Ask whether an event has happened.
    EventQuery { event: EventId },
    /// Block until an event has happened.
    EventSynchronize { event: EventId },
    /// The time between two events.
    EventElapsedTime { start: EventId, end: EventId },

    /// Block until the device is idle (`cudaDeviceSynchronize`, `cuCtxSynchronize`).
    DeviceSynchronize { device: Device },
    /// Enqueue work on a stream.
    Work { stream: Stream, node: NodeKind },
    /// Prefetch managed memory in stream order.
    Prefetch { stream: Stream },
    /// Work on the legacy stream that the caller waits for (`cudaMemcpy`, `cudaMemset`).
    SynchronousWork { device: Device, node: NodeKind },
    /// A call that a running capture may forbid: allocation, freeing and their kin.
    Restricted(Restricted),
    /// A call that no capture minds: queries of properties, device selection and their kin.
    Unrestricted,

    /// Create an empty graph.
    GraphCreate { graph: GraphId },
    /// Destroy a graph.
    GraphDestroy { graph: GraphId },
    /// Instantiate a graph; on success the executable graph gets the name `exec`. `auto_free` is
    /// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
    GraphInstantiate {
        graph: GraphId,
        exec: ExecId,
        auto_free: bool,
    },
    /// Update an executable graph from a graph.
    GraphExecUpdate { exec: ExecId, graph: GraphId },
    /// Destroy an executable graph.
    GraphExecDestroy { exec: ExecId },
    /// Launch an executable graph on a stream.
    GraphLaunch { exec: ExecId, stream: Stream },
    /// Upload an executable graph's resources.
    GraphUpload { exec: ExecId, stream: Stream },

    /// Begin a capture whose nodes are added to a graph that exists, the first ones behind `dependencies`
    /// (`cudaStreamBeginCaptureToGraph`).
    StreamBeginCaptureToGraph {
        stream: Stream,
        graph: GraphId,
        dependencies: Vec<NodeIndex>,
        mode: CaptureMode,
    },
    /// Change what a capturing stream's next node will depend on (`cudaStreamUpdateCaptureDependencies`, whose `flags`
    /// are 0 to add and 1 to set).
    StreamUpdateCaptureDependencies {
        stream: Stream,
        dependencies: Vec<NodeIndex>,
        flags: u32,
    },
    /// Add a node by hand to the graph that a stream captures into (`cudaGraphAddChildGraphNode` and its kin, on the
    /// graph that `cudaStreamGetCaptureInfo` returned).
    CaptureAddNode {
        stream: Stream,
        node: NodeKind,
        dependencies: Vec<NodeIndex>,
    },
    /// Call a host function the old way (`cudaStreamAddCallback`).
    StreamAddCallback { stream: Stream },
    /// Launch a kernel in a way that the driver refuses with `code` wherever it would be launched: too many threads a
    /// block, too much shared memory.
    FailedLaunch { stream: Stream, code: Code },
    /// Free memory that was allocated in stream order, by a graph or not, as `cudaFree` does.
    FreeAllocated { address: u64 },

    /// Add a node by hand to a graph (`cudaGraphAddKernelNode` and its kin).
    GraphAddNode {
        graph: GraphId,
        node: NodeKind,
        dependencies: Vec<NodeIndex>,
    },
    /// Make the nodes `to` of a graph wait for the nodes `from`, pair by pair.
    GraphAddDependencies {
        graph: GraphId,
        from: Vec<NodeIndex>,
        to: Vec<NodeIndex>,
    },
    /// Make the nodes `to` of a graph no longer wait for the nodes `from`, pair by pair.
    GraphRemoveDependencies {
        graph: GraphId,
        from: Vec<NodeIndex>,
        to: Vec<NodeIndex>,
    },
    /// Remove a node from a graph; the nodes behind it move up by one.
    GraphDestroyNode { graph: GraphId, node: NodeIndex },
    /// Copy a graph; on success the copy gets the name `clone`.
    GraphClone { graph: GraphId, clone: GraphId },
    /// The newest node of a graph is conditional, and runs the graph `body`, which the driver made for it.
    GraphBody { graph: GraphId, body: GraphId },
    /// The same of the graph that a stream captures into.
    CaptureBody { stream: Stream, body: GraphId },
}

impl Call {
    /// Whether the call asks for a capture to begin.
    pub fn begins_capture(&self) -> bool {
        matches!(
            self,
            Call::StreamBeginCapture { .. } | Call::StreamBeginCaptureToGraph { .. }
        )
    }

    /// The stream that is asked to do something, which has to exist. A call that makes one has none, nor has one that speaks of what a
    /// stream captures into.
    pub fn stream(&self) -> Option<Stream> {
        match self {
            Call::StreamDestroy { stream }
            | Call::StreamSynchronize { stream }
            | Call::StreamQuery { stream }
            | Call::StreamWaitEvent { stream, .. }
            | Call::StreamIsCapturing { stream }
            | Call::StreamGetCaptureInfo { stream }
            | Call::StreamGetPriority { stream }
            | Call::StreamGetFlags { stream }
            | Call::StreamAttachMemory { stream }
            | Call::StreamAddCallback { stream }
            | Call::StreamBeginCapture { stream, .. }
            | Call::StreamBeginCaptureToGraph { stream, .. }
            | Call::StreamUpdateCaptureDependencies { stream, .. }
            | Call::StreamEndCapture { stream, .. }
            | Call::EventRecord { stream, .. }
            | Call::Work { stream, .. }
            | Call::FailedLaunch { stream, .. }
            | Call::Prefetch { stream }
            | Call::GraphLaunch { stream, .. }
            | Call::GraphUpload { stream, .. } => Some(*stream),
            Call::StreamCreate { .. }
            | Call::CaptureAddNode { .. }
            | Call::CaptureBody { .. }
            | Call::ThreadExchangeCaptureMode { .. }
            | Call::EventCreate { .. }
            | Call::EventDestroy { .. }
            | Call::EventQuery { .. }
            | Call::EventSynchronize { .. }
            | Call::EventElapsedTime { .. }
            | Call::DeviceSynchronize { .. }
            | Call::SynchronousWork { .. }
            | Call::Restricted(_)
            | Call::Unrestricted
            | Call::GraphCreate { .. }
            | Call::GraphDestroy { .. }
            | Call::GraphInstantiate { .. }
            | Call::GraphExecUpdate { .. }
            | Call::GraphExecDestroy { .. }
            | Call::FreeAllocated { .. }
            | Call::GraphAddNode { .. }
            | Call::GraphAddDependencies { .. }
            | Call::GraphRemoveDependencies { .. }
            | Call::GraphDestroyNode { .. }
            | Call::GraphClone { .. }
            | Call::GraphBody { .. } => None,
        }
    }
}

/// Calls that belong to the *unsafe* class of the capture modes: refused by mode and thread, and exempted by the
/// calling thread's exchanged mode. Source: `rules.jsonl.gz`, recorded on an H100 with driver 580.159.04.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Restricted {
    /// `cudaMalloc` and its variants.
    Malloc,
    /// `cudaFree`, also of a null pointer.
    Free,
    /// `cudaHostAlloc`, `cudaMallocHost`.
    HostAlloc,
    /// `cudaFreeHost`.
    HostFree,
    /// `cudaHostRegister`.
    HostRegister,
    /// `cudaHostUnregister`.
    HostUnregister,
    /// `cudaMallocManaged`.
    MallocManaged,
    /// `cudaMemPoolTrimTo`.
    MemPoolTrim,
    /// `cuModuleUnload`.
    ModuleUnload,
    /// `cudaDeviceSetLimit`.
    SetLimit,
    /// `cudaProfilerStart`, `cudaProfilerStop`.
    Profiler,
    /// Anything else of the class.
    Other,
}
