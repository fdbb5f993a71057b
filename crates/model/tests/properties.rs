//! What holds for every program, whatever it calls.

use std::collections::BTreeSet;

use cgsan_model::{
    Answer, Call, Capture, CaptureId, CaptureInfo, CaptureMode, CaptureState, Code, CopyKind,
    Device, EventId, ExecId, FunctionId, GraphId, HostMemory, Model, Node, NodeIndex, NodeKind,
    Restricted, Stream, ThreadId, Value,
};
use proptest::prelude::*;

const THREADS: u32 = 3;
const DEVICES: u32 = 2;

type Program = Vec<(ThreadId, Call)>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// A reason is given exactly when a call is refused, and the reason's code is the answer's.
    #[test]
    fn refusals_have_reasons(program in program()) {
        let mut model = Model::new();
        for (thread, call) in &program {
            let answer = model.call(*thread, call);
            match answer.reason {
                None => prop_assert!(answer.code.is_success()),
                Some(reason) => {
                    prop_assert_eq!(answer.code, reason.code());
                    prop_assert!(!answer.code.is_success());
                }
            }
        }
    }

    /// A graph can be run in the order of its nodes, and no edge is doubled.
    #[test]
    fn dependencies_come_first(program in program()) {
        let mut model = Model::new();
        let mut running = Running::default();
        for (thread, call) in &program {
            let answer = model.call(*thread, call);
            running.observe(&answer, call);
            if let Call::StreamEndCapture { graph, .. } = call
                && let Some(graph) = model.graph(*graph)
            {
                assert_ordered(graph.nodes())?;
            }
            for capture in running.captures(&model) {
                assert_ordered(capture.nodes())?;
            }
        }
    }

    /// A capture that a call broke yields no graph, and stays broken until it ends.
    #[test]
    fn a_broken_capture_yields_no_graph(program in program()) {
        let mut model = Model::new();
        let mut running = Running::default();
        for (thread, call) in &program {
            let broken = running.ids_in(&model, CaptureState::Invalidated);
            let answer = model.call(*thread, call);
            running.observe(&answer, call);
            for id in broken {
                let state = model.capture(id).map(Capture::state);
                let ended_well = CaptureState::Ended(Code::SUCCESS);
                prop_assert_ne!(state, Some(CaptureState::Active));
                prop_assert_ne!(state, Some(ended_well));
            }
        }
    }

    /// A call changes no stream but its own: another stream stays in its capture, with its dependencies, until that
    /// capture breaks or ends.
    #[test]
    fn other_streams_are_left_alone(program in program()) {
        let mut model = Model::new();
        let observer = ThreadId(THREADS);
        for (thread, call) in &program {
            let before: Vec<_> = created_streams().map(|s| info(&mut model, observer, s)).collect();
            let _ = model.call(*thread, call);
            for (stream, before) in created_streams().zip(before) {
                if stream_of(call) == Some(stream) {
                    continue;
                }
                let after = info(&mut model, observer, stream);
                let Some((before, after)) = before.zip(after) else {
                    continue;
                };
                if after.id.is_some() {
                    prop_assert_eq!(before, after);
                } else if before.id.is_none() {
                    prop_assert!(after.status as i32 <= before.status as i32);
                }
            }
        }
    }

    /// The answers depend on nothing but the calls: a second run of the same program gets the same ones, and asking changes none.
    #[test]
    fn questions_change_no_answer(program in program()) {
        let mut asked = Model::new();
        let mut unasked = Model::new();
        for (thread, call) in &program {
            for stream in created_streams().chain([Stream::Legacy(Device(0)), Stream::PerThread(Device(0))]) {
                let _ = info(&mut asked, *thread, stream);
                let _ = asked.capture_of(*thread, stream);
            }
            prop_assert_eq!(asked.call(*thread, call), unasked.call(*thread, call));
        }
    }

    /// An unsafe call is refused exactly if a running capture forbids it to the calling thread, and then breaks every
    /// capture that does.
    #[test]
    fn unsafe_calls_follow_the_table(program in program()) {
        let mut model = Model::new();
        let mut running = Running::default();
        for (thread, call) in &program {
            let forbidding = running.forbidding(&model, *thread);
            let answer = model.call(*thread, call);
            running.observe(&answer, call);
            if let Call::Restricted(_) = call {
                prop_assert_eq!(answer.code.is_success(), forbidding.is_empty());
                for id in forbidding {
                    let state = model.capture(id).map(Capture::state);
                    prop_assert_eq!(state, Some(CaptureState::Invalidated));
                }
            }
        }
    }

    /// Once every capture has ended on its origin, no stream captures and nothing is forbidden.
    #[test]
    fn ending_gives_everything_back(program in program()) {
        let mut model = Model::new();
        let mut running = Running::default();
        for (thread, call) in &program {
            let answer = model.call(*thread, call);
            running.observe(&answer, call);
        }
        for id in running.0.clone() {
            let Some(capture) = model.capture(id) else { continue };
            if !is_running(capture) {
                continue;
            }
            let stream = capture.origin();
            let thread = capture.thread();
            let graph = GraphId(99);
            let ended = model.call(thread, &Call::StreamEndCapture { stream, graph });
            prop_assert_eq!(ended.capture, Some(id));
        }
        prop_assert!(!model.any_capture());
        for thread in (0..THREADS).map(ThreadId) {
            for stream in created_streams() {
                prop_assert_eq!(model.capture_of(thread, stream), None);
            }
            let malloc = Call::Restricted(Restricted::Malloc);
            prop_assert!(model.call(thread, &malloc).code.is_success());
            for device in (0..DEVICES).map(Device) {
                let wait = Call::DeviceSynchronize { device };
                prop_assert!(model.call(thread, &wait).code.is_success());
                let stream = Stream::Legacy(device);
                let work = Call::Work { stream, node: NodeKind::Empty };
                prop_assert!(model.call(thread, &work).code.is_success());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Which thread makes which call does not matter to a graph, nor in which order the streams are worked on, as long as
    /// each stream's own order stays and every wait comes after its record: the graphs are the same but for the numbers
    /// of their nodes.
    #[test]
    fn the_order_between_streams_does_not_matter(
        forked in forked_capture(),
        choices in prop::collection::vec(any::<(u8, u8)>(), 64),
    ) {
        let straight = captured(&forked, forked.calls.iter().map(|call| (ThreadId(0), call)))?;
        let order = interleaved(&forked.calls, &choices);
        let mixed = captured(&forked, order.into_iter())?;
        prop_assert_eq!(shape(&straight), shape(&mixed));
    }

    /// A capture into an empty graph gives what a capture gives.
    #[test]
    fn a_capture_into_an_empty_graph_is_a_capture(forked in forked_capture()) {
        let calls: Vec<_> = forked.calls.iter().map(|call| (ThreadId(0), call)).collect();
        let plain = captured(&forked, calls.iter().copied())?;
        let into = ForkedCapture { into_graph: true, ..forked.clone() };
        let added = captured(&into, calls.iter().copied())?;
        prop_assert_eq!(plain, added);
    }

    /// A capture that was told what to wait for waits for just that, and no node waits for a later one.
    #[test]
    fn a_capture_waits_for_what_it_was_told(chosen in prop::collection::btree_set(0..6_u32, 0..6)) {
        let mut model = Model::new();
        let thread = ThreadId(0);
        let stream = Stream::Created(1);
        let mode = CaptureMode::Relaxed;
        let _ = model.call(thread, &Call::StreamBeginCapture { stream, mode });
        for _ in 0..6 {
            let _ = model.call(thread, &Call::Work { stream, node: NodeKind::Empty });
        }
        let dependencies: Vec<NodeIndex> = chosen.iter().copied().map(NodeIndex).collect();
        let told = Call::StreamUpdateCaptureDependencies { stream, dependencies: dependencies.clone(), flags: 1 };
        prop_assert!(model.call(thread, &told).code.is_success());
        let _ = model.call(thread, &Call::Work { stream, node: NodeKind::Empty });
        let graph = GraphId(1);
        let end = Call::StreamEndCapture { stream, graph };
        prop_assert!(model.call(thread, &end).code.is_success());
        let nodes = model.nodes(graph).unwrap_or_default();
        assert_ordered(nodes)?;
        prop_assert_eq!(&*nodes[6].dependencies, dependencies.as_slice());
    }
}

/// A capture that forks to other streams and joins them all, in which no call is refused.
#[derive(Clone, Debug)]
struct ForkedCapture {
    streams: u64,
    /// The calls between the fork and the join: work, and waits for events that were recorded before.
    calls: Vec<Call>,
    into_graph: bool,
}

fn forked_capture() -> impl Strategy<Value = ForkedCapture> {
    let step = (any::<u8>(), any::<u8>(), 0..3_u8);
    (2..=4_u64, prop::collection::vec(step, 1..30)).prop_map(|(streams, steps)| {
        let mut calls = Vec::new();
        let mut recorded = 0;
        for (position, (one, other, kind)) in (100..).zip(steps) {
            let stream = Stream::Created(u64::from(one) % streams + 1);
            match kind {
                0 if recorded > 0 => calls.push(Call::StreamWaitEvent {
                    stream,
                    event: EventId(u64::from(other) % recorded + 1000),
                    external: false,
                }),
                1 => {
                    let event = EventId(1000 + recorded);
                    recorded += 1;
                    calls.push(Call::EventRecord {
                        event,
                        stream,
                        external: false,
                    });
                }
                // The function tells the node apart in graphs that number it otherwise.
                _ => calls.push(Call::Work {
                    stream,
                    node: NodeKind::Host { function: position },
                }),
            }
        }
        ForkedCapture {
            streams,
            calls,
            into_graph: false,
        }
    })
}

/// Run a forked capture, and give the nodes of its graph.
fn captured<'a>(
    forked: &ForkedCapture,
    calls: impl Iterator<Item = (ThreadId, &'a Call)>,
) -> Result<Vec<Node>, TestCaseError> {
    let mut model = Model::new();
    let thread = ThreadId(0);
    let (origin, graph) = (Stream::Created(1), GraphId(1));
    let mode = CaptureMode::Relaxed;
    let mut program = Vec::new();
    if forked.into_graph {
        program.push(Call::GraphCreate { graph });
        let dependencies = Vec::new();
        program.push(Call::StreamBeginCaptureToGraph {
            stream: origin,
            graph,
            dependencies,
            mode,
        });
    } else {
        program.push(Call::StreamBeginCapture {
            stream: origin,
            mode,
        });
    }
    let link = |event, from, to| {
        let (event, external) = (EventId(event), false);
        [
            Call::EventRecord {
                event,
                stream: Stream::Created(from),
                external,
            },
            Call::StreamWaitEvent {
                stream: Stream::Created(to),
                event,
                external,
            },
        ]
    };
    program.extend((2..=forked.streams).flat_map(|stream| link(1, 1, stream)));
    let begun = program.into_iter().map(|call| (thread, call));
    let ends: Vec<Call> = (2..=forked.streams)
        .flat_map(|stream| link(10 + stream, stream, 1))
        .chain([Call::StreamEndCapture {
            stream: origin,
            graph,
        }])
        .collect();
    let calls = calls.map(|(thread, call)| (thread, call.clone()));
    let ended = ends.into_iter().map(|call| (thread, call));
    for (thread, call) in begun.chain(calls).chain(ended) {
        let answer = model.call(thread, &call);
        prop_assert!(answer.code.is_success(), "{call:?}: {answer:?}");
    }
    Ok(model.nodes(graph).unwrap_or_default().to_vec())
}

/// The calls in another order, by other threads: one that keeps each stream's order, and each wait behind its record.
fn interleaved<'a>(calls: &'a [Call], choices: &[(u8, u8)]) -> Vec<(ThreadId, &'a Call)> {
    let mut left: Vec<&Call> = calls.iter().collect();
    let mut order = Vec::new();
    let mut choices = choices.iter().cycle();
    while let Some(&(choice, thread)) = choices.next().filter(|_| !left.is_empty()) {
        let may_go: Vec<usize> = (0..left.len())
            .filter(|&at| {
                let waits_for = |before: &&Call| match (left[at], *before) {
                    (
                        Call::StreamWaitEvent { event, .. },
                        Call::EventRecord {
                            event: recorded, ..
                        },
                    ) => event == recorded,
                    _ => false,
                };
                let before = &left[..at];
                !before
                    .iter()
                    .any(|call| stream_of(call) == stream_of(left[at]) || waits_for(call))
            })
            .collect();
        let call = left.remove(may_go[usize::from(choice) % may_go.len()]);
        order.push((ThreadId(u32::from(thread) % THREADS), call));
    }
    order
}

/// A graph by what its nodes do instead of by their numbers: each node with those it waits for.
fn shape(nodes: &[Node]) -> BTreeSet<(String, BTreeSet<String>)> {
    let name = |node: &Node| format!("{:?}", node.kind);
    nodes
        .iter()
        .map(|node| {
            let awaited = node.dependencies.iter();
            (
                name(node),
                awaited.map(|at| name(&nodes[at.0 as usize])).collect(),
            )
        })
        .collect()
}

/// The captures that have not ended, as their answers told.
#[derive(Default)]
struct Running(BTreeSet<CaptureId>);

impl Running {
    fn observe(&mut self, answer: &Answer, call: &Call) {
        let begins = matches!(
            call,
            Call::StreamBeginCapture { .. } | Call::StreamBeginCaptureToGraph { .. }
        );
        if let (true, Some(id), true) = (begins, answer.capture, answer.code.is_success()) {
            self.0.insert(id);
        }
    }

    fn captures<'m>(&self, model: &'m Model) -> impl Iterator<Item = &'m Capture> {
        self.0.iter().filter_map(|id| model.capture(*id))
    }

    fn ids_in(&self, model: &Model, state: CaptureState) -> Vec<CaptureId> {
        let is_in = |id: &CaptureId| model.capture(*id).is_some_and(|c| c.state() == state);
        self.0.iter().copied().filter(is_in).collect()
    }

    /// The captures that forbid unsafe calls to a thread: `rules.jsonl.gz` as a formula.
    fn forbidding(&self, model: &Model, thread: ThreadId) -> Vec<CaptureId> {
        let exchanged = model.thread_mode(thread);
        let forbids = |id: &CaptureId| {
            model.capture(*id).is_some_and(|capture| {
                let own = capture.thread() == thread;
                is_running(capture)
                    && exchanged != CaptureMode::Relaxed
                    && match capture.mode() {
                        CaptureMode::Global => own || exchanged == CaptureMode::Global,
                        CaptureMode::ThreadLocal => own,
                        CaptureMode::Relaxed => false,
                    }
            })
        };
        self.0.iter().copied().filter(forbids).collect()
    }
}

fn is_running(capture: &Capture) -> bool {
    matches!(
        capture.state(),
        CaptureState::Active | CaptureState::Invalidated
    )
}

fn assert_ordered(nodes: &[Node]) -> Result<(), TestCaseError> {
    for (index, node) in nodes.iter().enumerate() {
        let unique: BTreeSet<_> = node.dependencies.iter().collect();
        prop_assert_eq!(unique.len(), node.dependencies.len());
        for dependency in &node.dependencies {
            prop_assert!((dependency.0 as usize) < index);
        }
    }
    Ok(())
}

fn info(model: &mut Model, thread: ThreadId, stream: Stream) -> Option<CaptureInfo> {
    match model
        .call(thread, &Call::StreamGetCaptureInfo { stream })
        .value
    {
        Value::CaptureInfo(info) => Some(info),
        _ => None,
    }
}

fn stream_of(call: &Call) -> Option<Stream> {
    match *call {
        Call::StreamCreate { stream, .. }
        | Call::StreamDestroy { stream }
        | Call::StreamWaitEvent { stream, .. }
        | Call::StreamBeginCapture { stream, .. }
        | Call::StreamEndCapture { stream, .. }
        | Call::StreamBeginCaptureToGraph { stream, .. }
        | Call::StreamUpdateCaptureDependencies { stream, .. }
        | Call::Work { stream, .. }
        | Call::EventRecord { stream, .. } => Some(stream),
        _ => None,
    }
}

fn created_streams() -> impl Iterator<Item = Stream> {
    (1..=4).map(Stream::Created)
}

/// Streams 3 and 4 are blocking, and 4 is on the second device.
fn program() -> impl Strategy<Value = Program> {
    let setup = [(1, true, 0), (2, true, 0), (3, false, 0), (4, false, 1)].map(
        |(stream, non_blocking, device)| {
            let call = Call::StreamCreate {
                stream: Stream::Created(stream),
                device: Device(device),
                non_blocking,
                priority: 0,
            };
            (ThreadId(0), call)
        },
    );
    let calls = prop::collection::vec(((0..THREADS).prop_map(ThreadId), call()), 1..80);
    calls.prop_map(move |calls| setup.iter().cloned().chain(calls).collect())
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        12 => (stream(), node()).prop_map(|(stream, node)| Call::Work { stream, node }),
        10 => (event(), stream(), rarely()).prop_map(|(event, stream, external)| Call::EventRecord { event, stream, external }),
        12 => (stream(), event(), rarely()).prop_map(|(stream, event, external)| Call::StreamWaitEvent { stream, event, external }),
        6 => (stream(), mode()).prop_map(|(stream, mode)| Call::StreamBeginCapture { stream, mode }),
        2 => (stream(), graph(), mode()).prop_map(|(stream, graph, mode)| {
            Call::StreamBeginCaptureToGraph { stream, graph, dependencies: Vec::new(), mode }
        }),
        1 => (stream(), 0..3_u32).prop_map(|(stream, flags)| {
            Call::StreamUpdateCaptureDependencies { stream, dependencies: Vec::new(), flags }
        }),
        1 => (stream(), node()).prop_map(|(stream, node)| Call::CaptureAddNode { stream, node, dependencies: Vec::new() }),
        3 => built_graph_call(),
        1 => stream().prop_map(|stream| Call::FailedLaunch { stream, code: Code::INVALID_VALUE }),
        1 => stream().prop_map(|stream| Call::StreamAddCallback { stream }),
        1 => (0..4_u64).prop_map(|address| Call::FreeAllocated { address }),
        6 => (stream(), graph()).prop_map(|(stream, graph)| Call::StreamEndCapture { stream, graph }),
        3 => mode().prop_map(|mode| Call::ThreadExchangeCaptureMode { mode }),
        2 => Just(Call::Restricted(Restricted::Malloc)),
        6 => stream_call(),
        5 => graph_call(),
        3 => event_call(),
        1 => device().prop_map(|device| Call::DeviceSynchronize { device }),
        1 => (device(), node()).prop_map(|(device, node)| Call::SynchronousWork { device, node }),
        1 => Just(Call::Unrestricted),
    ]
}

fn stream_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        stream().prop_map(|stream| Call::StreamSynchronize { stream }),
        stream().prop_map(|stream| Call::StreamQuery { stream }),
        stream().prop_map(|stream| Call::StreamIsCapturing { stream }),
        stream().prop_map(|stream| Call::StreamGetCaptureInfo { stream }),
        stream().prop_map(|stream| Call::StreamGetPriority { stream }),
        stream().prop_map(|stream| Call::StreamGetFlags { stream }),
        stream().prop_map(|stream| Call::StreamAttachMemory { stream }),
        stream().prop_map(|stream| Call::Prefetch { stream }),
        stream().prop_map(|stream| Call::StreamDestroy { stream }),
        (stream(), device(), any::<bool>()).prop_map(|(stream, device, non_blocking)| {
            Call::StreamCreate {
                stream,
                device,
                non_blocking,
                priority: 0,
            }
        }),
    ]
}

fn event_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        event().prop_map(|event| Call::EventQuery { event }),
        event().prop_map(|event| Call::EventSynchronize { event }),
        event().prop_map(|event| Call::EventDestroy { event }),
        (event(), event()).prop_map(|(start, end)| Call::EventElapsedTime { start, end }),
        (event(), device(), any::<bool>()).prop_map(|(event, device, timing)| Call::EventCreate {
            event,
            device,
            timing
        }),
    ]
}

/// Edges only lead from a node to a later one, as they do in captured graphs.
fn built_graph_call() -> impl Strategy<Value = Call> {
    let node_of = || (graph(), 0..3_u32);
    let edge = || (node_of(), 1..3_u32);
    prop_oneof![
        4 => (node_of(), node()).prop_map(|((graph, _), node)| Call::GraphAddNode {
            graph,
            node,
            dependencies: Vec::new(),
        }),
        1 => edge().prop_map(|((graph, from), more)| Call::GraphAddDependencies {
            graph,
            from: vec![NodeIndex(from)],
            to: vec![NodeIndex(from + more)],
        }),
        1 => edge().prop_map(|((graph, from), more)| Call::GraphRemoveDependencies {
            graph,
            from: vec![NodeIndex(from)],
            to: vec![NodeIndex(from + more)],
        }),
        1 => node_of().prop_map(|(graph, node)| Call::GraphDestroyNode {
            graph,
            node: NodeIndex(node),
        }),
        1 => (graph(), graph()).prop_map(|(graph, clone)| Call::GraphClone { graph, clone }),
    ]
}

fn graph_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        graph().prop_map(|graph| Call::GraphCreate { graph }),
        graph().prop_map(|graph| Call::GraphDestroy { graph }),
        (graph(), exec(), any::<bool>()).prop_map(|(graph, exec, auto_free)| {
            Call::GraphInstantiate {
                graph,
                exec,
                auto_free,
            }
        }),
        (exec(), graph()).prop_map(|(exec, graph)| Call::GraphExecUpdate { exec, graph }),
        exec().prop_map(|exec| Call::GraphExecDestroy { exec }),
        (exec(), stream()).prop_map(|(exec, stream)| Call::GraphLaunch { exec, stream }),
        (exec(), stream()).prop_map(|(exec, stream)| Call::GraphUpload { exec, stream }),
    ]
}

fn stream() -> impl Strategy<Value = Stream> {
    prop_oneof![
        6 => (1..=4_u64).prop_map(Stream::Created),
        1 => device().prop_map(Stream::Legacy),
        1 => device().prop_map(Stream::PerThread),
    ]
}

fn device() -> impl Strategy<Value = Device> {
    (0..DEVICES).prop_map(Device)
}

fn event() -> impl Strategy<Value = EventId> {
    (0..5_u64).prop_map(EventId)
}

fn graph() -> impl Strategy<Value = GraphId> {
    (0..4_u64).prop_map(GraphId)
}

fn exec() -> impl Strategy<Value = ExecId> {
    (0..4_u64).prop_map(ExecId)
}

fn mode() -> impl Strategy<Value = CaptureMode> {
    prop_oneof![
        Just(CaptureMode::Global),
        Just(CaptureMode::ThreadLocal),
        Just(CaptureMode::Relaxed),
    ]
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.1)
}

fn node() -> impl Strategy<Value = NodeKind> {
    let address = 0..4_u64;
    prop_oneof![
        4 => (0..3_u64).prop_map(|function| NodeKind::Kernel {
            function: FunctionId(function),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
        }),
        1 => Just(NodeKind::Empty),
        1 => Just(NodeKind::Memcpy {
            kind: CopyKind::HostToDevice(HostMemory::Pinned),
            dst: 1,
            src: 2,
            bytes: 3,
        }),
        2 => address.clone().prop_map(|address| NodeKind::MemAlloc { address, bytes: 1 }),
        2 => address.prop_map(|address| NodeKind::MemFree { address }),
    ]
}
