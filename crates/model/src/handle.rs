//! The names by which a program refers to the objects of CUDA.

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
