//! Traces of a job of many ranks, written without running one: eight ranks on each machine, one trace for each rank.
//!
//! Every rank captures four graphs, replays them, and calls collectives. A few do something else, for reports and queries to find:
//!
//! | ranks | what they do |
//! |---|---|
//! | 13, 113, 213, … | read a value in the last capture, which fails |
//! | 7 | call one collective with another size |
//! | 42 | take fifty times as long for a capture |

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

/// How many captures a rank begins.
const CAPTURES: u64 = 4;

const MAIN: ThreadId = ThreadId(100);
const DEVICE: Device = Device(0);
const STREAM: Stream = Stream::Created(0x10);
/// Where PyTorch's object of the process group lies.
const GROUP: u64 = 0x5000;

/// Whether a capture of a rank fails.
pub fn fails(rank: u32) -> bool {
    rank % 100 == 13
}

/// Writes the traces of a job of `ranks` ranks below a folder, each of about `events` events.
pub fn write(folder: &Path, ranks: u32, events: usize) {
    for rank in 0..ranks {
        let machine = folder.join(format!("node-{}", rank / ON_A_MACHINE));
        fs::create_dir_all(&machine).expect("a folder");
        let pid = 1000 + rank % ON_A_MACHINE;
        let trace = trace(rank, ranks, pid, events);
        fs::write(machine.join(format!("trace-{pid}.cgsan")), trace).expect("a file");
    }
}

fn trace(rank: u32, ranks: u32, pid: u32, events: usize) -> Vec<u8> {
    let mut job = Job::begin(rank, ranks, pid);
    for graph in 1..=CAPTURES {
        job.capture(graph);
    }
    while job.recorder.events < events {
        job.step();
    }
    job.recorder.finish()
}

/// A rank as it runs.
struct Job {
    rank: u32,
    recorder: Recorder,
    main: CodeId,
    executables: Vec<ExecId>,
    steps: u64,
}

impl Job {
    fn begin(rank: u32, ranks: u32, pid: u32) -> Job {
        let process = ProcessInfo {
            pid,
            arguments: vec!["python".to_owned(), "train.py".to_owned()],
            directory: "/job".to_owned(),
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
        let main = recorder.code("/job/train.py", "main");
        let mut job = Job {
            rank,
            recorder,
            main,
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
    fn capture(&mut self, number: u64) {
        let graph = GraphId(number);
        self.call(
            20,
            "cuStreamBeginCapture_v2",
            Call::StreamBeginCapture {
                stream: STREAM,
                mode: CaptureMode::Global,
            },
        );
        for line in 22..26 {
            self.launch(line);
        }
        if self.rank == SLOW {
            self.recorder.time_ns += 50 * 1_000_000;
        }
        if fails(self.rank) && number == CAPTURES {
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
        let differs = self.rank == 7 && self.steps == 3;
        let tensor = TensorRecord {
            address: 0x7000,
            bytes: 4096,
            offset: 0,
            on_gpu: true,
            dtype: 6,
            sizes: vec![if differs { 512 } else { 1024 }],
        };
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
        self.call(
            line,
            "cuLaunchKernel",
            Call::Work {
                stream: STREAM,
                node: NodeKind::Kernel {
                    function: FunctionId(1),
                    grid: [1; 3],
                    block: [1; 3],
                    shared: 0,
                },
            },
        );
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
