//! The calls to CUDA. A new call is a new line here, with the next tag of its area.

use cgsan_model::{Call, CaptureMode, Restricted};

use super::tagged;

tagged! { growing Call {
    // Streams
    1 = StreamCreate { stream, device, non_blocking, priority };
    2 = StreamDestroy { stream };
    3 = StreamSynchronize { stream };
    4 = StreamQuery { stream };
    5 = StreamWaitEvent { stream, event, external };
    6 = StreamGetPriority { stream };
    7 = StreamGetFlags { stream };
    8 = StreamAttachMemory { stream };
    9 = StreamAddCallback { stream };

    // Captures
    16 = StreamBeginCapture { stream, mode };
    17 = StreamEndCapture { stream, graph };
    18 = StreamIsCapturing { stream };
    19 = StreamGetCaptureInfo { stream };
    20 = ThreadExchangeCaptureMode { mode };
    21 = StreamBeginCaptureToGraph { stream, mode, graph, dependencies };
    22 = StreamUpdateCaptureDependencies { stream, flags, dependencies };
    23 = CaptureAddNode { stream, node, dependencies };

    // Events
    32 = EventCreate { event, device, timing };
    33 = EventDestroy { event };
    34 = EventRecord { event, stream, external };
    35 = EventQuery { event };
    36 = EventSynchronize { event };
    37 = EventElapsedTime { start, end };

    // Work and memory
    48 = Work { stream, node };
    49 = SynchronousWork { device, node };
    50 = Prefetch { stream };
    51 = FailedLaunch { stream, code };
    52 = FreeAllocated { address };

    // Graphs
    64 = GraphCreate { graph };
    65 = GraphDestroy { graph };
    66 = GraphAddNode { graph, node, dependencies };
    67 = GraphAddDependencies { graph, from, to };
    68 = GraphRemoveDependencies { graph, from, to };
    69 = GraphDestroyNode { graph, node };
    70 = GraphClone { graph, clone };
    71 = GraphBody { graph, body };
    72 = CaptureBody { stream, body };

    // Executable graphs
    80 = GraphInstantiate { graph, exec, auto_free };
    81 = GraphExecUpdate { exec, graph };
    82 = GraphExecDestroy { exec };
    83 = GraphLaunch { exec, stream };
    84 = GraphUpload { exec, stream };

    // Everything else
    96 = DeviceSynchronize { device };
    97 = Restricted(restricted);
    98 = Unrestricted;
} }

tagged! { enum CaptureMode {
    0 = Global;
    1 = ThreadLocal;
    2 = Relaxed;
} }

tagged! { enum Restricted {
    0 = Other;
    1 = Malloc;
    2 = Free;
    3 = HostAlloc;
    4 = HostFree;
    5 = HostRegister;
    6 = HostUnregister;
    7 = MallocManaged;
    8 = MemPoolTrim;
    9 = ModuleUnload;
    10 = SetLimit;
    11 = Profiler;
} }
