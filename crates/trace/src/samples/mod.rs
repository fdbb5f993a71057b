//! One of everything that a trace can hold, for tests. The tests fail where a tag has no sample.

mod calls;
mod operators;

use cgsan_model::{Call, Code, ExecId, FunctionId, ThreadId};

use crate::{
    AgentEvent, AutogradNode, CallRecord, CodeId, CodeLine, DeviceMemory, Entry, FrameId,
    GradientBuffer, HeldGraph, HostChange, KeptOutput, MemoryMoment, NativeFrame, NativeStackId,
    OfParameter, OptimizerChange, PoolMemory, ProcessInfo, Rank, Rebound, Record, Segment,
    SkippedHook, SplitAround, StackFrame, StaticGradient, StorageKind, StorageName, StringId,
    TwinArguments, TwinCause, TwinDifference, TwinKind, TwinOperator, TwinUse, Uses, Verified,
    VerifiedGraph,
};

pub(crate) use calls::{calls, nodes};
pub(crate) use operators::arguments;

/// A record with every call, then one or more of each other kind.
pub(crate) fn records() -> Vec<Record> {
    let process = Record::Process(ProcessInfo {
        pid: 4242,
        arguments: vec!["python".to_owned(), "train.py".to_owned()],
        directory: "/home/user".to_owned(),
        started: 1_790_000_000,
        python: "3.12.3".to_owned(),
        torch: "2.11.0+cu130".to_owned(),
        device: "virtual NVIDIA H100 80GB HBM3".to_owned(),
        virtual_gpu: true,
        rank: Some(3),
        host: Some("node-7".to_owned()),
        started_ns: Some(999_999_999),
        run: Some("18c2f-a1B2c3".to_owned()),
        job: Some("10.0.0.1:29500".to_owned()),
    });
    let calls = calls()
        .into_iter()
        .map(|call| Record::Call(record_of(call)));
    let agent = agent_events().into_iter().map(|event| Record::Agent {
        event,
        stack: Some(FrameId(1)),
    });
    std::iter::once(process)
        .chain(calls)
        .chain(agent)
        .chain(others())
        .chain(operators::records())
        .collect()
}

/// A record as an entry.
pub(crate) fn entry(record: Record) -> Entry {
    Entry {
        time_ns: 123_456_789_012_345,
        thread: ThreadId(4243),
        record,
    }
}

fn record_of(call: Call) -> CallRecord {
    let odd = matches!(call, Call::Work { .. });
    CallRecord {
        function: StringId(2),
        runtime: odd.then_some(StringId(1)),
        library: (!odd).then_some(StringId(0)),
        call,
        result: if odd {
            Code::SUCCESS
        } else {
            Code::STREAM_CAPTURE_UNSUPPORTED
        },
        stack: Some(FrameId(300)),
        native: (!odd).then_some(NativeStackId(0)),
        autograd_sequence: odd.then_some(1 << 40),
    }
}

pub(crate) fn agent_events() -> Vec<AgentEvent> {
    vec![
        AgentEvent::Exception {
            type_name: "torch.AcceleratorError".to_owned(),
            message: "CUDA error: operation not permitted when stream is capturing\n".repeat(3),
            traceback: vec![StackFrame {
                file: "train.py".to_owned(),
                function: "Modèle.forward".to_owned(),
                line: 17,
            }],
            uncaught: true,
        },
        AgentEvent::Autograd {
            nodes: vec![
                AutogradNode {
                    name: "AddBackward0".to_owned(),
                    sequence: Some(9),
                    variable: None,
                },
                AutogradNode {
                    name: "AccumulateGrad".to_owned(),
                    sequence: None,
                    variable: Some("weight".to_owned()),
                },
            ],
        },
        AgentEvent::Rank(Rank {
            rank: 3,
            local_rank: Some(1),
            world_size: None,
        }),
        AgentEvent::CaptureBegins {
            mode: Some("thread_local".to_owned()),
            thread: 0x7f00_0000_0740,
        },
        AgentEvent::GroupCreated {
            group: 1,
            name: "0".to_owned(),
            address: 0x5500_0000_0100,
            rank: 1,
            size: 2,
        },
        AgentEvent::GroupDestroyed {
            group: 1,
            exiting: false,
            graphs: vec![HeldGraph {
                graph: 1,
                name: Some("Runner.graph".to_owned()),
                outlives: true,
                file: Some("/srv/train.py".to_owned()),
                line: None,
            }],
        },
        AgentEvent::GroupsLeft {
            groups: vec![1, 2],
            graphs: Vec::new(),
        },
        AgentEvent::GraphCaptured {
            graph: 1,
            pool: Some((0, 3)),
            names: vec![StorageName {
                name: "self.static_x".to_owned(),
                address: 0x7f00_0000_0200,
                kind: StorageKind::Input,
            }],
        },
        AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![Rebound {
                name: "batch".to_owned(),
                kind: StorageKind::Host,
                old: 0x7f00_0000_0200,
                new: 0x7f00_0000_0400,
                same_tensor: false,
                same_shape: true,
                same_dtype: false,
                function: Some("train".to_owned()),
                file: Some("train.py".to_owned()),
                line: Some(12),
                still_held_by: vec!["batches[0]".to_owned()],
            }],
            uses: Some(vec![Uses {
                rebound: vec![("train.py".to_owned(), 9)],
                still_held: Vec::new(),
            }]),
            parameters: Some(vec![OfParameter {
                then: true,
                now: false,
            }]),
        },
        AgentEvent::OutputsKept {
            graph: 1,
            replay: 4,
            containers: vec![KeptOutput {
                name: None,
                type_name: "list".to_owned(),
                entries: 3,
                address: 0x7f00_0000_0200,
            }],
            gradients: Some(vec![0x7f00_0000_0600]),
            growing: Some(vec![0x7f00_0000_0200]),
            added: Some(vec![Some(("train.py".to_owned(), 9))]),
        },
        AgentEvent::HooksSkipped {
            graph: 1,
            replay: 1,
            hooks: vec![SkippedHook {
                module: "encoder.0".to_owned(),
                kind: "forward".to_owned(),
                hook: "count".to_owned(),
                file: None,
                line: None,
            }],
        },
        AgentEvent::GradientBuffers {
            graph: 1,
            buffers: vec![GradientBuffer {
                gradient: 0x7f00_0000_0600,
                parameter: 0x7f00_0000_0000,
            }],
        },
        AgentEvent::OptimizerChanged {
            graph: 1,
            replay: 2,
            changes: vec![OptimizerChange {
                name: "optimizer.param_groups[0]['lr']".to_owned(),
                key: "lr".to_owned(),
                captured: "0.1".to_owned(),
                now: "0.05".to_owned(),
                parameters: vec![0x7f00_0000_0000],
            }],
        },
        AgentEvent::TwinCompared {
            graph: 1,
            replay: 2,
            operators: 12,
            differences: vec![TwinDifference {
                kind: TwinKind::Number,
                then: Some(TwinOperator {
                    operator: "aten.mul.Tensor".to_owned(),
                    stack: vec![StackFrame {
                        file: "train.py".to_owned(),
                        function: "step".to_owned(),
                        line: 9,
                    }],
                }),
                now: None,
                captured: Some("0.1".to_owned()),
                eager: Some("0.2".to_owned()),
                address: Some(0x7f00_0000_0000),
                address_now: Some(0),
                name: Some("x".to_owned()),
                used: Some(TwinUse::Changed),
                view: Some("aten::slice".to_owned()),
                asked: Some(vec![]),
            }],
            stopped: Some("it works with a graph".to_owned()),
            draws: true,
            moved: Some(false),
            cause: Some(TwinCause::Hook {
                added: true,
                kind: "forward".to_owned(),
                hook: "clip".to_owned(),
                registered: Some(StackFrame {
                    file: "train.py".to_owned(),
                    function: "main".to_owned(),
                    line: 20,
                }),
            }),
            fixed: Some(true),
            still_read: Some(vec![0x7f00_0000_0000]),
            set_by: Some(vec![]),
            arguments: Some(vec![TwinArguments {
                file: "train.py".to_owned(),
                function: "step".to_owned(),
                numbers: true,
                truths: false,
                tensors: true,
                sizes: vec![4, 8],
            }]),
            constants: Some(vec!["0.5".to_owned()]),
        },
        AgentEvent::TwinsLeftOut {
            graphs: vec![(2, "its source is not to be had".to_owned())],
        },
        AgentEvent::HostState {
            graph: 1,
            replay: 8,
            changes: vec![HostChange {
                name: "self.steps".to_owned(),
                before: "3".to_owned(),
                after: "4".to_owned(),
                is_length: false,
                moved: true,
                file: Some("train.py".to_owned()),
                line: Some(7),
            }],
            lines: Some(vec![vec![CodeLine {
                file: "train.py".to_owned(),
                line: 7,
                first: 5,
                last: 9,
                sets_up: false,
            }]]),
        },
        AgentEvent::Gradients {
            graph: 1,
            replay: 1,
            gradients: vec![StaticGradient {
                name: "weight".to_owned(),
                address: 0x7f00_0000_0600,
                of_graph: 1,
            }],
            tensors: Some(vec![0x7f00_0000_0800]),
        },
        AgentEvent::Compiled {
            skipped: true,
            message: "skipping cudagraphs due to mutated inputs (1 instances)".to_owned(),
            stack: vec![StackFrame {
                file: "train.py".to_owned(),
                function: "step".to_owned(),
                line: 9,
            }],
        },
        AgentEvent::RecordedAgain {
            reason: "static input data pointer changed.\ninput name: primals_2. ".to_owned(),
            stack: vec![],
        },
        AgentEvent::OutputOverwritten {
            output: 3,
            address: 0x7f00_0000_0600,
            made: vec![StackFrame {
                file: "serve.py".to_owned(),
                function: "embed".to_owned(),
                line: 12,
            }],
            stack: vec![],
            again: true,
        },
        AgentEvent::OverwrittenRead { output: 3 },
        AgentEvent::HostMessage {
            call: "Connection.recv".to_owned(),
            stack: vec![],
        },
        AgentEvent::EndingTimer,
        AgentEvent::Partitioned {
            function: "Model.step".to_owned(),
            file: "train.py".to_owned(),
            line: 4,
            graphs: 2,
            operators: vec![SplitAround {
                operator: "prims.device_put.default".to_owned(),
                reason: Some("cpu ops".to_owned()),
                file: "train.py".to_owned(),
                line: 6,
                function: "step".to_owned(),
            }],
        },
        AgentEvent::HostSourcesChanged {
            graph: 1,
            replay: 2,
            sources: vec![(0x7e00_0000_0040, 8)],
        },
        AgentEvent::BackwardOfEarlier {
            graph: 2,
            replay: 1,
            forward: 1,
        },
        AgentEvent::LeftCompared {
            graph: 1,
            replay: 2,
            differs: true,
        },
        AgentEvent::NotComputed {
            operator: "aten._cudnn_rnn.default".to_owned(),
            reason: "Could not run 'aten::_cudnn_rnn'".to_owned(),
            stack: vec![],
            stays: Some(true),
        },
        AgentEvent::DeviceFailed {
            operator: "aten.index.Tensor".to_owned(),
            reason: "index 12 is out of bounds for dimension 0 with size 10".to_owned(),
            stack: vec![],
            code: Some(710),
        },
        AgentEvent::Verification {
            callables: vec![Verified {
                name: "Linear".to_owned(),
                calls: 3,
                differs: true,
                message: Some("call 2 of the graphed `Linear` leaves something else".to_owned()),
                stack: vec![],
            }],
            others: 1,
            stack: vec![],
            graphs: Some(vec![VerifiedGraph {
                graph: 2,
                replays: 0,
                reason: Some("its source is not to be had".to_owned()),
                stack: vec![],
            }]),
        },
        memory(),
        AgentEvent::PartBegins {
            name: "tests/test_decode.py::test_step[bf16]".to_owned(),
        },
        AgentEvent::PartsTold,
        AgentEvent::Cell {
            file: "/tmp/ipykernel_7/1234.py".to_owned(),
            number: 3,
            code: "y = x.sum().item()\n".to_owned(),
        },
    ]
}

fn memory() -> AgentEvent {
    AgentEvent::Memory {
        moment: MemoryMoment::CaptureEnds,
        devices: vec![DeviceMemory {
            device: 1,
            allocated: 1024,
            active: 2048,
            reserved: 4 << 20,
            reserved_peak: 6 << 20,
            split: 512,
            ooms: 1,
        }],
        pools: Some(vec![PoolMemory {
            device: 1,
            pool: (0, 3),
            segments: 2,
            reserved: 4 << 20,
            allocated: 1024,
            pending: 1024,
            split: 512,
            largest: 2 << 20,
        }]),
        segments: vec![Segment {
            device: 1,
            address: 0x7f00_0000_0000,
            bytes: 2 << 20,
            pool: (0, 3),
            stream: 0x5500_0000_0010,
        }],
        gone: vec![0x7f00_0020_0000],
        pending: vec![(0x7f00_0000_0400, 1024)],
        settings: Some("expandable_segments:True".to_owned()),
        only: Some((0, 3)),
    }
}

fn others() -> Vec<Record> {
    vec![
        Record::String {
            id: StringId(0),
            text: "train.py".to_owned(),
        },
        Record::Code {
            id: CodeId(0),
            file: StringId(0),
            function: StringId(1),
            first_line: 3,
        },
        Record::Frame {
            id: FrameId(1),
            parent: Some(FrameId(0)),
            code: CodeId(0),
            line: 17,
        },
        Record::Frame {
            id: FrameId(0),
            parent: None,
            code: CodeId(0),
            line: 0,
        },
        Record::NativeStack {
            id: NativeStackId(0),
            frames: vec![
                NativeFrame {
                    module: Some(StringId(0)),
                    address: 4096,
                },
                NativeFrame {
                    module: None,
                    address: u64::MAX,
                },
            ],
        },
        Record::Function {
            id: FunctionId(5),
            name: StringId(1),
        },
        Record::ThreadName { name: StringId(1) },
        Record::Exception {
            type_name: StringId(1),
            message: "CUDA error".to_owned(),
            stack: None,
        },
        Record::Missing {
            function: StringId(2),
            stack: Some(FrameId(1)),
        },
        Record::ComputedValueRead {
            stack: Some(FrameId(1)),
        },
        Record::KernelNotComputed {
            function: FunctionId(5),
            stack: Some(FrameId(1)),
        },
        Record::Fork { child: 43 },
        Record::End,
        Record::Note {
            text: "Python stacks are not recorded".to_owned(),
        },
        Record::NativeName {
            module: StringId(0),
            address: 16,
            name: "c10::cuda::device_synchronize()".to_owned(),
        },
        Record::Contradiction {
            calls: vec![0, 3, 200],
        },
        Record::Tried {
            looks: vec![vec![(6 << 20, 4 << 20)], vec![(4 << 20, 2 << 20)]],
        },
        Record::Watched { on: true },
        Record::Ordered { on: true },
        Record::ExecutableMemory {
            exec: ExecId(0x5500_0000_0040),
            before: 70 << 30,
            after: (70 << 30) - (2 << 20),
        },
        Record::Summarized {
            entries: 1_000_000,
            summary: "{\"process\":{\"pid\":7}}".to_owned(),
        },
        Record::UnreadableAgentEvent,
    ]
}
