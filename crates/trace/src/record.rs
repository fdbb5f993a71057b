//! The records of a trace.

use cgsan_model::{Call, Code, FunctionId, ThreadId};
use serde::Deserialize;

use crate::operator::{Argument, BlockRecord, Counted, OperatorRecord};

/// An interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StringId(pub u32);

/// An interned Python code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeId(pub u32);

/// A Python stack, named by its innermost frame: frames form a prefix tree, so that stacks share their outer frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// An interned native stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NativeStackId(pub u32);

/// One record, and when and by which thread it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub time_ns: u64,
    /// The thread that made the record.
    pub thread: ThreadId,
    /// What it says.
    pub record: Record,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The first record of every trace.
    Process(ProcessInfo),
    /// Defines an interned string.
    String {
        /// Its id; ids of a kind are given out in order, from 0.
        id: StringId,
        /// The string.
        text: String,
    },
    /// Defines a Python code object.
    Code {
        /// Its id.
        id: CodeId,
        /// The file as the code object names it.
        file: StringId,
        /// The function's qualified name.
        function: StringId,
        /// The function's first line, counted from 1.
        first_line: u32,
    },
    /// Defines a Python stack: the frame `code` at `line`, called from `parent`.
    Frame {
        /// Its id.
        id: FrameId,
        /// The frame that called this one, defined before it.
        parent: Option<FrameId>,
        /// The code that runs in it.
        code: CodeId,
        /// The line it is at, counted from 1; 0 if unknown.
        line: u32,
    },
    /// Defines a native stack, innermost frame first.
    NativeStack {
        /// Its id.
        id: NativeStackId,
        /// Its frames.
        frames: Vec<NativeFrame>,
    },
    /// Names a kernel.
    Function {
        /// The kernel.
        id: FunctionId,
        /// Its mangled name.
        name: StringId,
    },
    /// Names the thread that made the record; a later name replaces an earlier one.
    ThreadName {
        /// The name.
        name: StringId,
    },
    /// A call to CUDA.
    Call(CallRecord),
    /// Something that the agent in the Python interpreter saw.
    Agent {
        /// What.
        event: AgentEvent,
        /// The Python stack.
        stack: Option<FrameId>,
    },
    /// The agent reported something that the recorder did not understand.
    UnreadableAgentEvent,
    /// A C++ exception of PyTorch (`c10::Error` and its kin) was thrown.
    Exception {
        /// The mangled name of its type.
        type_name: StringId,
        /// What it says, without a backtrace.
        message: String,
        /// The Python stack of the thread that threw it.
        stack: Option<FrameId>,
    },
    /// A function was called that the virtual GPU does not have; recorded once a function.
    Missing {
        /// The function.
        function: StringId,
        /// The Python stack of the first call.
        stack: Option<FrameId>,
    },
    /// Device memory that a kernel should have computed was read by the host; recorded once a process.
    ComputedValueRead {
        /// The Python stack of the first read.
        stack: Option<FrameId>,
    },
    /// The process forked; the child writes a trace of its own if it uses CUDA.
    Fork {
        /// The child's process id.
        child: u32,
    },
    /// The process is ending in an orderly way. A trace without it was cut off.
    End,
    /// Something that could not be observed, for a person to read; recorded once.
    Note {
        /// What, why, and what to do.
        text: String,
    },
    /// Names the native function at an address; added after the run to a trace that is kept.
    NativeName {
        /// The file that the code was loaded from.
        module: StringId,
        /// The address, relative to where that file was loaded.
        address: u64,
        /// The function, as its source has it.
        name: String,
    },
    /// The shortest part of the trace that shows a contradiction between the model and the driver; added after the run to a
    /// trace that is kept.
    Contradiction {
        /// The places of its calls among [`Trace::entries`](crate::Trace::entries); the last is the contradicted one.
        calls: Vec<u64>,
    },
    /// From here on, calls to CUDA are watched again, or no longer: between the two, some were made that are not in the
    /// trace. No such record means that they are watched.
    Watched {
        /// Whether they are.
        on: bool,
    },
    /// An operator of PyTorch was called; what its thread does up to the matching [`Record::OperatorEnd`] it does inside.
    OperatorBegin(OperatorRecord),
    /// The operator that the thread called last and that has not ended ends, with these results.
    OperatorEnd {
        /// What it gave back.
        results: Vec<Argument>,
    },
    /// An operator of PyTorch was called from outside any other, and made no call to CUDA: a view, say.
    Operator {
        /// The call.
        operator: OperatorRecord,
        /// What it gave back.
        results: Vec<Argument>,
    },
    /// PyTorch's allocator gave out a block.
    BlockAllocated(BlockRecord),
    /// PyTorch's allocator took a block back.
    BlockFreed(BlockRecord),
    /// What happened since the last record of this kind and was not recorded one by one.
    Counted(Counted),
}

/// The process that a trace is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessInfo {
    /// Its process id.
    pub pid: u32,
    /// Its command line.
    pub arguments: Vec<String>,
    /// Its working directory, against which relative file names are read.
    pub directory: String,
    /// Seconds since the Unix epoch when recording began.
    pub started: u64,
    /// The version of CPython, e.g. `3.12.3`.
    pub python: String,
    /// The version of PyTorch, e.g. `2.11.0+cu130`; empty if unknown.
    pub torch: String,
    /// The device that served it, e.g. `virtual NVIDIA H100 80GB HBM3`.
    pub device: String,
    /// Whether that device is the virtual GPU.
    pub virtual_gpu: bool,
    /// The `RANK` of a distributed job, if it is part of one.
    pub rank: Option<u32>,
}

/// A call to CUDA and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: StringId,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime: Option<StringId>,
    /// The outermost function of a library that made the call, e.g. `cublasCreate_v2`.
    pub library: Option<StringId>,
    /// What the call asked for.
    pub call: Call,
    /// What it returned.
    pub result: Code,
    /// The Python stack of the calling thread; `None` where it has no Python frame, or none was taken.
    pub stack: Option<FrameId>,
    /// The native stack; taken for refused calls only.
    pub native: Option<NativeStackId>,
    /// The calling thread's next autograd sequence number (`at::sequence_number::peek`), where PyTorch has one: it ties
    /// a launch to the autograd node that the same operator made.
    pub autograd_sequence: Option<u64>,
}

/// A frame of a native stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeFrame {
    /// The file that the code was loaded from; `None` for code that came from no file.
    pub module: Option<StringId>,
    /// The address, relative to where that file was loaded. For a caller it is that of the call instruction's last byte,
    /// not the return address, so that it needs no adjustment before symbols are looked up.
    pub address: u64,
}

/// One frame of a Python stack, resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct StackFrame {
    /// The file as the code object names it.
    pub file: String,
    /// The qualified name of the function.
    pub function: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// What the agent in the Python interpreter reports. The agent passes it as JSON, tagged by `event`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// An exception was in flight when a capture was being ended, or ended the program.
    Exception {
        /// The type as a traceback prints it, e.g. `torch.AcceleratorError`.
        type_name: String,
        /// Its message.
        message: String,
        /// Its traceback, outermost frame first.
        traceback: Vec<StackFrame>,
        /// Whether it ended the program (or a thread of it).
        uncaught: bool,
    },
    /// The autograd graph that a failing `backward()` was walking, as far as it could be read.
    Autograd {
        /// Its nodes.
        nodes: Vec<AutogradNode>,
    },
    /// The process is part of a distributed job.
    Rank(Rank),
    /// PyTorch is about to begin a capture, on a real GPU: where calls to CUDA cannot be watched, this tells of it.
    CaptureBegins {
        /// Its mode, as PyTorch has it: `global`, `thread_local` or `relaxed`.
        mode: Option<String>,
        /// The thread, by the number that `pthread_self` gives, as the driver's log names threads.
        thread: u64,
    },
    /// A capture by PyTorch has ended. The calls that made its executable graph come right before, on the same thread.
    GraphCaptured {
        /// The number of the graph, from 1 in each process: one for each capture.
        graph: u64,
        /// The id of its memory pool, as PyTorch has it.
        pool: Option<(u64, u64)>,
        /// What the program calls the storages that the capture read or left alive, nearest names first.
        names: Vec<StorageName>,
    },
    /// At the moment before a replay, names that led to a storage of the capture lead to another.
    InputsRebound {
        /// The graph's number.
        graph: u64,
        /// The number of the replay, from 1.
        replay: u64,
        /// The names, each told once for each storage that it led to at a sample.
        names: Vec<Rebound>,
    },
    /// The program keeps several references to the same output of a graph, and more from sample to sample.
    OutputsKept {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// What holds them.
        containers: Vec<KeptOutput>,
    },
    /// A replay is made in place of a module's `forward`, and there are hooks on the modules inside of it.
    HooksSkipped {
        /// The graph's number.
        graph: u64,
        /// The number of the replay.
        replay: u64,
        /// The hooks.
        hooks: Vec<SkippedHook>,
    },
    /// Plain values that a capture changed, as they were at the replays since. The last such event of a graph counts.
    HostState {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// The values.
        changes: Vec<HostChange>,
    },
    /// Tensors whose `.grad` is memory that a capture allocated.
    Gradients {
        /// The number of the graph that is replayed, among whose inputs the tensors are.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// The tensors.
        gradients: Vec<StaticGradient>,
    },
}

/// What a storage is to a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageKind {
    /// Read by captured operators, and allocated outside of the capture.
    Input,
    /// Allocated during the capture, and alive at its end.
    Output,
    /// Memory of the host that a captured copy reads.
    Host,
}

/// What the program calls a storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorageName {
    /// The expression, e.g. `self.static_x`, `inputs[0]`.
    pub name: String,
    /// Where the storage begins.
    pub address: u64,
    /// What it is to the capture.
    pub kind: StorageKind,
}

/// A name that led to a storage of a capture, and now leads to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebound {
    /// The expression.
    pub name: String,
    /// What the storage is to the capture.
    pub kind: StorageKind,
    /// Where the storage of the capture begins.
    pub old: u64,
    /// Where the storage begins that the name leads to now.
    pub new: u64,
    /// Whether the shape is the same.
    pub same_shape: bool,
    /// Whether the element type is the same.
    pub same_dtype: bool,
    /// The function whose variable the name begins with; `None` for a module's or an object's.
    pub function: Option<String>,
    /// The file of the code that holds the name or stored it anew.
    pub file: Option<String>,
    /// The line that most likely stored it anew.
    pub line: Option<u32>,
    /// Other names that still lead to the storage of the capture.
    pub still_held_by: Vec<String>,
}

/// A container with several entries of the same output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptOutput {
    /// The expression; `None` if no name leads to it.
    pub name: Option<String>,
    /// Its type, e.g. `list`.
    pub type_name: String,
    /// How many of its entries are tensors of that storage, or hold one.
    pub entries: u64,
    /// Where the storage begins.
    pub address: u64,
}

/// A hook on a module inside of a graphed one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedHook {
    /// The path of the module that it is on, from the graphed one, e.g. `encoder.0`.
    pub module: String,
    /// `forward_pre`, `forward`, `backward_pre` or `backward`.
    pub kind: String,
    /// The qualified name of the function, or of the class of what is called.
    pub hook: String,
    /// The file that defines it; `None` for what is not written in Python.
    pub file: Option<String>,
    /// The line that defines it.
    pub line: Option<u32>,
}

/// A plain value that changed between the beginning and the end of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostChange {
    /// The expression.
    pub name: String,
    /// The value before, as Python writes it; of a container, the number of its entries.
    pub before: String,
    /// The value after.
    pub after: String,
    /// Whether it is the number of entries of a container.
    pub is_length: bool,
    /// Whether it was different again at a later sample: something beside the replays changes it.
    pub moved: bool,
    /// The file of the line that stores it; `None` if that is unclear.
    pub file: Option<String>,
    /// The line that stores it.
    pub line: Option<u32>,
}

/// A tensor whose `.grad` is memory that a capture allocated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticGradient {
    /// What the program calls the tensor.
    pub name: String,
    /// Where the storage of its gradient begins.
    pub address: u64,
    /// The number of the graph whose capture allocated that.
    pub of_graph: u64,
}

/// The place of a process in a distributed job, as the environment gives it (`RANK`, `LOCAL_RANK`, `WORLD_SIZE`), or
/// `torch.distributed` once it is initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Rank {
    /// Its number among all processes of the job.
    pub rank: u32,
    /// Its number among those on its machine.
    #[serde(default)]
    pub local_rank: Option<u32>,
    /// How many processes the job has.
    #[serde(default)]
    pub world_size: Option<u32>,
}

/// A node of the autograd graph.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AutogradNode {
    /// Its class, e.g. `AddBackward0`, `AccumulateGrad`.
    pub name: String,
    /// Its sequence number; `None` for nodes without one (`AccumulateGrad`).
    pub sequence: Option<u64>,
    /// The variable or parameter of the program that it belongs to, if one was found.
    pub variable: Option<String>,
}
