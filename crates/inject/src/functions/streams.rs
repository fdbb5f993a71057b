//! Streams and their captures.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use cgsan_model::{Call, CaptureMode, GraphId, NodeKind, Stream};

use super::shape::{
    BeginCapture, BeginCaptureToGraph, CaptureInfo, EndCapture, ExchangeMode, HostFunction,
    NewPlainStream, NewStream, OfStream, StreamEvent, UpdateDependencies,
    UpdateDependenciesBehindEdges,
};
use super::{Function, Site, functions};
use crate::foreign::Pointer;
use crate::graph_nodes;

pub(super) const FUNCTIONS: &[Function] = functions! {
    Always 124 cuStreamCreate(site, p: NewPlainStream) => create(site, p.out, p.flags, 0);
    Always 367 cuStreamCreateWithPriority(site, p: NewStream) => create(site, p.out, p.flags, p.priority);
    Always 127 cuStreamDestroy(site, p: OfStream) => Call::StreamDestroy { stream: site.stream(p.stream) };
    Always 326 cuStreamDestroy_v2(site, p: OfStream) => Call::StreamDestroy { stream: site.stream(p.stream) };
    Always 295/436 cuStreamWaitEvent(site, p: StreamEvent) => Call::StreamWaitEvent {
        stream: site.stream(p.stream),
        event: cgsan_model::EventId(p.event),
        external: p.flags & EXTERNAL != 0,
    };
    Capturing 126/440 cuStreamSynchronize(site, p: OfStream) => Call::StreamSynchronize { stream: site.stream(p.stream) };
    Capturing 125/439 cuStreamQuery(site, p: OfStream) => Call::StreamQuery { stream: site.stream(p.stream) };
    Capturing 368/434 cuStreamGetPriority(site, p: OfStream) => Call::StreamGetPriority { stream: site.stream(p.stream) };
    Capturing 369/435 cuStreamGetFlags(site, p: OfStream) => Call::StreamGetFlags { stream: site.stream(p.stream) };
    Capturing 377/438 cuStreamAttachMemAsync(site, p: OfStream) => Call::StreamAttachMemory { stream: site.stream(p.stream) };
    Capturing 527/528 cuLaunchHostFunc(site, p: HostFunction) => host(site, p);
    Capturing 346/437 cuStreamAddCallback(site, p: HostFunction) => host(site, p);

    Always 495/496 cuStreamBeginCapture(site, p: OfStream) => Call::StreamBeginCapture {
        stream: site.stream(p.stream),
        mode: CaptureMode::Global,
    };
    Always 539/540 cuStreamBeginCapture_v2(site, p: BeginCapture) => Call::StreamBeginCapture {
        stream: site.stream(p.stream),
        mode: mode(p.mode),
    };
    Always 720/721 cuStreamBeginCaptureToGraph(site, p: BeginCaptureToGraph) => begin_to_graph(site, p);
    Always 497/498 cuStreamEndCapture(site, p: EndCapture) => Call::StreamEndCapture {
        stream: site.stream(p.stream),
        graph: GraphId(site.returned(p.out)),
    };
    Always 541 cuThreadExchangeStreamCaptureMode(site, _: ExchangeMode) => exchange(site);
    Capturing 499/500 cuStreamIsCapturing(site, p: OfStream) => Call::StreamIsCapturing { stream: site.stream(p.stream) };
    Capturing 536/537 cuStreamGetCaptureInfo(site, p: OfStream) => Call::StreamGetCaptureInfo { stream: site.stream(p.stream) };
    Capturing 629/630 cuStreamGetCaptureInfo_v2(site, p: CaptureInfo) => capture_info(site, p);
    Capturing 729/730 cuStreamGetCaptureInfo_v3(site, p: CaptureInfo) => capture_info(site, p);
    Capturing 631/632 cuStreamUpdateCaptureDependencies(site, p: UpdateDependencies) => update_dependencies(site, p);
    Capturing 731/732 cuStreamUpdateCaptureDependencies_v2(site, p: UpdateDependenciesBehindEdges) => {
        let UpdateDependenciesBehindEdges { stream, nodes, count, flags, .. } = *p;
        update_dependencies(site, &UpdateDependencies { stream, nodes, count, flags })
    };
};

/// The functions that begin a capture.
pub const BEGIN_CAPTURE: [u32; 3] = [495, 539, 720];

/// The function that exchanges a thread's mode. What it is given is gone when it ends: it has put the old mode there.
pub const EXCHANGE_MODE: u32 = 541;

/// The mode that a call to [`EXCHANGE_MODE`] is given, as a number, plus one; 0 if none can be read there, which the driver
/// has yet to find out.
///
/// # Safety
///
/// `parameters` are those of such a call.
pub unsafe fn mode_to_exchange(parameters: *const std::ffi::c_void) -> u64 {
    // SAFETY: by the contract of this function.
    let ExchangeMode { mode } = unsafe { parameters.cast::<ExchangeMode>().read_unaligned() };
    let mode = mode.read_unchecked_by_driver();
    mode.map_or(0, |mode| u64::from(mode) + 1)
}

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_STATUS_ACTIVE`.
const ACTIVE: u32 = 1;
/// `CU_EVENT_WAIT_EXTERNAL`, and `CU_EVENT_RECORD_EXTERNAL`.
pub const EXTERNAL: u32 = 1;

fn create(site: &Site, out: Pointer<u64>, flags: u32, priority: i32) -> Call {
    Call::StreamCreate {
        stream: Stream::Created(site.returned(out)),
        device: site.device(),
        non_blocking: flags & NON_BLOCKING != 0,
        priority,
    }
}

fn host(site: &Site, p: &HostFunction) -> Call {
    Call::Work {
        stream: site.stream(p.stream),
        node: NodeKind::Host {
            function: p.function,
        },
    }
}

/// Of a call whose beginning nobody saw, the mode is not known.
fn exchange(site: &Site) -> Call {
    let number = site.noted().and_then(|noted| noted.checked_sub(1));
    match number.and_then(|number| u32::try_from(number).ok()) {
        Some(number) => Call::ThreadExchangeCaptureMode { mode: mode(number) },
        None => Call::Unrestricted,
    }
}

fn begin_to_graph(site: &Site, p: &BeginCaptureToGraph) -> Call {
    let nodes = site.list(p.nodes, p.count);
    let stream = site.stream(p.stream);
    if site.result().is_success() {
        graph_nodes::ask_for(p.graph, stream);
    }
    Call::StreamBeginCaptureToGraph {
        stream,
        graph: GraphId(p.graph),
        dependencies: graph_nodes::places(p.graph, &nodes),
        mode: mode(p.mode),
    }
}

/// Also notes the graph that the stream captures into: the program can add to it, or wait for nodes of it.
fn capture_info(site: &Site, p: &CaptureInfo) -> Call {
    let stream = site.stream(p.stream);
    // Of a stream that does not capture, the driver writes no graph.
    let captures = || site.passed(p.status) == Some(ACTIVE);
    if site.result().is_success() && captures() && !p.graph.is_null() {
        graph_nodes::ask_for(site.returned(p.graph), stream);
    }
    Call::StreamGetCaptureInfo { stream }
}

fn update_dependencies(site: &Site, p: &UpdateDependencies) -> Call {
    let nodes = site.list(p.nodes, p.count);
    Call::StreamUpdateCaptureDependencies {
        stream: site.stream(p.stream),
        dependencies: graph_nodes::places_in_capture(&nodes),
        flags: p.flags,
    }
}

/// `CUstreamCaptureMode`.
fn mode(number: u32) -> CaptureMode {
    match number {
        1 => CaptureMode::ThreadLocal,
        2 => CaptureMode::Relaxed,
        _ => CaptureMode::Global,
    }
}
