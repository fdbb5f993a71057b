//! The operations of random programs: the calls that each makes. `recorder/operations.cpp` is the other half.

use cgsan_model::{
    Answer, Call, Capture, CaptureMode, CaptureState, Code, CopyKind, Device, EventId, ExecId,
    FunctionId, GraphId, HostMemory, NodeIndex, NodeKind, Restricted, Stream, ThreadId,
};

use crate::built;
use crate::player::Player;
use crate::recording::Op;

/// What came of an operation.
pub enum Performed {
    /// The answer to the call that the recording has the result of.
    Answered(Answer),
    /// The program had nothing to work on, and made no call.
    Nothing,
    /// The operation, or one of its arguments, is not known here.
    Unknown,
}

/// Make the calls of an operation.
pub fn perform(player: &mut Player, op: &Op) -> Performed {
    if op.name == "nop" {
        return Performed::Nothing;
    }
    answer(player, op).map_or(Performed::Unknown, Performed::Answered)
}

fn answer(player: &mut Player, op: &Op) -> Option<Answer> {
    let thread = ThreadId(op.thread);
    match op.name.as_str() {
        "end" | "end_by_driver" => end(player, thread, op),
        "begin_to_graph" => begin_to_graph(player, thread, op),
        "update_capture" => update_capture(player, thread, op),
        "insert" => insert(player, thread, op),
        "instantiate" => instantiate(player, thread, op),
        "graph_create" => create_graph(player, thread, op),
        "malloc_async" => malloc_async(player, thread, op),
        "free_async" | "free_allocated" => free(player, thread, op),
        "graph_add" | "graph_body" | "graph_clone" | "graph_link" | "graph_unlink"
        | "graph_remove_node" => built::answer(player, thread, op),
        "stream_create" => Some(create_and_destroy_stream(player, thread)),
        "stream_replace" => {
            let stream = player.stream(op.a0)?;
            let answer = player.model.call(thread, &Call::StreamDestroy { stream });
            let _ = player.create_stream(thread, op.a0)?;
            Some(answer)
        }
        "event_replace" => {
            let event = player.event(op.a0)?;
            let answer = player.model.call(thread, &Call::EventDestroy { event });
            let _ = player.create_event(thread, op.a0)?;
            Some(answer)
        }
        _ => {
            let call = call_of(player, op)?;
            Some(player.model.call(thread, &call))
        }
    }
}

/// The call of an operation that makes one call and keeps nothing of it.
fn call_of(player: &Player, op: &Op) -> Option<Call> {
    let stream = || player.stream(op.a0);
    let work = |node| stream().map(|stream| Call::Work { stream, node });
    let synchronous = |node| Call::SynchronousWork {
        device: device(op.a0),
        node,
    };
    let call = match op.name.as_str() {
        "begin" | "begin_by_driver" => Call::StreamBeginCapture {
            stream: stream()?,
            mode: mode(op.a1)?,
        },
        "memset" | "memset_by_driver" => work(memset(256))?,
        "memset_rows" => work(memset_rows())?,
        "memset_zero" => work(memset(0))?,
        "memcpy_d2d" | "memcpy_rows" => work(memcpy(CopyKind::DeviceToDevice))?,
        "memcpy_h2d_pinned" => work(memcpy(CopyKind::HostToDevice(HostMemory::Pinned)))?,
        "memcpy_h2d_pageable" => work(memcpy(CopyKind::HostToDevice(HostMemory::Pageable)))?,
        "memcpy_d2h_pageable" => work(memcpy(CopyKind::DeviceToHost(HostMemory::Pageable)))?,
        "host" => work(NodeKind::Host { function: 1 })?,
        "kernel" | "kernel_by_driver" | "kernel_overlapping" => work(kernel())?,
        "write_value" => work(NodeKind::BatchMemOp)?,
        "kernel_bad" | "kernel_bad_by_driver" => Call::FailedLaunch {
            stream: stream()?,
            code: Code::INVALID_VALUE,
        },
        "callback" => Call::StreamAddCallback { stream: stream()? },
        "event_record" | "event_record_ext" | "record_null" => Call::EventRecord {
            event: event(player, op, "record_null")?,
            stream: stream()?,
            external: op.name.ends_with("_ext"),
        },
        "wait_event" | "wait_event_ext" | "wait_null" => Call::StreamWaitEvent {
            stream: stream()?,
            event: event(player, op, "wait_null")?,
            external: op.name.ends_with("_ext"),
        },
        "event_query" => Call::EventQuery {
            event: player.event(op.a0)?,
        },
        "event_sync" => Call::EventSynchronize {
            event: player.event(op.a0)?,
        },
        "event_elapsed" => Call::EventElapsedTime {
            start: player.event(op.a0)?,
            end: player.event(op.a1)?,
        },
        "stream_query" => Call::StreamQuery { stream: stream()? },
        "stream_sync" => Call::StreamSynchronize { stream: stream()? },
        "is_capturing" => Call::StreamIsCapturing { stream: stream()? },
        "get_priority" => Call::StreamGetPriority { stream: stream()? },
        "get_flags" => Call::StreamGetFlags { stream: stream()? },
        "device_sync" => Call::DeviceSynchronize {
            device: device(op.a0),
        },
        "malloc" | "malloc_by_driver" => Call::Restricted(Restricted::Malloc),
        "free" => Call::Restricted(Restricted::Free),
        "host_alloc" => Call::Restricted(Restricted::HostAlloc),
        "free_host" => Call::Restricted(Restricted::HostFree),
        "mem_get_info" | "malloc_zero" | "user_object" | "ipc" | "virtual_memory"
        | "graph_look" => Call::Unrestricted,
        "exchange_mode" => Call::ThreadExchangeCaptureMode { mode: mode(op.a0)? },
        "memset_sync" => synchronous(memset(64)),
        "memcpy_sync" => synchronous(memcpy(CopyKind::HostToDevice(HostMemory::Pageable))),
        "launch" => Call::GraphLaunch {
            exec: player.exec(op.a1)?,
            stream: stream()?,
        },
        "upload" => Call::GraphUpload {
            exec: player.exec(op.a1)?,
            stream: stream()?,
        },
        "exec_update" => Call::GraphExecUpdate {
            exec: player.exec(op.a0)?,
            graph: player.graph(op.a1)?,
        },
        "exec_destroy" => Call::GraphExecDestroy {
            exec: player.exec(op.a0)?,
        },
        "graph_destroy" => Call::GraphDestroy {
            graph: player.graph(op.a0)?,
        },
        _ => return None,
    };
    Some(call)
}

/// A capture into a graph that existed keeps that graph's handle.
fn end(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let stream = player.stream(op.a0)?;
    let graph = GraphId(player.new_handle());
    let answer = player
        .model
        .call(thread, &Call::StreamEndCapture { stream, graph });
    if answer.code.is_success() {
        let existing = player
            .model
            .last_ended()
            .and_then(|(_, capture)| capture.graph());
        player.set_graph(op.a1, existing.unwrap_or(graph))?;
    }
    Some(answer)
}

/// The second argument is the graph, 4 × what to depend on, 16 × the mode.
fn begin_to_graph(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let graph = player.graph(op.a1 % 4)?;
    let count = player.nodes(graph).len();
    let dependencies = match op.a1 / 4 % 4 {
        0 => Vec::new(),
        1 => last(count),
        2 => all(count),
        _ => return None,
    };
    let call = Call::StreamBeginCaptureToGraph {
        stream: player.stream(op.a0)?,
        graph,
        dependencies,
        mode: mode(op.a1 / 16)?,
    };
    Some(player.model.call(thread, &call))
}

fn update_capture(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let stream = player.stream(op.a0)?;
    let count = captured_nodes(player, thread, stream).unwrap_or(0);
    let dependencies = match op.a1 {
        0 | 1 | 7 => Vec::new(),
        2 | 3 => all(count.min(1)),
        4 | 5 => last(count),
        6 => all(count),
        _ => return None,
    };
    let flags = match op.a1 {
        1 | 3 | 5 => 0,
        7 => 7,
        _ => 1,
    };
    let call = Call::StreamUpdateCaptureDependencies {
        stream,
        dependencies,
        flags,
    };
    Some(player.model.call(thread, &call))
}

/// The second argument is the kind of node, and 4 × the graph of a child node.
fn insert(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let stream = player.stream(op.a0)?;
    let node = match op.a1 % 4 {
        0 => NodeKind::Empty,
        1 => NodeKind::ChildGraph {
            graph: player.graph(op.a1 / 4)?,
        },
        2 => NodeKind::Conditional,
        _ => return None,
    };
    let dependencies = player.dependencies(thread, stream).to_vec();
    let add = Call::CaptureAddNode {
        stream,
        node,
        dependencies,
    };
    let answer = player.model.call(thread, &add);
    if !answer.code.is_success() {
        return Some(answer);
    }
    let call = Call::StreamUpdateCaptureDependencies {
        stream,
        dependencies: last(captured_nodes(player, thread, stream)?),
        flags: 1,
    };
    Some(player.model.call(thread, &call))
}

/// How many nodes the unbroken capture of a stream has.
fn captured_nodes(player: &Player, thread: ThreadId, stream: Stream) -> Option<usize> {
    let capture = player
        .model
        .capture(player.model.capture_of(thread, stream)?)?;
    (capture.state() == CaptureState::Active).then(|| Capture::nodes(capture).len())
}

fn instantiate(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let exec = ExecId(player.new_handle());
    let call = Call::GraphInstantiate {
        graph: player.graph(op.a0)?,
        exec,
        auto_free: op.a1 == 1,
    };
    let answer = player.model.call(thread, &call);
    if answer.code.is_success() {
        player.set_exec(op.a0, exec)?;
    }
    Some(answer)
}

fn create_graph(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let graph = GraphId(player.new_handle());
    let answer = player.model.call(thread, &Call::GraphCreate { graph });
    player.set_graph(op.a0, graph)?;
    Some(answer)
}

/// The address is recorded, or made up where an older recording does not have it.
fn malloc_async(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let stream = player.stream(op.a0)?;
    let address = op.extra.as_u64().unwrap_or_else(|| player.new_handle());
    let node = NodeKind::MemAlloc {
        address,
        bytes: 4096,
    };
    let answer = player.model.call(thread, &Call::Work { stream, node });
    if answer.code.is_success() {
        *player.allocated(op.a1)? = Some(address);
    }
    Some(answer)
}

fn free(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let address = op.extra.as_u64().or(*player.allocated(op.a1)?).unwrap_or(0);
    let call = if op.name == "free_async" {
        Call::Work {
            stream: player.stream(op.a0)?,
            node: NodeKind::MemFree { address },
        }
    } else {
        Call::FreeAllocated { address }
    };
    Some(player.model.call(thread, &call))
}

fn create_and_destroy_stream(player: &mut Player, thread: ThreadId) -> Answer {
    let stream = Stream::Created(player.new_handle());
    let create = Call::StreamCreate {
        stream,
        device: Device(0),
        non_blocking: true,
        priority: 0,
    };
    let created = player.model.call(thread, &create);
    if !created.code.is_success() {
        return created;
    }
    player.model.call(thread, &Call::StreamDestroy { stream })
}

fn event(player: &Player, op: &Op, null: &str) -> Option<EventId> {
    if op.name == null {
        Some(EventId(0))
    } else {
        player.event(op.a1)
    }
}

/// A capture mode by its number in recordings.
pub fn mode(index: i64) -> Option<CaptureMode> {
    match index {
        0 => Some(CaptureMode::Global),
        1 => Some(CaptureMode::ThreadLocal),
        2 => Some(CaptureMode::Relaxed),
        _ => None,
    }
}

fn device(index: i64) -> Device {
    Device(u32::from(index == 1))
}

/// The first `count` nodes of a graph.
pub fn all(count: usize) -> Vec<NodeIndex> {
    (0..).map(NodeIndex).take(count).collect()
}

/// The last of `count` nodes, if there is one.
pub fn last(count: usize) -> Vec<NodeIndex> {
    all(count).split_off(count.saturating_sub(1))
}

/// A fill of so many bytes.
pub fn memset(bytes: u64) -> NodeKind {
    NodeKind::Memset {
        dst: 1,
        value: 1,
        bytes,
    }
}

/// Two rows of 32 bytes.
pub fn memset_rows() -> NodeKind {
    NodeKind::MemsetRows {
        dst: 1,
        value: 1,
        width: 32,
        rows: 2,
    }
}

/// A copy of a few bytes.
pub fn memcpy(kind: CopyKind) -> NodeKind {
    NodeKind::Memcpy {
        kind,
        dst: 1,
        src: 2,
        bytes: 256,
    }
}

/// A launch of one thread.
pub fn kernel() -> NodeKind {
    NodeKind::Kernel {
        function: FunctionId(1),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
    }
}
