//! One of every call, and of every kind of work.

use cgsan_model::{
    Call, CaptureMode, Code, CopyKind, Device, EventId, ExecId, FunctionId, GraphId, HostMemory,
    NodeIndex, NodeKind, Restricted, Stream,
};

const STREAM: Stream = Stream::Created(0x5555_0000_1000);
const DEVICE: Device = Device(1);
const EVENT: EventId = EventId(0x5555_0000_2000);
const GRAPH: GraphId = GraphId(0x5555_0000_3000);
const EXEC: ExecId = ExecId(0x5555_0000_4000);

/// Every call; those that carry work or a mode, with each kind of it.
pub(crate) fn calls() -> Vec<Call> {
    let work = nodes().into_iter().map(|node| Call::Work {
        stream: STREAM,
        node,
    });
    let modes = [
        CaptureMode::Global,
        CaptureMode::ThreadLocal,
        CaptureMode::Relaxed,
    ];
    let modes = modes.map(|mode| Call::ThreadExchangeCaptureMode { mode });
    let restricted = restricted().map(Call::Restricted);
    let streams = [Stream::Legacy(DEVICE), Stream::PerThread(Device(0)), STREAM];
    let streams = streams.map(|stream| Call::StreamSynchronize { stream });
    single()
        .into_iter()
        .chain(work)
        .chain(modes)
        .chain(restricted)
        .chain(streams)
        .collect()
}

fn single() -> Vec<Call> {
    let dependencies = || vec![NodeIndex(0), NodeIndex(200)];
    let (stream, event, graph, exec) = (STREAM, EVENT, GRAPH, EXEC);
    vec![
        Call::StreamCreate {
            stream,
            device: DEVICE,
            non_blocking: true,
            priority: -5,
        },
        Call::StreamDestroy { stream },
        Call::StreamQuery { stream },
        Call::StreamWaitEvent {
            stream,
            event,
            external: true,
        },
        Call::StreamIsCapturing { stream },
        Call::StreamGetCaptureInfo { stream },
        Call::StreamGetPriority { stream },
        Call::StreamGetFlags { stream },
        Call::StreamAttachMemory { stream },
        Call::StreamBeginCapture {
            stream,
            mode: CaptureMode::Relaxed,
        },
        Call::StreamEndCapture { stream, graph },
        Call::EventCreate {
            event,
            device: DEVICE,
            timing: true,
        },
        Call::EventDestroy { event },
        Call::EventRecord {
            event,
            stream,
            external: true,
        },
        Call::EventQuery { event },
        Call::EventSynchronize { event },
        Call::EventElapsedTime {
            start: event,
            end: EventId(7),
        },
        Call::DeviceSynchronize { device: DEVICE },
        Call::Prefetch { stream },
        Call::SynchronousWork {
            device: DEVICE,
            node: NodeKind::Empty,
        },
        Call::Unrestricted,
        Call::GraphCreate { graph },
        Call::GraphDestroy { graph },
        Call::GraphInstantiate {
            graph,
            exec,
            auto_free: true,
        },
        Call::GraphExecUpdate { exec, graph },
        Call::GraphExecDestroy { exec },
        Call::GraphLaunch { exec, stream },
        Call::GraphUpload { exec, stream },
        Call::StreamBeginCaptureToGraph {
            stream,
            graph,
            dependencies: dependencies(),
            mode: CaptureMode::ThreadLocal,
        },
        Call::StreamUpdateCaptureDependencies {
            stream,
            dependencies: dependencies(),
            flags: 1,
        },
        Call::CaptureAddNode {
            stream,
            node: NodeKind::Empty,
            dependencies: dependencies(),
        },
        Call::StreamAddCallback { stream },
        Call::FailedLaunch {
            stream,
            code: Code::INVALID_VALUE,
        },
        Call::FreeAllocated { address: 0x7f00 },
        Call::GraphAddNode {
            graph,
            node: NodeKind::Host { function: 6 },
            dependencies: (0..150).map(NodeIndex).collect(),
        },
        Call::GraphAddDependencies {
            graph,
            from: dependencies(),
            to: vec![NodeIndex(5)],
        },
        Call::GraphRemoveDependencies {
            graph,
            from: vec![NodeIndex(5)],
            to: dependencies(),
        },
        Call::GraphDestroyNode {
            graph,
            node: NodeIndex(4),
        },
        Call::GraphClone {
            graph,
            clone: GraphId(8),
        },
        Call::GraphBody {
            graph,
            body: GraphId(9),
        },
        Call::CaptureBody {
            stream,
            body: GraphId(10),
        },
    ]
}

/// Every kind of work.
pub(crate) fn nodes() -> Vec<NodeKind> {
    let copies = [
        CopyKind::HostToDevice(HostMemory::Pageable),
        CopyKind::DeviceToHost(HostMemory::Pinned),
        CopyKind::DeviceToDevice,
        CopyKind::BetweenDevices,
        CopyKind::HostToHost,
    ];
    let copies = copies.map(|kind| NodeKind::Memcpy {
        kind,
        dst: 0x7f00_0000_0000,
        src: 0x5555_0000_0000,
        bytes: 4096,
    });
    let others = [
        NodeKind::Kernel {
            function: FunctionId(0x5555_0000_5000),
            grid: [1, 2, 3],
            block: [128, 5, 6],
            shared: 49152,
        },
        NodeKind::Memset {
            dst: 0x7f00_0000_0000,
            value: 255,
            bytes: 64,
        },
        NodeKind::Host { function: 0x5555 },
        NodeKind::MemAlloc {
            address: 0x7f00,
            bytes: 512,
        },
        NodeKind::MemFree { address: 0x7f00 },
        NodeKind::ChildGraph { graph: GRAPH },
        NodeKind::EventRecord { event: EVENT },
        NodeKind::EventWait { event: EVENT },
        NodeKind::BatchMemOp,
        NodeKind::Conditional,
        NodeKind::Empty,
        NodeKind::MemsetRows {
            dst: 0x7f00_0000_0000,
            value: 1,
            width: 32,
            rows: 9,
        },
    ];
    copies.into_iter().chain(others).collect()
}

fn restricted() -> [Restricted; 12] {
    [
        Restricted::Malloc,
        Restricted::Free,
        Restricted::HostAlloc,
        Restricted::HostFree,
        Restricted::HostRegister,
        Restricted::HostUnregister,
        Restricted::MallocManaged,
        Restricted::MemPoolTrim,
        Restricted::ModuleUnload,
        Restricted::SetLimit,
        Restricted::Profiler,
        Restricted::Other,
    ]
}
