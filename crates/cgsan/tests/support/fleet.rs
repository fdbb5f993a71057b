//! Traces of a job of many ranks, written without running one: eight ranks on each machine, one trace for each rank.
//!
//! Every rank captures four graphs, replays them, and calls collectives. A few do something else, for reports and queries to find:
//!
//! | ranks | what they do |
//! |---|---|
//! | 13, 113, 213, … | read a value in the last capture, which fails |
//! | 7 | call one collective with another size |
//! | 42 | take fifty times as long for a capture |
//!
//! With [`Fleet::eager`], each rank runs the captured function eagerly, too: for a third of its events before the first capture, before each capture, as
//! warm-ups do, and in each step. With
//! [`Fleet::odd`], one rank alone does something else: it reads a value in its last capture.

use std::fs;
use std::path::Path;

use cgsan_model::{
    Call, CaptureMode, CopyKind, Device, ExecId, FunctionId, GraphId, HostMemory, NodeKind, Stream,
    ThreadId,
};
use cgsan_trace::{AgentEvent, Argument, CodeId, FrameId, ProcessInfo, Rank, TensorRecord};

use super::recorder::Recorder;

/// How many ranks share a machine.
pub const ON_A_MACHINE: u32 = 8;

/// The rank whose captures take longer.
pub const SLOW: u32 = 42;

/// How many captures a rank begins, unless it is asked for.
pub const CAPTURES: u64 = 4;

const MAIN: ThreadId = ThreadId(100);
const DEVICE: Device = Device(0);
const STREAM: Stream = Stream::Created(0x10);
/// Where the program lies, unless it is asked for.
pub const DIRECTORY: &str = "/job";

/// What the captured function calls.
const OPERATORS: [&str; 6] = [
    "aten::mul",
    "aten::add",
    "aten::sub",
    "aten::div",
    "aten::maximum",
    "aten::minimum",
];

/// Where tensors lie: those that last, results of eager work, and those of each capture; and how far apart.
const WEIGHTS: u64 = 0x7f00_0000_0000;
const EAGER: u64 = 0x7f10_0000_0000;
const POOL: u64 = 0x7f20_0000_0000;
const POOL_SIZE: u64 = 0x1_0000_0000;
const BLOCK: u64 = 4096;

/// Where PyTorch's object of the process group lies.
const GROUP: u64 = 0x5000;

/// Whether a capture of a rank fails.
pub fn fails(rank: u32) -> bool {
    rank % 100 == 13
}

/// A job.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// How many ranks it has.
    pub ranks: u32,
    /// How many events each has, about.
    pub events: usize,
    /// How many captures each begins.
    pub captures: u64,
    /// Whether ranks run eagerly, too, what they capture.
    pub eager: bool,
    /// The rank that alone does something else; `None` for several that do.
    pub odd: Option<u32>,
    /// Where the program lies.
    pub directory: String,
}

/// Writes the traces of a job of `ranks` ranks below a folder, each of about `events` events.
pub fn write(folder: &Path, ranks: u32, events: usize) {
    let fleet = Fleet {
        ranks,
        events,
        captures: CAPTURES,
        eager: false,
        odd: None,
        directory: DIRECTORY.to_owned(),
    };
    fleet.write(folder);
}

impl Fleet {
    /// Writes the traces of the job below a folder.
    pub fn write(&self, folder: &Path) {
        for rank in 0..self.ranks {
            let machine = folder.join(format!("node-{}", rank / ON_A_MACHINE));
            fs::create_dir_all(&machine).expect("a folder");
            let pid = 1000 + rank % ON_A_MACHINE;
            let trace = self.trace(rank, pid);
            fs::write(machine.join(format!("trace-{pid}.cgsan")), trace).expect("a file");
        }
    }

    fn trace(&self, rank: u32, pid: u32) -> Vec<u8> {
        let mut job = Job::begin(rank, self.ranks, pid, &self.directory);
        job.does = match (self.odd, rank) {
            (Some(odd), _) if odd == rank => Does::Fails,
            (Some(_), _) => Does::AsOthers,
            (None, 7) => Does::Differs,
            (None, SLOW) => Does::Slowly,
            (None, _) if fails(rank) => Does::Fails,
            (None, _) => Does::AsOthers,
        };
        job.eager = self.eager;
        job.weights();
        while self.eager && job.recorder.events < self.events / 3 {
            job.eagerly();
        }
        for graph in 1..=self.captures {
            job.eagerly();
            job.capture(graph, graph == self.captures);
        }
        while job.recorder.events < self.events {
            job.eagerly();
            job.step();
        }
        job.recorder.finish()
    }
}

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    AsOthers,
    /// Its last capture fails.
    Fails,
    /// It calls one collective with another size.
    Differs,
    /// It takes longer for its captures.
    Slowly,
}

/// A rank as it runs.
struct Job {
    does: Does,
    eager: bool,
    recorder: Recorder,
    main: CodeId,
    forward: CodeId,
    executables: Vec<ExecId>,
    steps: u64,
}

impl Job {
    fn begin(rank: u32, ranks: u32, pid: u32, directory: &str) -> Job {
        let process = ProcessInfo {
            pid,
            arguments: vec!["python".to_owned(), "train.py".to_owned()],
            directory: directory.to_owned(),
            started: 1_790_000_000 + u64::from(rank / ON_A_MACHINE),
            python: "3.12.3".to_owned(),
            torch: "2.11.0".to_owned(),
            device: "virtual NVIDIA H100 80GB HBM3".to_owned(),
            virtual_gpu: true,
            rank: Some(rank),
            host: Some(format!("node-{}", rank / ON_A_MACHINE)),
            started_ns: Some(0),
            run: Some(format!("run-of-node-{}", rank / ON_A_MACHINE)),
            job: Some("10.0.0.1:29500".to_owned()),
        };
        let mut recorder = Recorder::new(process, MAIN);
        let file = format!("{directory}/train.py");
        let main = recorder.code(&file, "main");
        let forward = recorder.code(&file, "forward");
        let mut job = Job {
            does: Does::AsOthers,
            eager: false,
            recorder,
            main,
            forward,
            executables: Vec::new(),
            steps: 0,
        };
        job.agent(
            3,
            AgentEvent::Rank(Rank {
                rank,
                local_rank: Some(rank % ON_A_MACHINE),
                world_size: Some(ranks),
            }),
        );
        job.agent(
            4,
            AgentEvent::GroupCreated {
                group: 1,
                name: "0".to_owned(),
                address: GROUP,
                rank,
                size: ranks,
            },
        );
        job.call(
            5,
            "cuStreamCreateWithPriority",
            Call::StreamCreate {
                stream: STREAM,
                device: DEVICE,
                non_blocking: true,
                priority: 0,
            },
        );
        job
    }

    /// Captures a graph, or tries to.
    fn capture(&mut self, number: u64, is_last: bool) {
        let graph = GraphId(number);
        self.call(
            20,
            "cuStreamBeginCapture_v2",
            Call::StreamBeginCapture {
                stream: STREAM,
                mode: CaptureMode::Global,
            },
        );
        if self.eager {
            self.forward(22, POOL + number * POOL_SIZE);
        } else {
            for line in 22..26 {
                self.launch(line);
            }
        }
        if self.does == Does::Slowly {
            self.recorder.time_ns += 50 * 1_000_000;
        }
        if self.does == Does::Fails && is_last {
            self.call(
                27,
                "cuMemcpyDtoHAsync_v2",
                Call::Work {
                    stream: STREAM,
                    node: NodeKind::Memcpy {
                        kind: CopyKind::DeviceToHost(HostMemory::Pinned),
                        dst: 1,
                        src: 2,
                        bytes: 4,
                    },
                },
            );
            self.call(
                27,
                "cuStreamSynchronize",
                Call::StreamSynchronize { stream: STREAM },
            );
        }
        let ended = self.call(
            20,
            "cuStreamEndCapture",
            Call::StreamEndCapture {
                stream: STREAM,
                graph,
            },
        );
        if ended {
            let exec = ExecId(number);
            self.call(
                20,
                "cuGraphInstantiateWithFlags",
                Call::GraphInstantiate {
                    graph,
                    exec,
                    auto_free: true,
                },
            );
            self.executables.push(exec);
        }
    }

    /// Allocates what lasts as long as the program, if operators use it.
    fn weights(&mut self) {
        let stack = self.frame(10);
        let weights = if self.eager {
            OPERATORS.len() as u64 + 1
        } else {
            0
        };
        for at in 0..weights {
            self.recorder.allocated(stack, WEIGHTS + BLOCK * at, BLOCK);
        }
    }

    /// Runs what is captured eagerly, if the job does so.
    fn eagerly(&mut self) {
        if self.eager {
            self.forward(38, EAGER);
        }
    }

    /// Calls the function that is captured, from a line of the program. Its results lie behind an address, and are gone when it ends.
    fn forward(&mut self, line: u32, pool: u64) {
        let caller = self.frame(line);
        let mut input = tensor(WEIGHTS, vec![1024]);
        let mut results = Vec::new();
        for (at, operator) in (0..).zip(OPERATORS) {
            let stack = self.recorder.frame(Some(caller), self.forward, 60 + at);
            let weight = tensor(WEIGHTS + BLOCK * (1 + u64::from(at)), vec![1024]);
            let result = tensor(pool + BLOCK * u64::from(at), vec![1024]);
            let arguments = vec![Argument::Tensor(input), Argument::Tensor(weight)];
            self.recorder.begin(stack, operator, arguments);
            self.recorder.allocated(stack, result.address, BLOCK);
            self.launch_from(stack);
            self.recorder.end(&[&result]);
            results.push(result.address);
            input = result;
        }
        for address in results {
            self.recorder.freed(address, BLOCK);
        }
    }

    /// Replays each graph, and reduces something.
    fn step(&mut self) {
        self.steps += 1;
        for exec in self.executables.clone() {
            self.call(
                40,
                "cuGraphLaunch",
                Call::GraphLaunch {
                    exec,
                    stream: STREAM,
                },
            );
        }
        let differs = self.does == Does::Differs && self.steps == 3;
        let tensor = tensor(WEIGHTS, vec![if differs { 512 } else { 1024 }]);
        let stack = self.frame(44);
        let arguments = vec![
            Argument::List(vec![Argument::Tensor(tensor)]),
            Argument::Object(GROUP),
        ];
        self.recorder.begin(stack, "c10d::allreduce_", arguments);
        self.launch(44);
        self.recorder.end(&[]);
    }

    fn launch(&mut self, line: u32) {
        let stack = self.frame(line);
        self.launch_from(stack);
    }

    fn launch_from(&mut self, stack: FrameId) {
        let kernel = Call::Work {
            stream: STREAM,
            node: NodeKind::Kernel {
                function: FunctionId(1),
                grid: [1; 3],
                block: [1; 3],
                shared: 0,
            },
        };
        self.recorder.call(stack, "cuLaunchKernel", kernel);
    }

    /// Makes a call. Gives whether it did what it was asked.
    fn call(&mut self, line: u32, function: &str, call: Call) -> bool {
        let stack = self.frame(line);
        self.recorder.call(stack, function, call)
    }

    fn agent(&mut self, line: u32, event: AgentEvent) {
        let stack = self.frame(line);
        self.recorder.agent(stack, event);
    }

    /// The frame of a line of the program.
    fn frame(&mut self, line: u32) -> FrameId {
        self.recorder.frame(None, self.main, line)
    }
}

/// A tensor of 32-bit floats.
fn tensor(address: u64, sizes: Vec<u64>) -> TensorRecord {
    TensorRecord {
        address,
        bytes: BLOCK,
        offset: 0,
        on_gpu: true,
        dtype: 6,
        sizes,
    }
}
