//! CUPTI's records, byte by byte: `CUpti_ActivityKernel9`, `CUpti_ActivityMemcpy6`, `CUpti_ActivityMemset4`,
//! `CUpti_ActivityAPI` and `CUpti_ActivityExternalCorrelation` of `cupti_activity.h`, as of CUDA 12 and 13.
//!
//! Older forms of a record are its beginning. Newer ones go on behind it, where they find zeros.
#![expect(unsafe_code, reason = "reads and asks what C reads and asks")]

use cgsan_model::{Code, CopyKind, HostMemory, NodeKind};

use super::activity::{self, Kind};
use super::names;

/// A piece of work that is done.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// What it is.
    pub node: &'a NodeKind,
    /// The executable graph that it belongs to, and its number in there.
    pub at: Option<(u64, u64)>,
}

/// Where work ran, and the number of the call that enqueued it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The device's ordinal.
    pub device: u32,
    /// The stream's identity.
    pub stream: u64,
    /// The number of the call.
    pub correlation: u32,
}

/// A record under construction.
struct Bytes(Vec<u8>);

impl Bytes {
    fn new(kind: Kind, length: usize) -> Bytes {
        Bytes(vec![0; length]).u32(0, kind as u32)
    }

    fn put(mut self, at: usize, bytes: &[u8]) -> Bytes {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn u8(self, at: usize, value: u8) -> Bytes {
        self.put(at, &[value])
    }

    fn u16(self, at: usize, value: u16) -> Bytes {
        self.put(at, &value.to_le_bytes())
    }

    fn u32(self, at: usize, value: u32) -> Bytes {
        self.put(at, &value.to_le_bytes())
    }

    fn u64(self, at: usize, value: u64) -> Bytes {
        self.put(at, &value.to_le_bytes())
    }

    /// Device, context, stream and, apart from them in kernels, the call's number.
    fn place(self, at: usize, correlation: usize, place: Place) -> Bytes {
        self.u32(at, place.device)
            .u32(at + 4, place.device + 1)
            .u32(at + 8, low(place.stream))
            .u32(correlation, place.correlation)
    }

    /// The node that was executed, and the graph that it belongs to.
    fn of_graph(self, node: usize, graph: usize, at: Option<(u64, u64)>) -> Bytes {
        match at {
            Some((executable, number)) => {
                let id = low(executable / HANDLE_STEP);
                self.u64(node, u64::from(id) << 32 | number).u32(graph, id)
            }
            None => self,
        }
    }
}

/// Handles are so far apart; the numbers of graphs are small.
const HANDLE_STEP: u64 = 0x40;

fn low(number: u64) -> u32 {
    (number & 0xffff_ffff) as u32
}

const KERNEL: usize = 256;
const COPY: usize = 128;
const FILL: usize = 128;
const CALL: usize = 40;
const EXTERNAL: usize = 24;

/// The record of work that was done from one time to another; `None` if it is of no kind that is wanted.
pub fn of(execution: &Execution<'_>, place: Place, times: (u64, u64)) -> Option<Vec<u8>> {
    let (start, end) = times;
    let at = execution.at;
    let bytes = match *execution.node {
        NodeKind::Kernel {
            function,
            grid,
            block,
            shared,
        } => {
            let kinds = [Kind::ConcurrentKernel, Kind::Kernel];
            let kind = kinds.into_iter().find(|kind| activity::is_wanted(*kind))?;
            let name = names::address_of(function).expose_provenance() as u64;
            let mut bytes = Bytes::new(kind, KERNEL)
                .u64(16, start)
                .u64(24, end)
                .u64(32, end)
                .place(40, 92, place)
                .u32(80, shared)
                .u64(96, u64::from(place.correlation))
                .u64(104, name)
                .of_graph(144, 156, at);
            for (index, length) in grid.into_iter().chain(block).enumerate() {
                bytes = bytes.u32(52 + 4 * index, length);
            }
            bytes
        }
        NodeKind::Memcpy { kind, bytes, .. } => {
            let (direction, from, to) = direction(kind);
            Bytes::new(wanted(Kind::Copy)?, COPY)
                .u8(4, direction)
                .u8(5, from)
                .u8(6, to)
                .u8(7, 1)
                .u64(8, bytes)
                .u64(16, start)
                .u64(24, end)
                .place(32, 44, place)
                .of_graph(64, 72, at)
                .u64(88, 1)
        }
        NodeKind::Memset { value, bytes, .. } => fill(value, bytes, place, times, at)?,
        NodeKind::MemsetRows {
            value, width, rows, ..
        } => fill(value, width.saturating_mul(rows), place, times, at)?,
        _ => return None,
    };
    Some(bytes.0)
}

fn fill(
    value: u32,
    bytes: u64,
    place: Place,
    (start, end): (u64, u64),
    at: Option<(u64, u64)>,
) -> Option<Bytes> {
    Some(
        Bytes::new(wanted(Kind::Fill)?, FILL)
            .u32(4, value)
            .u64(8, bytes)
            .u64(16, start)
            .u64(24, end)
            .place(32, 44, place)
            .u16(48, 1)
            .u16(50, u16::from(DEVICE))
            .of_graph(64, 72, at),
    )
}

fn wanted(kind: Kind) -> Option<Kind> {
    activity::is_wanted(kind).then_some(kind)
}

/// `CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE` and its kin.
const PAGEABLE: u8 = 1;
const PINNED: u8 = 2;
const DEVICE: u8 = 3;

/// `CUpti_ActivityMemcpyKind`, and the kinds of memory that a copy reads and writes.
fn direction(kind: CopyKind) -> (u8, u8, u8) {
    let host = |memory| match memory {
        HostMemory::Pageable => PAGEABLE,
        HostMemory::Pinned => PINNED,
    };
    match kind {
        CopyKind::HostToDevice(memory) => (1, host(memory), DEVICE),
        CopyKind::DeviceToHost(memory) => (2, DEVICE, host(memory)),
        CopyKind::DeviceToDevice | CopyKind::BetweenDevices => (8, DEVICE, DEVICE),
        CopyKind::HostToHost => (9, PAGEABLE, PAGEABLE),
    }
}

/// The record of a call from its beginning to its end.
pub fn call(
    kind: Kind,
    function: u32,
    (began, ended): (u64, u64),
    correlation: u32,
    code: Code,
) -> Vec<u8> {
    // SAFETY: the function only returns the thread's number.
    let thread = unsafe { libc::pthread_self() };
    Bytes::new(kind, CALL)
        .u32(4, function)
        .u64(8, began)
        .u64(16, ended)
        .u32(24, std::process::id())
        .u32(28, low(thread))
        .u32(32, correlation)
        .u32(36, code.0.cast_unsigned())
        .0
}

/// The record that one of the profiler's own ids was current at a call.
pub fn external(kind: u32, id: u64, correlation: u32) -> Vec<u8> {
    Bytes::new(Kind::ExternalCorrelation, EXTERNAL)
        .u32(4, kind)
        .u64(8, id)
        .u32(16, correlation)
        .0
}

/// The record of a buffer behind `last`, or the first one if that is 0; `None` behind the last one.
///
/// # Safety
///
/// `start` is a buffer that was given back with `used` bytes, and `last` is 0 or a record in it.
pub unsafe fn next(start: usize, used: usize, last: usize) -> Option<usize> {
    let next = if last == 0 {
        start
    } else {
        let kind = std::ptr::with_exposed_provenance::<u32>(last);
        // SAFETY: by the contract of this function, a record begins there, with its kind.
        let kind = Kind::of(unsafe { kind.read_unaligned() })?;
        last + length(kind)
    };
    (next < start + used).then_some(next)
}

fn length(kind: Kind) -> usize {
    match kind {
        Kind::Kernel | Kind::ConcurrentKernel => KERNEL,
        Kind::Copy => COPY,
        Kind::Fill => FILL,
        Kind::Driver | Kind::Runtime => CALL,
        Kind::ExternalCorrelation => EXTERNAL,
        Kind::Overhead | Kind::Synchronization => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_several_kinds_follow_each_other() {
        let records = [
            external(3, 7, 1),
            call(Kind::Runtime, 211, (1, 2), 1, Code::SUCCESS),
            external(3, 8, 2),
        ];
        let buffer = records.concat();
        let start = buffer.as_ptr().expose_provenance();
        let mut at = 0;
        let mut offsets = Vec::new();
        // SAFETY: the buffer holds these records.
        while let Some(next) = unsafe { next(start, buffer.len(), at) } {
            offsets.push(next - start);
            at = next;
        }
        assert_eq!(offsets, [0, 24, 64]);
    }
}
