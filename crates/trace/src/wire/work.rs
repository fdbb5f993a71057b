//! Work that is enqueued on a stream or is a node of a graph.

use cgsan_model::{CopyKind, HostMemory, NodeKind};

use super::tagged;

// It lies amid other things, so its lines cannot grow: a new parameter takes a new tag.
tagged! { enum NodeKind {
    0 = Kernel { function, grid, block, shared };
    1 = Memcpy { kind, dst, src, bytes };
    2 = Memset { dst, value, bytes };
    3 = MemsetRows { dst, value, width, rows };
    4 = Host { function };
    5 = MemAlloc { address, bytes };
    6 = MemFree { address };
    7 = ChildGraph { graph };
    8 = EventRecord { event };
    9 = EventWait { event };
    10 = BatchMemOp;
    11 = Conditional;
    12 = Empty;
} }

tagged! { enum CopyKind {
    0 = HostToDevice(host);
    1 = DeviceToHost(host);
    2 = DeviceToDevice;
    3 = HostToHost;
    4 = BetweenDevices;
} }

tagged! { enum HostMemory {
    0 = Pageable;
    1 = Pinned;
} }
