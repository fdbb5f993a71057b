//! Work: what is enqueued on a stream, or becomes a node of a graph while the stream captures.

use crate::{EventId, FunctionId, GraphId};

/// The kinds of work, with the parameters that a capture keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant's text speaks of its fields")]
pub enum NodeKind {
    /// A kernel launch; `grid` and `block` in threads per dimension, `shared` in bytes.
    Kernel {
        function: FunctionId,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
    },
    /// A copy of `bytes` bytes between addresses.
    Memcpy {
        kind: CopyKind,
        dst: u64,
        src: u64,
        bytes: u64,
    },
    /// A fill of `bytes` bytes with `value`.
    Memset { dst: u64, value: u32, bytes: u64 },
    /// A host function.
    Host { function: u64 },
    /// A stream-ordered allocation.
    MemAlloc { address: u64, bytes: u64 },
    /// A stream-ordered free.
    MemFree { address: u64 },
    /// A graph inside a graph.
    ChildGraph { graph: GraphId },
    /// The record of an event for use outside the graph (`cudaEventRecordExternal`).
    EventRecord { event: EventId },
    /// The wait on an event of outside the graph (`cudaEventWaitExternal`).
    EventWait { event: EventId },
    /// A batch of stream memory operations (`cuStreamWriteValue32` and its kin).
    BatchMemOp,
    /// A conditional node.
    Conditional,
    /// A node that does nothing but order others.
    Empty,
    /// A fill of several rows of `width` bytes with `value`.
    MemsetRows {
        dst: u64,
        value: u32,
        width: u64,
        rows: u64,
    },
}

impl NodeKind {
    /// Its number in `cudaGraphNodeType`.
    pub fn type_number(&self) -> i32 {
        match self {
            NodeKind::Kernel { .. } => 0,
            NodeKind::Memcpy { .. } => 1,
            NodeKind::Memset { .. } | NodeKind::MemsetRows { .. } => 2,
            NodeKind::Host { .. } => 3,
            NodeKind::ChildGraph { .. } => 4,
            NodeKind::Empty => 5,
            NodeKind::EventWait { .. } => 6,
            NodeKind::EventRecord { .. } => 7,
            NodeKind::MemAlloc { .. } => 10,
            NodeKind::MemFree { .. } => 11,
            NodeKind::BatchMemOp => 12,
            NodeKind::Conditional => 13,
        }
    }

    /// Whether both are of one type, so that an update may make one of the other.
    pub fn is_same_type(&self, other: &NodeKind) -> bool {
        self.type_number() == other.type_number()
    }

    /// Whether it allocates or frees in stream order.
    pub(crate) fn is_allocation(&self) -> bool {
        matches!(self, NodeKind::MemAlloc { .. } | NodeKind::MemFree { .. })
    }

    /// Whether no capture records it.
    pub(crate) fn is_uncapturable(&self) -> bool {
        matches!(
            self,
            NodeKind::Memcpy {
                kind: CopyKind::BetweenDevices,
                ..
            }
        )
    }

    /// Whether a conditional node can run it (CUDA programming guide, conditional nodes; `built` recordings, and
    /// `device_test/conditional_bodies.py` of an H200: no copy from or to pageable memory).
    pub fn fits_a_body(&self) -> bool {
        if let NodeKind::Memcpy { kind, .. } = self {
            return !matches!(
                kind,
                CopyKind::HostToDevice(HostMemory::Pageable)
                    | CopyKind::DeviceToHost(HostMemory::Pageable)
            );
        }
        matches!(
            self,
            NodeKind::Kernel { .. }
                | NodeKind::Memset { .. }
                | NodeKind::MemsetRows { .. }
                | NodeKind::ChildGraph { .. }
                | NodeKind::Conditional
                | NodeKind::Empty
        )
    }
}

/// Where a copy reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyKind {
    /// Host to device, from memory of this kind.
    HostToDevice(HostMemory),
    /// Device to host, to memory of this kind.
    DeviceToHost(HostMemory),
    /// Within a device, or between devices that reach each other's memory.
    DeviceToDevice,
    /// Between devices that the call names (`cudaMemcpyPeerAsync`), which no capture records.
    BetweenDevices,
    /// Between two host buffers.
    HostToHost,
}

/// How the host side of a copy was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostMemory {
    /// Ordinary memory: the driver stages the copy and may block.
    Pageable,
    /// Page-locked memory (`cudaHostAlloc`, `cudaHostRegister`).
    Pinned,
}
