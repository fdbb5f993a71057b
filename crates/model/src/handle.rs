//! The names of objects: those by which a program refers to them, and those that the model gives.

/// A device ordinal, as `cudaSetDevice` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Device(pub u32);

/// An operating-system thread: the number `gettid` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// A stream as a call names it, with the special handles resolved by the caller.
///
/// `cudaStream_t` 0 and 1 are the legacy stream of the calling thread's current device, 2 is the calling thread's own
/// default stream there (CUDA runtime API, "Stream synchronization behavior").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// The legacy default stream of a device.
    Legacy(Device),
    /// The per-thread default stream of a device; which one depends on the calling thread.
    PerThread(Device),
    /// A stream made by a stream-creating call, by its handle.
    Created(u64),
}

/// An event handle (`cudaEvent_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u64);

/// A graph handle (`cudaGraph_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId(pub u64);

/// An executable graph's handle (`cudaGraphExec_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExecId(pub u64);

/// A kernel's identity within one process; the trace maps it to the kernel's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u64);

/// A capture's identity within one model: counted from 1, never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaptureId(pub u64);

/// A node's place in its graph, in the order of capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// The place in a slice of all nodes.
    pub fn at(self) -> usize {
        self.0 as usize
    }

    /// The place once another node is removed.
    pub(crate) fn moved_up(self, removed: NodeIndex) -> NodeIndex {
        NodeIndex(self.0 - u32::from(self > removed))
    }
}

/// A stream, whoever names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamKey {
    Created(u64),
    Legacy(Device),
    PerThread(Device, ThreadId),
}

impl StreamKey {
    /// The stream that `thread` means by `stream`.
    pub(crate) fn new(thread: ThreadId, stream: Stream) -> StreamKey {
        match stream {
            Stream::Created(handle) => StreamKey::Created(handle),
            Stream::Legacy(device) => StreamKey::Legacy(device),
            Stream::PerThread(device) => StreamKey::PerThread(device, thread),
        }
    }

    /// The name of the stream in its own thread.
    pub(crate) fn stream(self) -> Stream {
        match self {
            StreamKey::Created(handle) => Stream::Created(handle),
            StreamKey::Legacy(device) => Stream::Legacy(device),
            StreamKey::PerThread(device, _) => Stream::PerThread(device),
        }
    }
}
