//! What happened on a host and on its devices.

use crate::{CallKind, Frame, NameId, Names, Span};

/// What happened on a host and on its devices, in compact tables.
#[derive(Debug, Default)]
pub struct Timeline {
    /// What it was read from.
    pub source: Source,
    /// Where its times begin, in nanoseconds since 1970; 0 if the file does not say.
    pub base_unix_ns: u64,
    /// The process of the host that made the most calls, by the system's number.
    pub process: Option<u64>,
    /// All names.
    pub names: Names,
    /// Calls of the host that enqueued work or waited for it, by their begin.
    pub calls: Vec<Call>,
    /// What devices did, by its begin.
    pub work: Vec<Work>,
    /// Ranges that the program named (`record_function`, NVTX), by their begin.
    pub ranges: Vec<Range>,
    /// Operators of PyTorch that no other operator called, by their begin.
    pub operators: Vec<Operator>,
    /// Python functions of the program, by their begin; empty if no stacks were recorded.
    pub frames: Vec<Frame>,
    /// The names of the devices, by their numbers, where the file has them.
    pub devices: Vec<(u16, String)>,
    /// What the file does not have.
    pub lacks: Vec<Lack>,
}

impl Timeline {
    /// The call that enqueued a piece of work, if the file has it.
    pub fn call_of(&self, work: &Work) -> Option<&Call> {
        self.calls.get(work.call? as usize)
    }

    /// Whether a replay did a piece of work.
    pub fn is_in_graph(&self, work: &Work) -> bool {
        self.call_of(work)
            .is_some_and(|call| call.kind == CallKind::Replay)
    }
}

/// What a timeline was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A trace of PyTorch's profiler, in the format of Chrome's trace viewer.
    #[default]
    Profiler,
    /// An export of Nsight Systems.
    Nsight,
    /// A trace of cgsan, which has no times of devices.
    Cgsan,
}

/// A thread of the host; threads are numbered in the order in which they were first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u16);

/// A call of the host that enqueued work or waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// From its begin to its return.
    pub span: Span,
    /// The function.
    pub name: NameId,
    /// What the file connects it with its work by.
    pub(crate) correlation: u32,
    /// Of a replay: the executable graph, where the file tells them apart.
    pub graph: Option<u32>,
    /// The thread that made it.
    pub thread: ThreadId,
    /// What it is.
    pub kind: CallKind,
}

/// A piece of work that a device did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// From its begin to its end, as the profiler reports it.
    pub span: Span,
    /// How many bytes it copied or filled; 0 for a kernel.
    pub bytes: u64,
    /// The kernel; of a copy, what is copied to what.
    pub name: NameId,
    /// The call that enqueued it: an index into [`Timeline::calls`]. While a file is read, its correlation.
    pub call: Option<u32>,
    /// The stream, numbered within its device as the profiler does.
    pub stream: u32,
    /// The device.
    pub device: u16,
    /// What it is.
    pub kind: WorkKind,
}

/// What a piece of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A kernel.
    Kernel,
    /// A copy between tensors of a device, or from one device to another.
    Copy,
    /// A copy from the host.
    FromHost,
    /// A copy to pinned memory of the host.
    ToHost,
    /// A copy to pageable memory of the host, for which the host waits.
    ToPageable,
    /// A fill.
    Fill,
    /// A whole replay, of whose nodes the file says nothing.
    Graph,
}

/// A range that the program named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// When.
    pub span: Span,
    /// Its name.
    pub name: NameId,
    /// In which thread.
    pub thread: ThreadId,
}

/// An operator of PyTorch that ran on the host.
pub type Operator = Range;

/// Something that a file does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Its end: it breaks off after this many bytes.
    End(u64),
    /// Work of a device.
    Work,
    /// Calls of the host.
    Calls,
    /// Python functions.
    Stacks,
    /// The nodes of replays: each replay is one piece of work.
    Nodes,
    /// More events than are kept; this many were left out.
    Events(u64),
    /// The processes but one: calls of several are in the file, and cannot be told apart on the device.
    Processes(u64),
}
