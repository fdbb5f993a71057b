//! Operators, blocks and replays in any order: nothing makes the diagnosis panic, and where no memory changes hands, nothing is
//! found.

use cgsan_finding::Report;
use cgsan_model::{
    Call, CaptureMode, CopyKind, EventId, ExecId, GraphId, HostMemory, NodeKind, Stream,
};
use cgsan_trace::{AgentEvent, Argument, BlockRecord, Record, TensorRecord};
use proptest::prelude::*;

use crate::support::{DEEP, DEVICE, LEGACY, MAIN, ORIGIN, Program, SIDE, host, tensor};

/// Names that the pass treats in ways of their own, and one that it does not know.
const NAMES: [&str; 12] = [
    "add",
    "add_",
    "copy_",
    "zero_",
    "empty",
    "view",
    "slice",
    "new_zeros",
    "_fused_adam_",
    "_to_copy",
    "_local_scalar_dense",
    "",
];

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES.to_vec())
}

/// Few addresses, so that they meet, and the last ones there are.
fn address() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => (0..8_u64).prop_map(|it| it * 0x100),
        1 => Just(u64::MAX),
        1 => Just(u64::MAX - 0x100),
    ]
}

fn bytes() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![0, 1, 0x100, 0x180, 0x400, u64::MAX])
}

fn stream() -> impl Strategy<Value = Stream> {
    prop::sample::select(vec![LEGACY, ORIGIN, SIDE, DEEP])
}

fn argument() -> impl Strategy<Value = Argument> {
    let sizes = prop::collection::vec(0..4_u64, 0..3);
    let tensor =
        (address(), bytes(), any::<bool>(), sizes).prop_map(|(address, bytes, on_gpu, sizes)| {
            Argument::Tensor(TensorRecord {
                address,
                bytes,
                offset: 0,
                on_gpu,
                dtype: 6,
                sizes,
            })
        });
    let single = prop_oneof![
        4 => tensor,
        1 => any::<bool>().prop_map(Argument::Bool),
        1 => (0..3_i64).prop_map(Argument::Integer),
        1 => any::<f64>().prop_map(Argument::Float),
        1 => Just(Argument::Absent),
        1 => Just(Argument::Other),
    ];
    prop_oneof![
        6 => single.clone(),
        1 => prop::collection::vec(single, 0..3).prop_map(Argument::List),
    ]
}

fn arguments() -> impl Strategy<Value = Vec<Argument>> {
    prop::collection::vec(argument(), 0..3)
}

/// What any program may leave in a trace.
#[derive(Clone, Debug)]
enum Action {
    BeginOperator(&'static str, Vec<Argument>),
    EndOperator(Vec<Argument>),
    IdleOperator(&'static str, Vec<Argument>, Vec<Argument>),
    Allocate(u64, u64),
    Free(u64, u64),
    Launch(Stream),
    CopyFromHost(Stream, u64, u64),
    Call(Call),
    Go(u32, bool),
    Thread(u32),
    Watched(bool),
    Captured(u64),
    /// A capture from its begin to its end, and the graph made executable.
    Graph(u64, Vec<Action>),
    /// An operator with its kernel, as PyTorch calls it: on the stream of a capture if there is one.
    Work(&'static str, Vec<Argument>, u64),
}

fn call() -> impl Strategy<Value = Call> {
    let number = || 0..3_u64;
    prop_oneof![
        3 => stream().prop_map(|stream| Call::StreamBeginCapture {
            stream,
            mode: CaptureMode::Relaxed,
        }),
        3 => (stream(), number()).prop_map(|(stream, graph)| Call::StreamEndCapture {
            stream,
            graph: GraphId(graph),
        }),
        3 => (number(), number()).prop_map(|(graph, exec)| Call::GraphInstantiate {
            graph: GraphId(graph),
            exec: ExecId(exec),
            auto_free: false,
        }),
        1 => (number(), number()).prop_map(|(graph, exec)| Call::GraphExecUpdate {
            graph: GraphId(graph),
            exec: ExecId(exec),
        }),
        1 => number().prop_map(|exec| Call::GraphExecDestroy { exec: ExecId(exec) }),
        5 => (number(), stream()).prop_map(|(exec, stream)| Call::GraphLaunch {
            exec: ExecId(exec),
            stream,
        }),
        1 => (number(), stream()).prop_map(|(event, stream)| Call::EventRecord {
            event: EventId(event),
            stream,
            external: false,
        }),
        1 => (number(), stream()).prop_map(|(event, stream)| Call::StreamWaitEvent {
            event: EventId(event),
            stream,
            external: false,
        }),
        1 => number().prop_map(|event| Call::EventSynchronize { event: EventId(event) }),
        1 => stream().prop_map(|stream| Call::StreamSynchronize { stream }),
        1 => stream().prop_map(|stream| Call::StreamIsCapturing { stream }),
        1 => Just(Call::DeviceSynchronize { device: DEVICE }),
    ]
}

/// What lies inside of captures and outside of them.
fn small_action() -> impl Strategy<Value = Action> {
    let work = || (name(), arguments(), address());
    prop_oneof![
        4 => work().prop_map(|(name, given, result)| Action::Work(name, given, result)),
        3 => (address(), bytes()).prop_map(|(address, bytes)| Action::Allocate(address, bytes)),
        2 => (address(), bytes()).prop_map(|(address, bytes)| Action::Free(address, bytes)),
        1 => (address(), bytes())
            .prop_map(|(source, bytes)| Action::CopyFromHost(ORIGIN, source, bytes)),
        1 => (name(), arguments(), arguments())
            .prop_map(|(name, given, results)| Action::IdleOperator(name, given, results)),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let graph = (0..3_u64, prop::collection::vec(small_action(), 0..6));
    let launch = (0..3_u64, stream());
    prop_oneof![
        12 => small_action(),
        5 => graph.prop_map(|(number, actions)| Action::Graph(number, actions)),
        8 => launch.prop_map(|(exec, stream)| Action::Call(Call::GraphLaunch {
            exec: ExecId(exec),
            stream,
        })),
        4 => any_action(),
    ]
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (name(), arguments()).prop_map(|(name, given)| Action::BeginOperator(name, given)),
        4 => arguments().prop_map(Action::EndOperator),
        2 => (name(), arguments(), arguments())
            .prop_map(|(name, given, results)| Action::IdleOperator(name, given, results)),
        4 => (address(), bytes()).prop_map(|(address, bytes)| Action::Allocate(address, bytes)),
        3 => (address(), bytes()).prop_map(|(address, bytes)| Action::Free(address, bytes)),
        4 => stream().prop_map(Action::Launch),
        2 => (stream(), address(), bytes())
            .prop_map(|(stream, source, bytes)| Action::CopyFromHost(stream, source, bytes)),
        12 => call().prop_map(Action::Call),
        3 => (1..6_u32, any::<bool>()).prop_map(|(line, inner)| Action::Go(line, inner)),
        1 => (0..3_u32).prop_map(Action::Thread),
        1 => any::<bool>().prop_map(Action::Watched),
        1 => (0..3_u64).prop_map(Action::Captured),
    ]
}

/// Does it; operators work on `stream`.
fn act(program: &mut Program, action: Action, stream: Stream) {
    match action {
        Action::BeginOperator(name, given) => {
            program.begin_operator(name, &given);
        }
        Action::EndOperator(results) => {
            program.end_operator(&results);
        }
        Action::IdleOperator(name, given, results) => {
            program.idle_operator(name, &given, &results);
        }
        Action::Allocate(address, bytes) => program.push(Record::BlockAllocated(BlockRecord {
            address,
            bytes,
            stack: None,
        })),
        Action::Free(address, bytes) => program.push(Record::BlockFreed(BlockRecord {
            address,
            bytes,
            stack: None,
        })),
        Action::Launch(stream) => {
            program.launch(stream);
        }
        Action::CopyFromHost(stream, src, bytes) => {
            program.call(Call::Work {
                stream,
                node: NodeKind::Memcpy {
                    kind: CopyKind::HostToDevice(HostMemory::Pinned),
                    dst: 0x100,
                    src,
                    bytes,
                },
            });
        }
        Action::Call(call) => {
            program.call(call);
        }
        Action::Go(line, false) => {
            program.line(line);
        }
        Action::Go(line, true) => {
            program.at(&["train.py:9 <module>", &format!("train.py:{line} step")]);
        }
        Action::Thread(number) => {
            let name = ["MainThread", "worker", "pt_autograd_0"][number as usize];
            program.thread(MAIN.0 + number, name);
        }
        Action::Watched(on) => program.push(Record::Watched { on }),
        Action::Captured(graph) => program.agent(AgentEvent::GraphCaptured {
            graph,
            pool: None,
            names: Vec::new(),
        }),
        Action::Graph(number, actions) => {
            let graph = GraphId(number);
            program.call(Call::StreamBeginCapture {
                stream: ORIGIN,
                mode: CaptureMode::Relaxed,
            });
            for action in actions {
                act(program, action, ORIGIN);
            }
            program.call(Call::StreamEndCapture {
                stream: ORIGIN,
                graph,
            });
            program.call(Call::GraphInstantiate {
                graph,
                exec: ExecId(number),
                auto_free: false,
            });
        }
        Action::Work(name, given, result) => {
            program.operator(name, stream, &given, &[tensor(result)]);
        }
    }
}

/// What a program does that never lets memory change hands: every block has an address of its own and is kept.
#[derive(Clone, Debug)]
enum Kept {
    /// An operator outside of any capture makes a tensor from others.
    Eager(&'static str, Vec<usize>),
    /// A capture of such operators.
    Graph(Vec<(&'static str, Vec<usize>)>),
    /// A graph is replayed, if there is one.
    Replay(usize),
    /// The host writes memory that no capture reads.
    Host,
    /// An operator changes a tensor in place.
    InPlace(usize),
}

fn kept() -> impl Strategy<Value = Kept> {
    let operator = || {
        let name = prop::sample::select(vec!["add", "mul", "mm", "sum"]);
        (name, prop::collection::vec(any::<usize>(), 0..3))
    };
    prop_oneof![
        4 => operator().prop_map(|(name, given)| Kept::Eager(name, given)),
        2 => prop::collection::vec(operator(), 1..4).prop_map(Kept::Graph),
        4 => any::<usize>().prop_map(Kept::Replay),
        1 => Just(Kept::Host),
        2 => any::<usize>().prop_map(Kept::InPlace),
    ]
}

/// Runs it, each thing on a line of its own.
fn run_kept(actions: &[Kept], mut program: Program) -> Report {
    let mut blocks: Vec<u64> = Vec::new();
    let mut graphs = 0;
    let chosen = |blocks: &[u64], given: &[usize]| -> Vec<Argument> {
        let places = given.iter().filter(|_| !blocks.is_empty());
        places
            .map(|place| tensor(blocks[place % blocks.len()]))
            .collect()
    };
    let next = |blocks: &mut Vec<u64>| {
        let address = 0x1000 * (blocks.len() as u64 + 1);
        blocks.push(address);
        address
    };
    for (line, action) in (10..).zip(actions) {
        program.line(line);
        match action {
            Kept::Eager(name, given) => {
                let arguments = chosen(&blocks, given);
                program.make(name, LEGACY, &arguments, next(&mut blocks));
            }
            Kept::Graph(operators) => {
                graphs += 1;
                program.graph(graphs, |it| {
                    for (name, given) in operators {
                        let arguments = chosen(&blocks, given);
                        it.make(name, ORIGIN, &arguments, next(&mut blocks));
                    }
                });
            }
            Kept::Replay(number) if graphs > 0 => {
                program.replay(1 + *number as u64 % graphs);
            }
            Kept::Replay(_) => {}
            Kept::Host => {
                program.idle_operator("fill_", &[host(0x100)], &[host(0x100)]);
            }
            Kept::InPlace(place) => {
                let given = chosen(&blocks, &[*place]);
                program.operator("relu_", LEGACY, &given, &given);
            }
        }
    }
    program.diagnose()
}

proptest! {
    #[test]
    fn nothing_makes_the_diagnosis_panic(
        actions in prop::collection::vec(action(), 0..120),
        is_virtual in any::<bool>(),
    ) {
        let mut program = if is_virtual { Program::on_virtual_gpu() } else { Program::new() };
        for action in actions {
            act(&mut program, action, LEGACY);
        }
        program.diagnose();
    }

    #[test]
    fn nothing_is_found_where_no_memory_changes_hands(
        actions in prop::collection::vec(kept(), 0..40),
        is_virtual in any::<bool>(),
    ) {
        let program = if is_virtual { Program::on_virtual_gpu() } else { Program::new() };
        let mut report = run_kept(&actions, program);
        // A graph may read what another one computes that is replayed later, or never.
        report.findings.retain(|it| it.title != "the graph reads what another graph has not computed yet");
        prop_assert!(report.findings.is_empty(), "{:#?}", report.findings);
    }
}
