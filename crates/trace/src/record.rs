//! The records of a trace.

use cgsan_model::{Call, Code, ExecId, FunctionId, ThreadId};
use serde::{Deserialize, Serialize};

use crate::AgentEvent;
use crate::addresses::AddressRecord;
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
    /// A function was called that the virtual GPU does not have; recorded once per function.
    Missing {
        /// The function.
        function: StringId,
        /// The Python stack of the first call.
        stack: Option<FrameId>,
    },
    /// Device memory that a kernel should have computed was read by the host; recorded once per process.
    ComputedValueRead {
        /// The Python stack of the first read.
        stack: Option<FrameId>,
    },
    /// A kernel was launched that is no operator's, and that the virtual GPU does not compute though values were asked for; recorded
    /// once per kernel.
    KernelNotComputed {
        /// The kernel.
        function: FunctionId,
        /// The Python stack of the first launch.
        stack: Option<FrameId>,
    },
    /// The process forked; the child writes a trace of its own if it uses CUDA.
    Fork {
        /// The child's process id.
        child: u32,
    },
    /// The process is ending in an orderly way. A trace without it was cut off.
    End,
    /// Something that could not be observed, as text; recorded once.
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
        /// The function, as its source names it.
        name: String,
    },
    /// The shortest part of the trace that shows a contradiction between the model and the driver; added after the run to a
    /// trace that is kept.
    Contradiction {
        /// The places of its calls among [`Trace::entries`](crate::Trace::entries); the last is the contradicted one.
        calls: Vec<u64>,
    },
    /// A trial of a change that may save memory, in the order in which they were asked for; added after the run to a trace that
    /// is kept.
    Tried {
        /// What each of its runs had reserved when it looked, in all pools and in private ones; empty if it could not be run.
        looks: Vec<Vec<(u64, u64)>>,
    },
    /// From here on, calls to CUDA are watched again, or no longer: between the two, some were made that are not in the
    /// trace. No such record means that they are watched.
    Watched {
        /// Whether they are.
        on: bool,
    },
    /// From here on, on a real GPU, the calls that order what streams do are seen on their way to the CUDA runtime, or no
    /// longer: waits, synchronizations and replays. Without such a record, only the virtual GPU sees them all.
    Ordered {
        /// Whether they are seen.
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
    /// A call changed what lies at some addresses, or made them known outside of the process. Only the virtual GPU sees such calls.
    Addresses(AddressRecord),
    /// What happened since the last record of this kind and was not recorded one by one.
    Counted(Counted),
    /// How much memory of the device was free around a call that takes some for an executable graph, as `cuMemGetInfo` says, in
    /// bytes: its instantiation, an upload, or its first launch. On a real GPU, where it was asked for. That of an instantiation
    /// comes behind the record of the call.
    ExecutableMemory {
        /// The executable graph.
        exec: ExecId,
        /// Free right before the call.
        before: u64,
        /// Free right after it.
        after: u64,
    },
    /// Entries that stood before this one gave way to what was found in them, since the trace is to stay short. Those that are
    /// still there before it only lead up to what follows.
    Summarized {
        /// How many gave way, in all.
        entries: u64,
        /// What was found in them: a summary as it stands in a file of summaries.
        summary: String,
    },
}

impl Record {
    /// Whether it says what happened: it is then among [`Trace::entries`](crate::Trace::entries). The others define what it refers to,
    /// or are about the trace.
    pub(crate) fn is_entry(&self) -> bool {
        match self {
            Self::Call(_)
            | Self::Agent { .. }
            | Self::Exception { .. }
            | Self::Missing { .. }
            | Self::ComputedValueRead { .. }
            | Self::KernelNotComputed { .. }
            | Self::Fork { .. }
            | Self::Note { .. }
            | Self::Watched { .. }
            | Self::Ordered { .. }
            | Self::OperatorBegin(_)
            | Self::OperatorEnd { .. }
            | Self::Operator { .. }
            | Self::BlockAllocated(_)
            | Self::BlockFreed(_)
            | Self::Addresses(_)
            | Self::Counted(_)
            | Self::ExecutableMemory { .. } => true,
            Self::Process(_)
            | Self::String { .. }
            | Self::Code { .. }
            | Self::Frame { .. }
            | Self::NativeStack { .. }
            | Self::Function { .. }
            | Self::ThreadName { .. }
            | Self::UnreadableAgentEvent
            | Self::End
            | Self::NativeName { .. }
            | Self::Contradiction { .. }
            | Self::Tried { .. }
            | Self::Summarized { .. } => false,
        }
    }

    /// Whether it is made by processes that use CUDA alone. What the agent alone records, e.g. the exception that ended a launcher,
    /// and the forks of a process that does nothing else, are not.
    pub fn is_of_cuda(&self) -> bool {
        match self {
            Self::Agent { .. } | Self::Fork { .. } => false,
            Self::Summarized { .. } => true,
            _ => self.is_entry(),
        }
    }
}

/// The process that a trace is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    /// The name of the machine, as `uname` gives it; `None` in traces that do not have it.
    pub host: Option<String>,
    /// How many nanoseconds of that second had gone by when the first record was made; `None` in traces that do not have it.
    pub started_ns: Option<u32>,
    /// What all processes of one `cgsan run` have in common, and no others; `None` in traces that do not have it.
    pub run: Option<String>,
    /// What all processes of a distributed job have in common, on whichever machine each `cgsan run` of it is; `None` if they are
    /// part of none, or if nothing in the environment names it.
    pub job: Option<String>,
}

/// A call to CUDA and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: StringId,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`. On a real GPU it is there where the call was seen
    /// on its way to the runtime ([`Trace::is_aside`](crate::Trace::is_aside)).
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
