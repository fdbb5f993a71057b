//! `fuzz.jsonl.gz` and its like: random programs of 1 to 3 threads. After every call the state of three streams was
//! recorded too.

use cgsan_model::{
    Call, CaptureMode, CaptureStatus, Code, CopyKind, Device, EventId, ExecId, Graph, GraphId,
    HostMemory, Model, NodeKind, Restricted, Stream, ThreadId, Value,
};
use serde::Deserialize;

use crate::recording::{Score, read};

const DEVICE: Device = Device(0);

#[derive(Deserialize)]
struct Program {
    seed: u64,
    ops: Vec<Op>,
}

/// One line of a program: thread, operation, two arguments, result, what else came back, and the streams 1 to 3.
#[derive(Deserialize)]
struct Op(
    u32,
    String,
    i64,
    i64,
    i32,
    serde_json::Value,
    Vec<(i32, i32, usize)>,
);

/// A captured graph as it was recorded: `cudaGraphNodeType` of each node, and the edges, ascending.
#[derive(Debug, Deserialize, PartialEq)]
struct RecordedGraph {
    nodes: Vec<i32>,
    edges: Vec<(usize, usize)>,
}

#[test]
fn random_programs() {
    check("../../tests/truth/conformance/fuzz.jsonl.gz", Timing::None);
}

#[test]
fn random_programs_that_allocate() {
    check("tests/recordings/memory.jsonl.gz", Timing::LastTwo);
}

#[test]
fn random_programs_that_fork() {
    check("tests/recordings/forks.jsonl.gz", Timing::LastTwo);
}

#[test]
fn random_programs_that_instantiate() {
    check("tests/recordings/executables.jsonl.gz", Timing::LastTwo);
}

/// Which of the four events were created with timing.
#[derive(Clone, Copy, PartialEq)]
enum Timing {
    None,
    LastTwo,
}

fn check(recording: &str, timing: Timing) {
    let mut score = Score::default();
    for program in read::<Program>(recording) {
        replay(&program, timing, &mut score);
    }
    score.finish(recording);
}

fn replay(program: &Program, timing: Timing, score: &mut Score) {
    let mut driver = Driver::new(timing);
    for (position, op) in program.ops.iter().enumerate() {
        let Op(thread, name, .., code, extra, streams) = op;
        let at = |what: &str| format!("seed {} op {position} {name}: {what}", program.seed);
        let Some(answer) = driver.perform(op) else {
            assert_eq!(name, "nop", "unknown operation");
            continue;
        };
        score.compare(&answer.code, &Code(*code), || at("code"));
        match &answer.value {
            Value::CaptureMode(mode) => {
                score.compare(&Some(*mode as i64), &extra.as_i64(), || at("mode"));
            }
            Value::CaptureStatus(status) => {
                score.compare(&Some(*status as i64), &extra.as_i64(), || at("status"));
            }
            Value::Update(result) => {
                score.compare(&Some(*result as i64), &extra.as_i64(), || at("update"));
            }
            _ => {}
        }
        if name == "end" {
            let recorded = serde_json::from_value::<RecordedGraph>(extra.clone()).ok();
            let captured = answer.code.is_success().then(|| driver.graph(op.3));
            score.compare(&captured, &recorded, || at("graph"));
        }
        for (stream, recorded) in (1..).zip(streams) {
            let state = driver.stream_state(ThreadId(*thread), stream);
            score.compare(&state, recorded, || at(&format!("stream {stream}")));
        }
    }
}

/// A model, and the handles that the recorded program kept in its variables.
struct Driver {
    model: Model,
    execs: [u64; 3],
    handles: u64,
    async_memory: [u64; 2],
}

impl Driver {
    fn new(timing: Timing) -> Driver {
        let mut driver = Driver {
            model: Model::new(),
            execs: [0; 3],
            handles: 100,
            async_memory: [0; 2],
        };
        let main = ThreadId(u32::MAX);
        for (handle, non_blocking) in [(1, true), (2, true), (3, false)] {
            let call = Call::StreamCreate {
                stream: Stream::Created(handle),
                device: DEVICE,
                non_blocking,
                priority: 0,
            };
            assert!(driver.model.call(main, &call).code.is_success());
        }
        for event in 0..4 {
            let call = Call::EventCreate {
                event: event_id(event),
                device: DEVICE,
                timing: timing == Timing::LastTwo && event >= 2,
            };
            assert!(driver.model.call(main, &call).code.is_success());
        }
        driver
    }

    /// Make the calls of one operation. The answer is that of the recorded one; `None` if there was none.
    fn perform(&mut self, op: &Op) -> Option<cgsan_model::Answer> {
        let &Op(thread, ref name, a0, a1, _, ref extra, _) = op;
        let address = extra.as_u64();
        let thread = ThreadId(thread);
        let stream = || stream(a0);
        let work = |node| Call::Work {
            stream: stream(),
            node,
        };
        let call = match name.as_str() {
            "begin" => Call::StreamBeginCapture {
                stream: stream(),
                mode: mode(a1),
            },
            "end" => Call::StreamEndCapture {
                stream: stream(),
                graph: graph_id(a1),
            },
            "memset" => work(memset()),
            "memcpy_d2d" => work(memcpy(CopyKind::DeviceToDevice)),
            "memcpy_h2d_pinned" => work(memcpy(CopyKind::HostToDevice(HostMemory::Pinned))),
            "memcpy_h2d_pageable" => work(memcpy(CopyKind::HostToDevice(HostMemory::Pageable))),
            "memcpy_d2h_pageable" => work(memcpy(CopyKind::DeviceToHost(HostMemory::Pageable))),
            "host" => work(NodeKind::Host { function: 1 }),
            "event_record" | "event_record_ext" => Call::EventRecord {
                event: event_id(a1),
                stream: stream(),
                external: name.ends_with("_ext"),
            },
            "wait_event" | "wait_event_ext" => Call::StreamWaitEvent {
                stream: stream(),
                event: event_id(a1),
                external: name.ends_with("_ext"),
            },
            "event_query" => Call::EventQuery {
                event: event_id(a0),
            },
            "event_sync" => Call::EventSynchronize {
                event: event_id(a0),
            },
            "event_elapsed" => Call::EventElapsedTime {
                start: event_id(a0),
                end: event_id(a1),
            },
            "stream_query" => Call::StreamQuery { stream: stream() },
            "stream_sync" => Call::StreamSynchronize { stream: stream() },
            "is_capturing" => Call::StreamIsCapturing { stream: stream() },
            "device_sync" => Call::DeviceSynchronize { device: DEVICE },
            "malloc" => Call::Restricted(Restricted::Malloc),
            "free" => Call::Restricted(Restricted::Free),
            "host_alloc" => Call::Restricted(Restricted::HostAlloc),
            "free_host" => Call::Restricted(Restricted::HostFree),
            "mem_get_info" => Call::Unrestricted,
            "exchange_mode" => Call::ThreadExchangeCaptureMode { mode: mode(a0) },
            "memset_sync" => Call::SynchronousWork {
                device: DEVICE,
                node: memset(),
            },
            "memcpy_sync" => Call::SynchronousWork {
                device: DEVICE,
                node: memcpy(CopyKind::HostToDevice(HostMemory::Pageable)),
            },
            "stream_create" => return Some(self.create_and_destroy_stream(thread)),
            "malloc_async" => return Some(self.malloc_async(thread, stream(), slot(a1), address)),
            "free_async" => return Some(self.free_async(thread, stream(), slot(a1), address)),
            "instantiate" => return Some(self.instantiate(thread, a0, a1 == 1)),
            "launch" => Call::GraphLaunch {
                exec: self.exec(a1),
                stream: stream(),
            },
            "exec_update" => Call::GraphExecUpdate {
                exec: self.exec(a0),
                graph: graph_id(a1),
            },
            "exec_destroy" => Call::GraphExecDestroy {
                exec: self.exec(a0),
            },
            "graph_destroy" => Call::GraphDestroy {
                graph: graph_id(a0),
            },
            _ => return None,
        };
        Some(self.model.call(thread, &call))
    }

    fn create_and_destroy_stream(&mut self, thread: ThreadId) -> cgsan_model::Answer {
        let stream = Stream::Created(self.new_handle());
        let create = Call::StreamCreate {
            stream,
            device: DEVICE,
            non_blocking: true,
            priority: 0,
        };
        let answer = self.model.call(thread, &create);
        assert!(answer.code.is_success());
        self.model.call(thread, &Call::StreamDestroy { stream })
    }

    fn malloc_async(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        slot: usize,
        address: Option<u64>,
    ) -> cgsan_model::Answer {
        let address = address.unwrap_or_else(|| self.new_handle());
        let node = NodeKind::MemAlloc {
            address,
            bytes: 1 << 16,
        };
        let answer = self.model.call(thread, &Call::Work { stream, node });
        if answer.code.is_success() {
            self.async_memory[slot] = address;
        }
        answer
    }

    fn free_async(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        slot: usize,
        address: Option<u64>,
    ) -> cgsan_model::Answer {
        let address = address.unwrap_or(self.async_memory[slot]);
        let node = NodeKind::MemFree { address };
        self.model.call(thread, &Call::Work { stream, node })
    }

    fn instantiate(
        &mut self,
        thread: ThreadId,
        graph: i64,
        auto_free: bool,
    ) -> cgsan_model::Answer {
        let exec = self.new_handle();
        let call = Call::GraphInstantiate {
            graph: graph_id(graph),
            exec: ExecId(exec),
            auto_free,
        };
        let answer = self.model.call(thread, &call);
        if answer.code.is_success() {
            self.execs[slot(graph)] = exec;
        }
        answer
    }

    fn exec(&self, index: i64) -> ExecId {
        ExecId(self.execs[slot(index)])
    }

    /// What the recording keeps of a stream: the result of asking, the status, the number of dependencies.
    fn stream_state(&mut self, thread: ThreadId, stream: u64) -> (i32, i32, usize) {
        let call = Call::StreamGetCaptureInfo {
            stream: Stream::Created(stream),
        };
        let answer = self.model.call(thread, &call);
        match answer.value {
            Value::CaptureInfo(info) => (
                answer.code.0,
                info.status as i32,
                if info.status == CaptureStatus::Active {
                    info.dependencies.len()
                } else {
                    0
                },
            ),
            other => panic!("a stream's state is {other:?}"),
        }
    }

    fn graph(&self, index: i64) -> RecordedGraph {
        let graph = self.model.graph(graph_id(index)).expect("it was captured");
        RecordedGraph {
            nodes: graph
                .nodes()
                .iter()
                .map(|node| node_type(&node.kind))
                .collect(),
            edges: edges(graph),
        }
    }

    fn new_handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }
}

fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    let mut edges: Vec<_> = graph
        .nodes()
        .iter()
        .enumerate()
        .flat_map(|(to, node)| {
            node.dependencies
                .iter()
                .map(move |from| (from.0 as usize, to))
        })
        .collect();
    edges.sort_unstable();
    edges
}

/// `cudaGraphNodeType`.
fn node_type(kind: &NodeKind) -> i32 {
    match kind {
        NodeKind::Kernel { .. } => 0,
        NodeKind::Memcpy { .. } => 1,
        NodeKind::Memset { .. } => 2,
        NodeKind::Host { .. } => 3,
        NodeKind::EventWait { .. } => 6,
        NodeKind::EventRecord { .. } => 7,
        NodeKind::MemAlloc { .. } => 10,
        NodeKind::MemFree { .. } => 11,
        other => panic!("the programs capture no {other:?}"),
    }
}

fn stream(index: i64) -> Stream {
    match index {
        0 => Stream::Legacy(DEVICE),
        1..=3 => Stream::Created(index.unsigned_abs()),
        4 => Stream::PerThread(DEVICE),
        _ => panic!("stream {index}"),
    }
}

fn mode(index: i64) -> CaptureMode {
    [
        CaptureMode::Global,
        CaptureMode::ThreadLocal,
        CaptureMode::Relaxed,
    ][slot(index)]
}

fn event_id(index: i64) -> EventId {
    EventId(index.unsigned_abs() + 1)
}

fn graph_id(index: i64) -> GraphId {
    GraphId(index.unsigned_abs() + 1)
}

fn slot(index: i64) -> usize {
    usize::try_from(index).expect("an index")
}

fn memset() -> NodeKind {
    NodeKind::Memset {
        dst: 1,
        value: 1,
        bytes: 256,
    }
}

fn memcpy(kind: CopyKind) -> NodeKind {
    NodeKind::Memcpy {
        kind,
        dst: 1,
        src: 2,
        bytes: 256,
    }
}
