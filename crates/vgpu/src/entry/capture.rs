//! Stream capture.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint};

use cgsan_model::{Call, CaptureInfo, CaptureMode, CaptureStatus, Code, GraphId, Value};
use rustc_hash::FxHashMap;

use crate::api::Function;
use crate::ffi::{In, InOut, Out, entry};
use crate::gpu::{self, StreamHandle, schedule, version};

thread_local! {
    /// The dependencies that the thread asked for last, by stream: the API lends them until the next call
    /// that changes the stream's.
    static LENT: RefCell<FxHashMap<StreamHandle, Lent>> = RefCell::default();
}

/// What a stream's next node waits for.
#[derive(Default)]
struct Lent {
    nodes: Vec<u64>,
    /// What is special about each, a `cudaGraphEdgeData`: nothing, which is zero.
    edges: Vec<u64>,
}

entry! {
    /// Begins a capture.
    fn cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz, cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz(
        this, stream: StreamHandle, mode: c_int,
    ) {
        begin(this, stream, read_mode(mode)?)
    }

    /// Begins a capture in global mode: the first version of the function has no mode.
    fn cuStreamBeginCapture(this, stream: StreamHandle) {
        begin(this, stream, CaptureMode::Global)
    }

    /// Begins a capture whose nodes are added to a graph, the first ones behind some of its nodes.
    fn cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph,
        cuStreamBeginCaptureToGraph_ptsz(
        this, stream: StreamHandle, graph: u64, after: In<u64>, _edges: In<u8>, count: usize, mode: c_int,
    ) {
        let after = after.list(count)?;
        let dependencies = gpu::lock().graph(graph)?.places(&after)?;
        gpu::lock().forbid_while_captured(graph)?;
        let call = Call::StreamBeginCaptureToGraph {
            stream: stream.resolve(this),
            graph: GraphId(graph),
            dependencies,
            mode: read_mode(mode)?,
        };
        gpu::perform(this, &call, |gpu, answer| {
            if let Some(capture) = answer.capture {
                gpu.graphs.begin_capture_to(capture, graph);
            }
            Ok(())
        })
    }

    /// Ends a capture.
    fn cudaStreamEndCapture, cudaStreamEndCapture_ptsz, cuStreamEndCapture, cuStreamEndCapture_ptsz(
        this, stream: StreamHandle, out: Out<u64>,
    ) {
        out.put(0)?;
        let stream = stream.resolve(this);
        let graph = gpu::lock().graph_to_be(stream);
        let call = Call::StreamEndCapture { stream, graph: GraphId(graph) };
        gpu::perform_with_answer(this, &call, |gpu, answer| {
            if let Some(capture) = answer.capture {
                gpu.graphs.settle(&gpu.model, capture);
            }
            Ok(())
        })?;
        out.put(graph)
    }

    /// Writes whether a stream captures.
    fn cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz, cuStreamIsCapturing, cuStreamIsCapturing_ptsz(
        this, stream: StreamHandle, status: Out<c_int>,
    ) {
        let call = Call::StreamIsCapturing { stream: stream.resolve(this) };
        let value = gpu::perform(this, &call, |_, answer| Ok(answer.value))?;
        status.put(match value {
            Value::CaptureStatus(status) => number(status),
            _ => 0,
        })
    }

    /// Writes a stream's status and capture, and from CUDA 13 on also its graph and dependencies.
    fn cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz(
        this, stream: StreamHandle, status: Out<c_int>, id: Out<u64>, graph: Out<u64>,
        dependencies: Out<*const u64>, edges: Out<*const u8>, count: Out<usize>,
    ) {
        let info = info(this, stream)?;
        info.put_status(status, id)?;
        if version::is_13() {
            info.put_graph(stream, graph, dependencies, edges, count);
        }
        Ok(())
    }

    /// Writes a stream's status and capture.
    fn cuStreamGetCaptureInfo(this, stream: StreamHandle, status: Out<c_int>, id: Out<u64>) {
        info(this, stream)?.put_status(status, id)
    }

    /// Writes a stream's status, capture, graph and dependencies.
    fn cudaStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2,
        cuStreamGetCaptureInfo_v2_ptsz(
        this, stream: StreamHandle, status: Out<c_int>, id: Out<u64>, graph: Out<u64>,
        dependencies: Out<*const u64>, count: Out<usize>,
    ) {
        let info = info(this, stream)?;
        info.put_status(status, id)?;
        info.put_graph(stream, graph, dependencies, Out::NOTHING, count);
        Ok(())
    }

    /// Writes a stream's status, capture, graph, dependencies and what is special about these: nothing.
    fn cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
        cuStreamGetCaptureInfo_v3_ptsz(
        this, stream: StreamHandle, status: Out<c_int>, id: Out<u64>, graph: Out<u64>,
        dependencies: Out<*const u64>, edges: Out<*const u8>, count: Out<usize>,
    ) {
        let info = info(this, stream)?;
        info.put_status(status, id)?;
        info.put_graph(stream, graph, dependencies, edges, count);
        Ok(())
    }

    /// Changes what a capturing stream's next node waits for; from CUDA 13 on what is special about these stands before
    /// their number.
    fn cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz(
        this, stream: StreamHandle, dependencies: In<u64>, third: usize, fourth: usize, fifth: c_uint,
    ) {
        let (count, flags) = if version::is_13() {
            (fourth, fifth)
        } else {
            (third, low_half(fourth))
        };
        update_dependencies(this, stream, dependencies, count, flags)
    }

    /// Changes what a capturing stream's next node waits for.
    fn cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz(
        this, stream: StreamHandle, dependencies: In<u64>, count: usize, flags: c_uint,
    ) {
        update_dependencies(this, stream, dependencies, count, flags)
    }

    /// Changes what a capturing stream's next node waits for, and what is special about it.
    fn cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2_ptsz,
        cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz(
        this, stream: StreamHandle, dependencies: In<u64>, _edges: In<u8>, count: usize, flags: c_uint,
    ) {
        update_dependencies(this, stream, dependencies, count, flags)
    }

    /// Exchanges the calling thread's mode.
    fn cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode(this, mode: InOut<c_int>) {
        let call = Call::ThreadExchangeCaptureMode { mode: read_mode(mode.get()?)? };
        if let Value::CaptureMode(old) = gpu::perform(this, &call, |_, answer| Ok(answer.value))? {
            mode.set(old as c_int);
        }
        Ok(())
    }
}

fn begin(this: &Function, stream: StreamHandle, mode: CaptureMode) -> Result<(), Code> {
    let stream = stream.resolve(this);
    // PyTorch fills the state of random numbers just before, and nothing waits for that before its memory is freed.
    schedule::wait_for_stream(stream);
    let call = Call::StreamBeginCapture { stream, mode };
    gpu::perform(this, &call, |gpu, answer| {
        if let Some(capture) = answer.capture {
            gpu.graphs.begin_capture(capture);
        }
        Ok(())
    })
}

fn update_dependencies(
    this: &Function,
    stream: StreamHandle,
    dependencies: In<u64>,
    count: usize,
    flags: c_uint,
) -> Result<(), Code> {
    let stream = stream.resolve(this);
    let handles = dependencies.list(count)?;
    let dependencies = gpu::lock().captured_nodes(stream, &handles)?;
    gpu::call(
        this,
        &Call::StreamUpdateCaptureDependencies {
            stream,
            dependencies,
            flags,
        },
    )
}

/// What a 32-bit argument is in the register of a 64-bit one, whose upper half is undefined.
fn low_half(argument: usize) -> c_uint {
    c_uint::try_from(argument & 0xffff_ffff).unwrap_or_default()
}

/// What a stream's capture is, with the handles by which the program knows it.
struct Info {
    status: CaptureStatus,
    id: u64,
    graph: u64,
    dependencies: Vec<u64>,
}

fn info(this: &Function, stream: StreamHandle) -> Result<Info, Code> {
    let call = Call::StreamGetCaptureInfo {
        stream: stream.resolve(this),
    };
    gpu::perform(this, &call, |gpu, answer| {
        let Value::CaptureInfo(CaptureInfo {
            status,
            id: Some(id),
            dependencies,
        }) = answer.value
        else {
            let status = match answer.value {
                Value::CaptureInfo(info) => info.status,
                _ => CaptureStatus::None,
            };
            return Ok(Info {
                status,
                id: 0,
                graph: 0,
                dependencies: Vec::new(),
            });
        };
        let (graph, dependencies) = gpu.captured_graph(id, &dependencies);
        Ok(Info {
            status,
            id: id.0,
            graph,
            dependencies,
        })
    })
}

impl Info {
    fn put_status(&self, status: Out<c_int>, id: Out<u64>) -> Result<(), Code> {
        id.put_if_wanted(self.id);
        status.put(number(self.status))
    }

    fn put_graph(
        self,
        stream: StreamHandle,
        graph: Out<u64>,
        dependencies: Out<*const u64>,
        edges: Out<*const u8>,
        count: Out<usize>,
    ) {
        graph.put_if_wanted(self.graph);
        count.put_if_wanted(self.dependencies.len());
        if dependencies.is_null() && edges.is_null() {
            return;
        }
        LENT.with_borrow_mut(|lent| {
            let lent = lent.entry(stream).or_default();
            if lent.nodes != self.dependencies {
                lent.edges = vec![0; self.dependencies.len()];
                lent.nodes = self.dependencies;
            }
            dependencies.put_if_wanted(lent.nodes.as_ptr());
            edges.put_if_wanted(lent.edges.as_ptr().cast());
        });
    }
}

/// `cudaStreamCaptureMode`.
fn read_mode(mode: c_int) -> Result<CaptureMode, Code> {
    match mode {
        0 => Ok(CaptureMode::Global),
        1 => Ok(CaptureMode::ThreadLocal),
        2 => Ok(CaptureMode::Relaxed),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// `cudaStreamCaptureStatus`.
fn number(status: CaptureStatus) -> c_int {
    match status {
        CaptureStatus::None => 0,
        CaptureStatus::Active => 1,
        CaptureStatus::Invalidated => 2,
    }
}
