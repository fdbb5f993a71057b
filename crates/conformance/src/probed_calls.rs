//! The calls that are probed, by the names that recordings give them. `recorder/probed_calls.cpp` is the other half.

use cgsan_model::{
    Call, CaptureMode, Code, CopyKind, Device, EventId, ExecId, GraphId, HostMemory, NodeIndex,
    NodeKind, Restricted, Stream,
};

use crate::operations::{kernel, memcpy, memset};

const DEVICE: Device = Device(0);

/// The streams that captures begin on.
pub const NON_BLOCKING: Stream = Stream::Created(1);
pub const BLOCKING: Stream = Stream::Created(3);
/// The graph that the capture around a probe becomes.
pub const CAPTURED: GraphId = GraphId(5);

const OTHER_NON_BLOCKING: Stream = Stream::Created(2);
const OTHER_BLOCKING: Stream = Stream::Created(4);
const NEW_STREAM: Stream = Stream::Created(5);
const STREAM_TO_DESTROY: Stream = Stream::Created(6);

const EVENT: EventId = EventId(1);
const START: EventId = EventId(2);
const END: EventId = EventId(3);
const NEW_EVENT: EventId = EventId(4);
const EVENT_TO_DESTROY: EventId = EventId(5);
const NO_EVENT: EventId = EventId(0);

const GRAPH: GraphId = GraphId(1);
const OTHER_GRAPH: GraphId = GraphId(2);
const NEW_GRAPH: GraphId = GraphId(3);
const GRAPH_TO_DESTROY: GraphId = GraphId(4);

const EXEC: ExecId = ExecId(1);
const NEW_EXEC: ExecId = ExecId(2);
const EXEC_TO_DESTROY: ExecId = ExecId(3);

/// The calls that make the objects which the probes use: streams, events that happened, graphs, executables.
pub fn preparation() -> Vec<Call> {
    let mut calls = vec![
        create_stream(NON_BLOCKING, true),
        create_stream(OTHER_NON_BLOCKING, true),
        create_stream(BLOCKING, false),
        create_stream(OTHER_BLOCKING, false),
        create_stream(STREAM_TO_DESTROY, true),
        create_event(EVENT, false),
        create_event(START, true),
        create_event(END, true),
        create_event(EVENT_TO_DESTROY, true),
    ];
    calls.extend([EVENT, START, END].map(|event| record(event, OTHER_NON_BLOCKING, false)));
    for graph in [GRAPH, OTHER_GRAPH, GRAPH_TO_DESTROY] {
        let stream = OTHER_NON_BLOCKING;
        let mode = CaptureMode::Relaxed;
        calls.push(Call::StreamBeginCapture { stream, mode });
        calls.push(work(stream, memset(64)));
        calls.push(Call::StreamEndCapture { stream, graph });
    }
    calls.push(instantiate(GRAPH, EXEC));
    calls.push(instantiate(GRAPH_TO_DESTROY, EXEC_TO_DESTROY));
    calls
}

/// The call that a probe makes while `capturing` captures. `None` if the name is not known here.
pub fn call_of(api: &str, capturing: Stream) -> Option<Call> {
    let Some((function, place)) = api.split_once('@') else {
        return call_off_stream(api);
    };
    let stream = match place {
        "capturing" => capturing,
        "other_nonblocking" => OTHER_NON_BLOCKING,
        "other_blocking" if capturing == BLOCKING => OTHER_BLOCKING,
        "other_blocking" => BLOCKING,
        "legacy" => Stream::Legacy(DEVICE),
        "per_thread" => Stream::PerThread(DEVICE),
        _ => return None,
    };
    call_on_stream(function, stream)
}

fn call_on_stream(function: &str, stream: Stream) -> Option<Call> {
    let call = match function {
        "cudaStreamSynchronize" => Call::StreamSynchronize { stream },
        "cudaStreamQuery" => Call::StreamQuery { stream },
        "cudaLaunchKernel" | "cuLaunchKernel" => work(stream, kernel()),
        "cudaLaunchKernel(bad)" | "cuLaunchKernel(bad)" => Call::FailedLaunch {
            stream,
            code: Code::INVALID_VALUE,
        },
        "cudaLaunchHostFunc" => work(stream, NodeKind::Host { function: 1 }),
        "cudaStreamAddCallback" => Call::StreamAddCallback { stream },
        "cudaMemsetAsync" | "cuMemsetD8Async" => work(stream, memset(64)),
        "cudaMemsetAsync(0 bytes)" => work(stream, memset(0)),
        "cudaMemcpyAsync_d2d" | "cudaMemcpy2DAsync_d2d" => {
            work(stream, memcpy(CopyKind::DeviceToDevice))
        }
        "cudaMemcpyAsync_h2d_pinned" | "cuMemcpyHtoDAsync" => {
            work(stream, memcpy(CopyKind::HostToDevice(HostMemory::Pinned)))
        }
        "cudaMemcpyAsync_h2d_pageable" => {
            work(stream, memcpy(CopyKind::HostToDevice(HostMemory::Pageable)))
        }
        "cudaMemcpyAsync_d2h_pageable" => {
            work(stream, memcpy(CopyKind::DeviceToHost(HostMemory::Pageable)))
        }
        "cudaMemcpyAsync_h2h" => work(stream, memcpy(CopyKind::HostToHost)),
        "cudaMallocAsync" | "cudaMallocFromPoolAsync" => work(
            stream,
            NodeKind::MemAlloc {
                address: 0x1000,
                bytes: 4096,
            },
        ),
        "cudaFreeAsync" => work(stream, NodeKind::MemFree { address: 0x2000 }),
        "cuStreamWriteValue32" => work(stream, NodeKind::BatchMemOp),
        "cudaEventRecord" => record(EVENT, stream, false),
        "cudaEventRecord(timing)" => record(START, stream, false),
        "cudaEventRecord(0)" => record(NO_EVENT, stream, false),
        "cudaEventRecordExternal" => record(EVENT, stream, true),
        "cudaStreamWaitEvent(uncaptured)" => wait(stream, END, false),
        "cudaStreamWaitEvent(never recorded)" => wait(stream, EVENT_TO_DESTROY, false),
        "cudaStreamWaitEvent(0)" => wait(stream, NO_EVENT, false),
        "cudaStreamWaitEvent(external)" => wait(stream, END, true),
        "cudaGraphLaunch" => Call::GraphLaunch { exec: EXEC, stream },
        "cudaGraphUpload" => Call::GraphUpload { exec: EXEC, stream },
        "cudaStreamIsCapturing" => Call::StreamIsCapturing { stream },
        "cudaStreamGetCaptureInfo" => Call::StreamGetCaptureInfo { stream },
        "cudaStreamGetPriority" | "cudaStreamCopyAttributes" => Call::StreamGetPriority { stream },
        "cudaStreamGetFlags" | "cudaStreamGetId" => Call::StreamGetFlags { stream },
        "cudaStreamBeginCapture" | "cuStreamBeginCapture" => Call::StreamBeginCapture {
            stream,
            mode: CaptureMode::Global,
        },
        "cudaStreamBeginCaptureToGraph" => Call::StreamBeginCaptureToGraph {
            stream,
            graph: OTHER_GRAPH,
            dependencies: Vec::new(),
            mode: CaptureMode::Global,
        },
        "cudaStreamUpdateCaptureDependencies" => Call::StreamUpdateCaptureDependencies {
            stream,
            dependencies: Vec::<NodeIndex>::new(),
            flags: 0,
        },
        "cudaStreamEndCapture" => Call::StreamEndCapture {
            stream,
            graph: NEW_GRAPH,
        },
        "cudaMemPrefetchAsync" => Call::Prefetch { stream },
        "cudaStreamAttachMemAsync" => Call::StreamAttachMemory { stream },
        _ => return None,
    };
    Some(call)
}

fn call_off_stream(function: &str) -> Option<Call> {
    let copy = |kind| Call::SynchronousWork {
        device: DEVICE,
        node: memcpy(kind),
    };
    let call = match function {
        "cudaMalloc" | "cudaMallocPitch" | "cudaMallocArray" | "cuMemAlloc" => {
            Call::Restricted(Restricted::Malloc)
        }
        "cudaFree" | "cudaFree(0)" | "cuMemFree" => Call::Restricted(Restricted::Free),
        "cudaFree(async memory)" => Call::FreeAllocated { address: 0x2000 },
        "cudaHostAlloc" | "cudaMallocHost" | "cuMemAllocHost" => {
            Call::Restricted(Restricted::HostAlloc)
        }
        "cudaFreeHost" | "cuMemFreeHost" => Call::Restricted(Restricted::HostFree),
        "cudaMallocManaged" | "cuMemAllocManaged" => Call::Restricted(Restricted::MallocManaged),
        "cudaHostRegister" => Call::Restricted(Restricted::HostRegister),
        "cudaHostUnregister" => Call::Restricted(Restricted::HostUnregister),
        "cudaMemPoolTrimTo" => Call::Restricted(Restricted::MemPoolTrim),
        "cudaMemPoolCreate"
        | "cudaMemPoolDestroy"
        | "cudaMemPoolGetAttribute"
        | "cudaMemPoolSetAttribute" => Call::Restricted(Restricted::Other),
        "cudaDeviceSetLimit" => Call::Restricted(Restricted::SetLimit),
        "cudaProfilerStart" | "cudaProfilerStop" => Call::Restricted(Restricted::Profiler),
        "cuModuleUnload" => Call::Restricted(Restricted::ModuleUnload),
        "cudaDeviceSynchronize" | "cuCtxSynchronize" => Call::DeviceSynchronize { device: DEVICE },
        "cudaMemcpy_h2d" | "cudaMemcpy2D" | "cuMemcpyHtoD" => {
            copy(CopyKind::HostToDevice(HostMemory::Pageable))
        }
        "cudaMemcpy_d2h" | "cuMemcpyDtoH" => copy(CopyKind::DeviceToHost(HostMemory::Pageable)),
        "cudaMemcpy_d2d" => copy(CopyKind::DeviceToDevice),
        "cudaMemcpy_h2h" => copy(CopyKind::HostToHost),
        "cudaMemset" | "cuMemsetD8" => Call::SynchronousWork {
            device: DEVICE,
            node: memset(64),
        },
        "cudaStreamCreate" => create_stream(NEW_STREAM, false),
        "cudaStreamCreateNonBlocking" | "cudaStreamCreateWithPriority" => {
            create_stream(NEW_STREAM, true)
        }
        "cudaStreamDestroy(other)" => Call::StreamDestroy {
            stream: STREAM_TO_DESTROY,
        },
        "cudaEventCreate" => create_event(NEW_EVENT, true),
        "cudaEventDestroy" => Call::EventDestroy {
            event: EVENT_TO_DESTROY,
        },
        "cudaEventQuery(uncaptured)" | "cuEventQuery(uncaptured)" => {
            Call::EventQuery { event: EVENT }
        }
        "cudaEventSynchronize(uncaptured)" | "cuEventSynchronize(uncaptured)" => {
            Call::EventSynchronize { event: EVENT }
        }
        "cudaEventElapsedTime(uncaptured)" => Call::EventElapsedTime {
            start: START,
            end: END,
        },
        "cudaGraphInstantiate(other)" => instantiate(OTHER_GRAPH, NEW_EXEC),
        "cudaGraphExecUpdate" => Call::GraphExecUpdate {
            exec: EXEC,
            graph: OTHER_GRAPH,
        },
        "cudaGraphDestroy(other)" => Call::GraphDestroy {
            graph: GRAPH_TO_DESTROY,
        },
        "cudaGraphExecDestroy" => Call::GraphExecDestroy {
            exec: EXEC_TO_DESTROY,
        },
        "cudaGraphCreate" => Call::GraphCreate { graph: NEW_GRAPH },
        _ if UNRESTRICTED.contains(&function) => Call::Unrestricted,
        _ => return None,
    };
    Some(call)
}

/// Calls that no capture minds.
const UNRESTRICTED: &[&str] = &[
    "cudaMalloc(0)",
    "cudaMemGetInfo",
    "cudaPointerGetAttributes",
    "cudaGetDeviceProperties",
    "cudaDeviceGetAttribute",
    "cudaSetDevice",
    "cudaDeviceGetLimit",
    "cudaDeviceGetStreamPriorityRange",
    "cudaMemcpy(0 bytes)",
    "cudaMemset(0 bytes)",
    "cudaDeviceGetDefaultMemPool",
    "cudaDeviceGraphMemTrim",
    "cudaDeviceGetGraphMemAttribute",
    "cudaGraphClone",
    "cudaGraphAddEmptyNode",
    "cudaGraphGetNodes",
    "cudaUserObjectCreate",
    "cudaIpcGetMemHandle",
    "cudaFuncGetAttributes",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaCtxResetPersistingL2Cache",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuLibraryLoadData",
    "cuFuncSetAttribute",
    "cuMemCreate",
    "cuMemAddressReserve",
    "cuMemMap",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuMemRelease",
    "cuMemAddressFree",
    "cuCtxGetCurrent",
    "cuMemGetAddressRange",
    "cuDevicePrimaryCtxGetState",
];

fn create_stream(stream: Stream, non_blocking: bool) -> Call {
    Call::StreamCreate {
        stream,
        device: DEVICE,
        non_blocking,
        priority: 0,
    }
}

fn create_event(event: EventId, timing: bool) -> Call {
    Call::EventCreate {
        event,
        device: DEVICE,
        timing,
    }
}

fn record(event: EventId, stream: Stream, external: bool) -> Call {
    Call::EventRecord {
        event,
        stream,
        external,
    }
}

fn wait(stream: Stream, event: EventId, external: bool) -> Call {
    Call::StreamWaitEvent {
        stream,
        event,
        external,
    }
}

fn instantiate(graph: GraphId, exec: ExecId) -> Call {
    Call::GraphInstantiate {
        graph,
        exec,
        auto_free: false,
    }
}

fn work(stream: Stream, node: NodeKind) -> Call {
    Call::Work { stream, node }
}
