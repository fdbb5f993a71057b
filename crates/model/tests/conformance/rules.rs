//! `rules.jsonl.gz`: one probe a line, a call made while a stream captures.

use cgsan_model::{
    Answer, Call, CaptureMode, CaptureStatus, Code, CopyKind, Device, EventId, ExecId, GraphId,
    HostMemory, Model, NodeKind, Restricted, Stream, ThreadId, Value,
};
use serde::Deserialize;

use crate::recording::{Score, read};

const RECORDING: &str = "../../tests/truth/conformance/rules.jsonl.gz";

const DEVICE: Device = Device(0);
const OWN: ThreadId = ThreadId(1);
const OTHER: ThreadId = ThreadId(2);

const NON_BLOCKING: Stream = Stream::Created(1);
const OTHER_NON_BLOCKING: Stream = Stream::Created(2);
const BLOCKING: Stream = Stream::Created(3);
const OTHER_BLOCKING: Stream = Stream::Created(4);
const NEW_STREAM: Stream = Stream::Created(5);
const STREAM_TO_DESTROY: Stream = Stream::Created(6);

const EVENT: EventId = EventId(1);
const START: EventId = EventId(2);
const END: EventId = EventId(3);
const NEW_EVENT: EventId = EventId(4);
const EVENT_TO_DESTROY: EventId = EventId(5);

const GRAPH: GraphId = GraphId(1);
const OTHER_GRAPH: GraphId = GraphId(2);
const NEW_GRAPH: GraphId = GraphId(3);
const GRAPH_TO_DESTROY: GraphId = GraphId(4);
const CAPTURED: GraphId = GraphId(5);

const EXEC: ExecId = ExecId(1);
const NEW_EXEC: ExecId = ExecId(2);
const EXEC_TO_DESTROY: ExecId = ExecId(3);

#[derive(Deserialize)]
struct Probe {
    api: String,
    /// The mode of the capture.
    mode: usize,
    /// Whether the thread that began the capture calls, or another.
    thread: String,
    /// The mode of the calling thread.
    exchange: usize,
    capture_stream: String,
    begin: i32,
    rc: i32,
    end: i32,
    /// How many nodes were captured; -1 if there was no graph.
    nodes: i64,
    /// The capture status that the call returned.
    val: Option<String>,
}

#[test]
fn every_call_is_permitted_or_refused_as_recorded() {
    let mut score = Score::default();
    for probe in read::<Probe>(RECORDING) {
        replay(&probe, &mut score);
    }
    score.finish(RECORDING);
}

fn replay(probe: &Probe, score: &mut Score) {
    let at = |what: &str| {
        format!(
            "{} mode {} {} exchange {} on {}: {what}",
            probe.api, probe.mode, probe.thread, probe.exchange, probe.capture_stream
        )
    };
    let mut model = prepared();
    let stream = match probe.capture_stream.as_str() {
        "NB" => NON_BLOCKING,
        _ => BLOCKING,
    };
    let thread = if probe.thread == "own" { OWN } else { OTHER };

    let begin = Call::StreamBeginCapture {
        stream,
        mode: mode(probe.mode),
    };
    score.compare(&model.call(OWN, &begin).code, &Code(probe.begin), || {
        at("begin")
    });
    must(&mut model, &work(stream, memset()));
    let _ = model.call(thread, &exchange(mode(probe.exchange)));
    let answer = model.call(thread, &call_of(&probe.api, stream));
    let _ = model.call(thread, &exchange(CaptureMode::Global));
    score.compare(&answer.code, &Code(probe.rc), || at("code"));
    score.compare(&status_name(&answer), &probe.val.as_deref(), || {
        at("status")
    });

    let graph = CAPTURED;
    let end = model
        .call(OWN, &Call::StreamEndCapture { stream, graph })
        .code;
    score.compare(&end, &Code(probe.end), || at("end"));
    let nodes = if end.is_success() {
        model.graph(graph).map_or(0, |graph| graph.nodes().len())
    } else {
        0
    };
    let recorded = usize::try_from(probe.nodes).unwrap_or(0);
    score.compare(&nodes, &recorded, || at("nodes"));
}

/// A device with the objects that the probes use, and a graph and its executable.
fn prepared() -> Model {
    let mut model = Model::new();
    for (stream, non_blocking) in [
        (NON_BLOCKING, true),
        (OTHER_NON_BLOCKING, true),
        (BLOCKING, false),
        (OTHER_BLOCKING, false),
        (STREAM_TO_DESTROY, true),
    ] {
        must(&mut model, &create_stream(stream, non_blocking));
    }
    for (event, timing) in [
        (EVENT, false),
        (START, true),
        (END, true),
        (EVENT_TO_DESTROY, true),
    ] {
        must(&mut model, &create_event(event, timing));
    }
    for event in [EVENT, START, END] {
        must(&mut model, &record(event, OTHER_NON_BLOCKING, false));
    }
    for graph in [GRAPH, OTHER_GRAPH, GRAPH_TO_DESTROY] {
        let stream = OTHER_NON_BLOCKING;
        let mode = CaptureMode::Relaxed;
        must(&mut model, &Call::StreamBeginCapture { stream, mode });
        must(&mut model, &work(stream, memset()));
        must(&mut model, &Call::StreamEndCapture { stream, graph });
    }
    for (graph, exec) in [(GRAPH, EXEC), (GRAPH_TO_DESTROY, EXEC_TO_DESTROY)] {
        must(&mut model, &instantiate(graph, exec));
    }
    model
}

fn must(model: &mut Model, call: &Call) {
    let answer = model.call(OWN, call);
    assert!(answer.code.is_success(), "{call:?}: {answer:?}");
}

/// The call that a probe makes while `capturing` captures.
fn call_of(api: &str, capturing: Stream) -> Call {
    match api.split_once('@') {
        Some((function, place)) => {
            let stream = match place {
                "capturing" => capturing,
                "other_nonblocking" => OTHER_NON_BLOCKING,
                "other_blocking" if capturing == BLOCKING => OTHER_BLOCKING,
                "other_blocking" => BLOCKING,
                "legacy" => Stream::Legacy(DEVICE),
                "per_thread" => Stream::PerThread(DEVICE),
                _ => panic!("{place}"),
            };
            call_on_stream(function, stream)
        }
        None => call_off_stream(api),
    }
}

fn call_on_stream(function: &str, stream: Stream) -> Call {
    match function {
        "cudaStreamSynchronize" => Call::StreamSynchronize { stream },
        "cudaStreamQuery" => Call::StreamQuery { stream },
        "cudaMemsetAsync" => work(stream, memset()),
        "cudaMemcpyAsync_d2d" => work(stream, memcpy(CopyKind::DeviceToDevice)),
        "cudaMemcpyAsync_h2d_pinned" => {
            work(stream, memcpy(CopyKind::HostToDevice(HostMemory::Pinned)))
        }
        "cudaMemcpyAsync_h2d_pageable" => {
            work(stream, memcpy(CopyKind::HostToDevice(HostMemory::Pageable)))
        }
        "cudaMemcpyAsync_d2h_pageable" => {
            work(stream, memcpy(CopyKind::DeviceToHost(HostMemory::Pageable)))
        }
        "cudaMallocAsync" => work(
            stream,
            NodeKind::MemAlloc {
                address: 0x1000,
                bytes: 4096,
            },
        ),
        "cuStreamWriteValue32" => work(stream, NodeKind::BatchMemOp),
        "cudaEventRecord" => record(EVENT, stream, false),
        "cudaEventRecord(timing)" => record(START, stream, false),
        "cudaEventRecordExternal" => record(EVENT, stream, true),
        "cudaStreamWaitEvent(uncaptured)" => wait(stream, END, false),
        "cudaStreamWaitEvent(external)" => wait(stream, END, true),
        "cudaGraphLaunch" => Call::GraphLaunch { exec: EXEC, stream },
        "cudaGraphUpload" => Call::GraphUpload { exec: EXEC, stream },
        "cudaStreamIsCapturing" => Call::StreamIsCapturing { stream },
        "cudaStreamGetCaptureInfo" => Call::StreamGetCaptureInfo { stream },
        "cudaStreamGetPriority" => Call::StreamGetPriority { stream },
        "cudaStreamGetFlags" => Call::StreamGetFlags { stream },
        "cudaStreamBeginCapture" => Call::StreamBeginCapture {
            stream,
            mode: CaptureMode::Global,
        },
        "cudaStreamEndCapture" => Call::StreamEndCapture {
            stream,
            graph: NEW_GRAPH,
        },
        "cudaMemPrefetchAsync" => Call::Prefetch { stream },
        "cudaStreamAttachMemAsync" => Call::StreamAttachMemory { stream },
        _ => panic!("{function}"),
    }
}

fn call_off_stream(function: &str) -> Call {
    let copy = |kind| Call::SynchronousWork {
        device: DEVICE,
        node: memcpy(kind),
    };
    match function {
        "cudaMalloc" | "cudaMallocPitch" => Call::Restricted(Restricted::Malloc),
        "cudaFree" | "cudaFree(0)" => Call::Restricted(Restricted::Free),
        "cudaHostAlloc" | "cudaMallocHost" => Call::Restricted(Restricted::HostAlloc),
        "cudaFreeHost" => Call::Restricted(Restricted::HostFree),
        "cudaMallocManaged" => Call::Restricted(Restricted::MallocManaged),
        "cudaHostRegister" => Call::Restricted(Restricted::HostRegister),
        "cudaHostUnregister" => Call::Restricted(Restricted::HostUnregister),
        "cudaMemPoolTrimTo" => Call::Restricted(Restricted::MemPoolTrim),
        "cudaDeviceSetLimit" => Call::Restricted(Restricted::SetLimit),
        "cudaProfilerStart" => Call::Restricted(Restricted::Profiler),
        "cuModuleUnload" => Call::Restricted(Restricted::ModuleUnload),
        "cudaDeviceSynchronize" | "cuCtxSynchronize" => Call::DeviceSynchronize { device: DEVICE },
        "cudaMemcpy_h2d" | "cudaMemcpy2D" => copy(CopyKind::HostToDevice(HostMemory::Pageable)),
        "cudaMemcpy_d2h" => copy(CopyKind::DeviceToHost(HostMemory::Pageable)),
        "cudaMemcpy_d2d" => copy(CopyKind::DeviceToDevice),
        "cudaMemset" => Call::SynchronousWork {
            device: DEVICE,
            node: memset(),
        },
        "cudaStreamCreate" => create_stream(NEW_STREAM, false),
        "cudaStreamCreateNonBlocking" => create_stream(NEW_STREAM, true),
        "cudaStreamDestroy(other)" => Call::StreamDestroy {
            stream: STREAM_TO_DESTROY,
        },
        "cudaEventCreate" => create_event(NEW_EVENT, true),
        "cudaEventDestroy" => Call::EventDestroy {
            event: EVENT_TO_DESTROY,
        },
        "cudaEventQuery(uncaptured)" => Call::EventQuery { event: EVENT },
        "cudaEventSynchronize(uncaptured)" => Call::EventSynchronize { event: EVENT },
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
        "cudaMemGetInfo"
        | "cudaPointerGetAttributes"
        | "cudaGetDeviceProperties"
        | "cudaDeviceGetAttribute"
        | "cudaSetDevice"
        | "cudaDeviceGetLimit"
        | "cudaIpcGetMemHandle"
        | "cuModuleLoadData"
        | "cuLibraryLoadData"
        | "cuMemCreate"
        | "cuMemAddressReserve"
        | "cuMemMap"
        | "cuCtxGetCurrent"
        | "cuMemGetAddressRange"
        | "cuDevicePrimaryCtxGetState" => Call::Unrestricted,
        _ => panic!("{function}"),
    }
}

fn status_name(answer: &Answer) -> Option<&'static str> {
    let Value::CaptureStatus(status) = answer.value else {
        return None;
    };
    Some(match status {
        CaptureStatus::None => "cudaStreamCaptureStatusNone",
        CaptureStatus::Active => "cudaStreamCaptureStatusActive",
        CaptureStatus::Invalidated => "cudaStreamCaptureStatusInvalidated",
    })
}

fn mode(index: usize) -> CaptureMode {
    [
        CaptureMode::Global,
        CaptureMode::ThreadLocal,
        CaptureMode::Relaxed,
    ][index]
}

fn exchange(mode: CaptureMode) -> Call {
    Call::ThreadExchangeCaptureMode { mode }
}

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

fn memset() -> NodeKind {
    NodeKind::Memset {
        dst: 1,
        value: 0,
        bytes: 64,
    }
}

fn memcpy(kind: CopyKind) -> NodeKind {
    NodeKind::Memcpy {
        kind,
        dst: 1,
        src: 2,
        bytes: 64,
    }
}
