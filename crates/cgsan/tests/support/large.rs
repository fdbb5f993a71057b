//! Traces of programs that capture large graphs, written without running one.
//!
//! A program runs a model eagerly, captures it, and replays what it captured. The model has weights that every layer reads, a sum
//! that layers add to, results that are freed a few operators later, some that stay, and side streams that fork and join. The other
//! patterns have memory that is used in one odd way by every node.

use std::collections::VecDeque;
use std::fmt::Write as _;

use cgsan_model::{
    Call, CaptureMode, Device, EventId, ExecId, FunctionId, GraphId, NodeKind, Stream, ThreadId,
};
use cgsan_trace::{Argument, CodeId, FrameId, ProcessInfo, TensorRecord};

use super::recorder::Recorder;

/// What a program is to have.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes of all captures together.
    pub nodes: usize,
    pub captures: usize,
    /// How often all graphs are replayed.
    pub replays: usize,
    /// Operators that run eagerly before the first capture.
    pub eager: usize,
    pub pattern: Pattern,
}

impl Default for Size {
    fn default() -> Size {
        Size {
            nodes: 1_000,
            captures: 2,
            replays: 3,
            eager: 1_000,
            pattern: Pattern::Model,
        }
    }
}

/// How the nodes use memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// As those of a model do.
    Model,
    /// Each writes the same block.
    OneBlock,
    /// Each has a block of its own, all at one address, one after the other.
    OneAddress,
    /// Those of every other capture each write a block that covers all that those of the others write.
    Covering,
    /// Each fills a part of a block that lies where others have written before.
    Parts,
    /// Those of every other capture read what the others have written, and all of it is freed before the replays.
    Freed,
    /// Each is of the same operator on the same tensors, which the capturing function calls itself, also eagerly.
    Alike,
}

impl Pattern {
    pub const ALL: [Pattern; 7] = [
        Pattern::Model,
        Pattern::OneBlock,
        Pattern::OneAddress,
        Pattern::Covering,
        Pattern::Parts,
        Pattern::Freed,
        Pattern::Alike,
    ];
}

const MAIN: ThreadId = ThreadId(100);
const DEVICE: Device = Device(0);
/// The stream of the captures, and those that fork from it.
const ORIGIN: Stream = Stream::Created(0x10);
const SIDES: [Stream; 3] = [
    Stream::Created(0x20),
    Stream::Created(0x30),
    Stream::Created(0x40),
];

/// How many weights the model has, and how many lines.
const WEIGHTS: u64 = 300;
const LINES: u32 = 24;
/// One in so many operators adds to the sum; one in so many results stays; a fork comes after so many operators.
const ADDS: usize = 10;
const STAYS: usize = 16;
const FORKS: usize = 48;
/// Operators on a side stream between a fork and its join.
const BESIDE: usize = 4;
/// How many results are there at once, apart from those that stay, and how many bytes each has room for.
const ALIVE: usize = 8;
const ROOM: u64 = 1 << 20;

/// Where memory begins: eager memory, the pool of the captures, and in it what stays.
const EAGER: u64 = 0x7000_0000_0000;
const POOL: u64 = 0x7100_0000_0000;
const STAYING: u64 = 0x7200_0000_0000;

/// The trace of a program.
pub fn trace(size: Size) -> Vec<u8> {
    let mut program = Program::begin();
    program.warm_up(size.eager, size.pattern);
    let each = size.nodes / size.captures.max(1);
    for number in 0..size.captures {
        program.capture(number, each, size.pattern);
    }
    if size.pattern == Pattern::Freed {
        program.free_what_stays();
    }
    for _ in 0..size.replays {
        program.replay();
    }
    program.recorder.finish()
}

/// What `torch.cuda.CUDAGraph.debug_dump` writes of a graph of so many kernels: three at a time run beside each other.
pub fn dot(nodes: usize) -> String {
    let mut text =
        "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n"
            .to_owned();
    for node in 0..nodes {
        let (kernel, grid) = (node % 29, node % 7 + 1);
        let _ = write!(
            text,
            "\"graph_1_node_{node}\"[style=\"bold\" shape=\"record\" label=\"{{KERNEL\n| {{ID | {node} (topoId: {node}) | \
             _Z9kernel_{kernel:02}Pfi\\<\\<\\<{grid},128,16\\>\\>\\>}}\n| {{{{node handle | func handle}} | \
             {{0x000055B2963A1558 | 0x000055B2963A1558}}}}\n| {{cooperative | 0}}\n| {{priority | 0}}\n}}\"];\n\n"
        );
    }
    for node in 1..nodes {
        let before: &[usize] = match node % 4 {
            0 => &[1, 2, 3],
            step => &[step],
        };
        for back in before {
            let _ = writeln!(
                text,
                "\"graph_1_node_{}\" -> \"graph_1_node_{node}\";",
                node - back
            );
        }
    }
    text + "}\n}\n"
}

/// A program as it runs.
struct Program {
    recorder: Recorder,
    main: CodeId,
    forward: CodeId,
    weights: Vec<TensorRecord>,
    sum: TensorRecord,
    input: TensorRecord,
    /// Results that are to be freed, oldest first, with the stream that they are of.
    alive: VecDeque<TensorRecord>,
    /// Where the next result goes that stays, and those that do.
    next_staying: u64,
    staying: Vec<TensorRecord>,
    /// Counts operators.
    step: usize,
    next_slot: u64,
    events: u64,
    executables: Vec<ExecId>,
}

impl Program {
    fn begin() -> Program {
        let mut recorder = Recorder::new(
            ProcessInfo {
                pid: 100,
                arguments: vec!["python".to_owned(), "train.py".to_owned()],
                directory: "/job".to_owned(),
                started: 1_790_000_000,
                python: "3.12.3".to_owned(),
                torch: "2.11.0".to_owned(),
                device: "virtual NVIDIA H100 80GB HBM3".to_owned(),
                virtual_gpu: true,
                ..ProcessInfo::default()
            },
            MAIN,
        );
        let main = recorder.code("/job/train.py", "main");
        let forward = recorder.code("/job/model.py", "Model.forward");
        let stack = recorder.frame(None, main, 5);
        for stream in [ORIGIN].into_iter().chain(SIDES) {
            let create = Call::StreamCreate {
                stream,
                device: DEVICE,
                non_blocking: true,
                priority: 0,
            };
            recorder.call(stack, "cuStreamCreateWithPriority", create);
        }
        let mut block = |number: u64| {
            let address = EAGER + number * ROOM;
            recorder.allocated(stack, address, ROOM);
            tensor(address)
        };
        let weights = (2..WEIGHTS + 2).map(&mut block).collect();
        let (sum, input) = (block(0), block(1));
        Program {
            recorder,
            main,
            forward,
            weights,
            sum,
            input,
            alive: VecDeque::new(),
            next_staying: STAYING,
            staying: Vec::new(),
            step: 0,
            next_slot: 0,
            events: 0,
            executables: Vec::new(),
        }
    }

    /// Runs as many operators eagerly.
    fn warm_up(&mut self, operators: usize, pattern: Pattern) {
        let caller = self.recorder.frame(None, self.main, 10);
        for _ in 0..operators {
            if pattern == Pattern::Alike {
                self.add_inline(caller);
                continue;
            }
            self.layer(caller, ORIGIN, EAGER + (WEIGHTS + 10) * ROOM, false);
        }
        self.free_alive(0);
    }

    /// Captures a graph of about so many kernels.
    fn capture(&mut self, number: usize, nodes: usize, pattern: Pattern) {
        let id = number as u64 + 1;
        let caller = self.recorder.frame(None, self.main, 20);
        let begin = Call::StreamBeginCapture {
            stream: ORIGIN,
            mode: CaptureMode::Global,
        };
        self.recorder.call(caller, "cuStreamBeginCapture_v2", begin);
        let is_other = number % 2 == 1;
        match pattern {
            Pattern::Model => self.model(caller, nodes),
            Pattern::OneBlock => (0..nodes).for_each(|_| self.add(caller, ORIGIN)),
            Pattern::Alike => (0..nodes).for_each(|_| self.add_inline(caller)),
            Pattern::OneAddress => {
                for node in 0..nodes as u64 {
                    self.at(caller, POOL, 512 * (node + 1), false);
                }
            }
            Pattern::Covering if is_other => self.stay(caller, nodes),
            Pattern::Covering => {
                for _ in 0..nodes {
                    self.at(caller, STAYING, ROOM * nodes as u64, false);
                }
            }
            Pattern::Parts => {
                for node in 0..nodes as u64 / 2 {
                    self.at(caller, STAYING + node * ROOM, ROOM, false);
                    self.at(caller, STAYING + node * ROOM, ROOM / 2, true);
                }
            }
            Pattern::Freed if is_other => {
                for read in &self.staying.clone() {
                    self.read(caller, read);
                }
            }
            Pattern::Freed => self.stay(caller, nodes),
        }
        self.free_alive(0);
        let graph = GraphId(id);
        let end = Call::StreamEndCapture {
            stream: ORIGIN,
            graph,
        };
        self.recorder.call(caller, "cuStreamEndCapture", end);
        let exec = ExecId(id);
        let instantiate = Call::GraphInstantiate {
            graph,
            exec,
            auto_free: true,
        };
        self.recorder
            .call(caller, "cuGraphInstantiateWithFlags", instantiate);
        self.executables.push(exec);
    }

    /// The layers of the model, with forks.
    fn model(&mut self, caller: FrameId, nodes: usize) {
        let mut done = 0;
        while done < nodes {
            for _ in 0..FORKS.min(nodes - done) {
                self.layer(caller, ORIGIN, POOL, true);
                done += 1;
            }
            if done >= nodes {
                break;
            }
            // Each reads what the one before has left.
            let mut before = self.record(caller, ORIGIN);
            for stream in SIDES {
                self.wait(caller, stream, before);
                for _ in 0..BESIDE {
                    self.layer(caller, stream, POOL, true);
                    done += 1;
                }
                before = self.record(caller, stream);
            }
            for stream in SIDES {
                let join = self.record(caller, stream);
                self.wait(caller, ORIGIN, join);
            }
        }
    }

    /// Replays all graphs, each between a fill of its input and an operator that reads the sum and what lies in a block that stays.
    fn replay(&mut self) {
        let stack = self.recorder.frame(None, self.main, 40);
        for exec in self.executables.clone() {
            let input = self.input.clone();
            self.operator(stack, ORIGIN, "aten::zero_", &[&input], &[]);
            let launch = Call::GraphLaunch {
                exec,
                stream: ORIGIN,
            };
            self.recorder.call(stack, "cuGraphLaunch", launch);
            let (sum, result) = (self.sum.clone(), tensor(EAGER - ROOM));
            let read = self.staying.first().unwrap_or(&sum).clone();
            self.recorder.allocated(stack, result.address, result.bytes);
            self.operator(stack, ORIGIN, "aten::mul", &[&sum, &read], &[&result]);
            self.recorder.freed(result.address, result.bytes);
        }
    }

    /// An operator of the model: `linear`, `relu`, or an addition to the sum.
    fn layer(&mut self, caller: FrameId, stream: Stream, pool: u64, stays: bool) {
        self.step += 1;
        if self.step.is_multiple_of(ADDS) {
            return self.add(caller, stream);
        }
        let stack = self.line(caller);
        let before = self.alive.back().unwrap_or(&self.input).clone();
        let stays = stays && self.step.is_multiple_of(STAYS);
        let result = if stays {
            self.next_staying += ROOM;
            tensor(self.next_staying)
        } else {
            self.next_slot = (self.next_slot + 1) % (2 * ALIVE as u64 + 3);
            let bytes = 512 * (1 + self.step as u64 % 1_000);
            TensorRecord {
                bytes,
                ..tensor(pool + self.next_slot * ROOM)
            }
        };
        self.recorder.allocated(stack, result.address, result.bytes);
        if self.step.is_multiple_of(3) {
            self.operator(stack, stream, "aten::relu", &[&before], &[&result]);
        } else {
            let weight = self.weights[self.step % self.weights.len()].clone();
            let arguments = [&before, &weight].map(|it| Argument::Tensor(it.clone()));
            self.recorder
                .begin(stack, "aten::linear", arguments.to_vec());
            let arguments = [&weight, &before, &weight];
            self.operator(stack, stream, "aten::addmm", &arguments, &[&result]);
            self.recorder.end(&[&result]);
        }
        if stays {
            self.staying.push(result);
        } else {
            self.alive.push_back(result);
            self.free_alive(ALIVE);
        }
    }

    /// Adds to the sum, from the function that captures.
    fn add_inline(&mut self, stack: FrameId) {
        let (sum, input) = (self.sum.clone(), self.input.clone());
        self.operator(stack, ORIGIN, "aten::add_", &[&sum, &input], &[&sum]);
    }

    /// Adds to the sum.
    fn add(&mut self, caller: FrameId, stream: Stream) {
        self.step += 1;
        let stack = self.line(caller);
        let sum = self.sum.clone();
        self.operator(stack, stream, "aten::add_", &[&sum, &sum], &[&sum]);
    }

    /// Allocates a block there, writes all of it or a part, and frees it.
    fn at(&mut self, caller: FrameId, address: u64, bytes: u64, is_part: bool) {
        self.step += 1;
        let stack = self.line(caller);
        let block = TensorRecord {
            bytes,
            ..tensor(address)
        };
        self.recorder.allocated(stack, address, bytes);
        if is_part {
            let source = TensorRecord {
                sizes: vec![1],
                ..self.input.clone()
            };
            let arguments = [
                Argument::Tensor(block.clone()),
                Argument::Integer(0),
                Argument::Tensor(source.clone()),
                Argument::Tensor(source),
            ];
            self.recorder
                .begin(stack, "aten::index_copy_", arguments.to_vec());
            self.launch(stack, ORIGIN);
            self.recorder.end(&[&block]);
            self.staying.push(block);
        } else {
            let input = self.input.clone();
            self.operator(stack, ORIGIN, "aten::relu", &[&input], &[&block]);
            self.recorder.freed(address, bytes);
        }
    }

    /// Writes so many blocks that stay.
    fn stay(&mut self, caller: FrameId, nodes: usize) {
        for _ in 0..nodes {
            self.step += 1;
            let stack = self.line(caller);
            self.next_staying += ROOM;
            let (input, result) = (self.input.clone(), tensor(self.next_staying));
            self.recorder.allocated(stack, result.address, result.bytes);
            self.operator(stack, ORIGIN, "aten::relu", &[&input], &[&result]);
            self.staying.push(result);
        }
    }

    /// Adds what lies in a block to the sum.
    fn read(&mut self, caller: FrameId, block: &TensorRecord) {
        self.step += 1;
        let stack = self.line(caller);
        let sum = self.sum.clone();
        self.operator(stack, ORIGIN, "aten::add_", &[&sum, block], &[&sum]);
    }

    fn free_what_stays(&mut self) {
        for block in std::mem::take(&mut self.staying) {
            self.recorder.freed(block.address, block.bytes);
        }
    }

    /// Frees the oldest results until only so many are there.
    fn free_alive(&mut self, left: usize) {
        while self.alive.len() > left {
            let oldest = self.alive.pop_front().expect("there are more");
            self.recorder.freed(oldest.address, oldest.bytes);
        }
    }

    /// An operator that enqueues one kernel.
    fn operator(
        &mut self,
        stack: FrameId,
        stream: Stream,
        name: &str,
        arguments: &[&TensorRecord],
        results: &[&TensorRecord],
    ) {
        let arguments = arguments.iter().copied().cloned().map(Argument::Tensor);
        self.recorder.begin(stack, name, arguments.collect());
        self.launch(stack, stream);
        self.recorder.end(results);
    }

    fn launch(&mut self, stack: FrameId, stream: Stream) {
        let node = NodeKind::Kernel {
            function: FunctionId(1),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
        };
        let work = Call::Work { stream, node };
        self.recorder.call(stack, "cuLaunchKernel", work);
    }

    /// Records an event.
    fn record(&mut self, stack: FrameId, stream: Stream) -> EventId {
        self.events += 1;
        let event = EventId(self.events);
        let create = Call::EventCreate {
            event,
            device: DEVICE,
            timing: false,
        };
        self.recorder.call(stack, "cuEventCreate", create);
        let record = Call::EventRecord {
            event,
            stream,
            external: false,
        };
        self.recorder.call(stack, "cuEventRecord", record);
        event
    }

    fn wait(&mut self, stack: FrameId, stream: Stream, event: EventId) {
        let wait = Call::StreamWaitEvent {
            stream,
            event,
            external: false,
        };
        self.recorder.call(stack, "cuStreamWaitEvent", wait);
    }

    /// The line of the model that comes next.
    fn line(&mut self, caller: FrameId) -> FrameId {
        let line = 100 + u32::try_from(self.step % LINES as usize).expect("few lines");
        self.recorder.frame(Some(caller), self.forward, line)
    }
}

/// A tensor that fills a block.
fn tensor(address: u64) -> TensorRecord {
    TensorRecord {
        address,
        bytes: ROOM,
        offset: 0,
        on_gpu: true,
        dtype: 6,
        sizes: vec![512, 512],
    }
}
