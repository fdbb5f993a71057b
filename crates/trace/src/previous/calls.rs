//! The calls of format 1.

use cgsan_model::{
    Call, CaptureMode, Code, CopyKind, Device, EventId, ExecId, FunctionId, GraphId, HostMemory,
    NodeIndex, NodeKind, Restricted, Stream, ThreadId,
};

use super::{old_enum, unchanged};

unchanged!(
    Code, Device, EventId, ExecId, FunctionId, GraphId, NodeIndex, ThreadId
);

old_enum! { Call {
    0 = StreamCreate { stream, device, non_blocking, priority };
    1 = StreamDestroy { stream };
    2 = StreamSynchronize { stream };
    3 = StreamQuery { stream };
    4 = StreamWaitEvent { stream, event, external };
    5 = StreamIsCapturing { stream };
    6 = StreamGetCaptureInfo { stream };
    7 = StreamGetPriority { stream };
    8 = StreamGetFlags { stream };
    9 = StreamAttachMemory { stream };
    10 = StreamBeginCapture { stream, mode };
    11 = StreamEndCapture { stream, graph };
    12 = ThreadExchangeCaptureMode { mode };
    13 = EventCreate { event, device, timing };
    14 = EventDestroy { event };
    15 = EventRecord { event, stream, external };
    16 = EventQuery { event };
    17 = EventSynchronize { event };
    18 = EventElapsedTime { start, end };
    19 = DeviceSynchronize { device };
    20 = Work { stream, node };
    21 = Prefetch { stream };
    22 = SynchronousWork { device, node };
    23 = Restricted(restricted);
    24 = Unrestricted;
    25 = GraphCreate { graph };
    26 = GraphDestroy { graph };
    27 = GraphInstantiate { graph, exec, auto_free };
    28 = GraphExecUpdate { exec, graph };
    29 = GraphExecDestroy { exec };
    30 = GraphLaunch { exec, stream };
    31 = GraphUpload { exec, stream };
    32 = StreamBeginCaptureToGraph { stream, graph, dependencies, mode };
    33 = StreamUpdateCaptureDependencies { stream, dependencies, flags };
    34 = CaptureAddNode { stream, node, dependencies };
    35 = StreamAddCallback { stream };
    36 = FailedLaunch { stream, code };
    37 = FreeAllocated { address };
    38 = GraphAddNode { graph, node, dependencies };
    39 = GraphAddDependencies { graph, from, to };
    40 = GraphRemoveDependencies { graph, from, to };
    41 = GraphDestroyNode { graph, node };
    42 = GraphClone { graph, clone };
    43 = GraphBody { graph, body };
} }

old_enum! { Stream {
    0 = Legacy(device);
    1 = PerThread(device);
    2 = Created(handle);
} }

old_enum! { CaptureMode {
    0 = Global;
    1 = ThreadLocal;
    2 = Relaxed;
} }

old_enum! { Restricted {
    0 = Malloc;
    1 = Free;
    2 = HostAlloc;
    3 = HostFree;
    4 = HostRegister;
    5 = HostUnregister;
    6 = MallocManaged;
    7 = MemPoolTrim;
    8 = ModuleUnload;
    9 = SetLimit;
    10 = Profiler;
    11 = Other;
} }

old_enum! { NodeKind {
    0 = Kernel { function, grid, block, shared };
    1 = Memcpy { kind, dst, src, bytes };
    2 = Memset { dst, value, bytes };
    3 = Host { function };
    4 = MemAlloc { address, bytes };
    5 = MemFree { address };
    6 = ChildGraph { graph };
    7 = EventRecord { event };
    8 = EventWait { event };
    9 = BatchMemOp;
    10 = Conditional;
    11 = Empty;
    12 = MemsetRows { dst, value, width, rows };
} }

old_enum! { CopyKind {
    0 = HostToDevice(host);
    1 = DeviceToHost(host);
    2 = DeviceToDevice;
    3 = HostToHost;
} }

old_enum! { HostMemory {
    0 = Pageable;
    1 = Pinned;
} }
