//! Copies: which bytes go where.
#![expect(unsafe_code, reason = "copies the memory of the program")]

use cgsan_model::{Code, CopyKind, HostMemory, NodeKind};

use super::backing;
use super::move_bytes::move_bytes;
use super::table::{self, Kind};
use super::written;
use crate::gpu::kernel;

/// A copy of up to three dimensions; one line of bytes is the common case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    destination: Side,
    source: Side,
    /// Bytes in a row, rows in a plane, planes.
    extent: [u64; 3],
}

/// One side of a copy: where it starts, and the bytes from one row to the next, and from one plane to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The first byte.
    pub start: u64,
    /// The distance of rows in bytes.
    pub row: u64,
    /// The distance of planes in bytes.
    pub plane: u64,
}

impl Side {
    /// A side that starts at an address.
    pub fn new(start: u64, row: u64, plane: u64) -> Side {
        Side { start, row, plane }
    }
}

impl Transfer {
    /// A copy of consecutive bytes.
    pub fn linear(destination: u64, source: u64, bytes: u64) -> Transfer {
        let side = |start| Side::new(start, 0, 0);
        Transfer {
            destination: side(destination),
            source: side(source),
            extent: [bytes, 1, 1],
        }
    }

    /// A copy of rows and planes; `extent` is bytes in a row, rows, planes.
    pub fn pitched(destination: Side, source: Side, extent: [u64; 3]) -> Transfer {
        Transfer {
            destination,
            source,
            extent,
        }
    }

    /// How many bytes it moves; more than there are addresses is refused by [`check`](Transfer::check).
    pub fn bytes(&self) -> u64 {
        self.extent
            .iter()
            .fold(1, |bytes: u64, length| bytes.saturating_mul(*length))
    }

    /// Where it reads and writes, by what the addresses are.
    pub fn kind(&self) -> CopyKind {
        let table = table::lock();
        let of = |address| table.find(address).map(|block| block.kind);
        let (destination, source) = (of(self.destination.start), of(self.source.start));
        match (host(source), host(destination)) {
            (Some(_), Some(_)) => CopyKind::HostToHost,
            (Some(memory), None) => CopyKind::HostToDevice(memory),
            (None, Some(memory)) => CopyKind::DeviceToHost(memory),
            (None, None) => CopyKind::DeviceToDevice,
        }
    }

    /// Whether the source, and whether the destination, is ordinary memory of the host.
    pub fn pageable_sides(&self) -> (bool, bool) {
        let table = table::lock();
        let is_pageable = |side: Side| table.find(side.start).is_none();
        (is_pageable(self.source), is_pageable(self.destination))
    }

    /// Refuses a copy from or to nothing, past the end of an allocation, or of one that was freed.
    pub fn check(&self) -> Result<(), Code> {
        let table = table::lock();
        for side in [self.source, self.destination] {
            let end = self.end(side).ok_or(Code::INVALID_VALUE)?;
            let is_there = if table.find(side.start).is_some() {
                table.holds(side.start, end)
            } else {
                // What was given back is gone, though tasks may still use it.
                side.start != 0
                    && backing::is_mapped(side.start, end - side.start)
                    && !table.retired.has(side.start)
            };
            if !is_there {
                return Err(Code::INVALID_VALUE);
            }
        }
        Ok(())
    }

    /// Whether the memory is still there that a copy of this kind was made for.
    pub fn has_its_memory(&self, kind: CopyKind) -> bool {
        let (from_device, to_device) = match kind {
            CopyKind::DeviceToDevice | CopyKind::BetweenDevices => (true, true),
            CopyKind::DeviceToHost(_) => (true, false),
            CopyKind::HostToDevice(_) => (false, true),
            CopyKind::HostToHost => (false, false),
        };
        let is_there = |side: Side, of_device| {
            let Some(end) = self.end(side) else {
                return false;
            };
            if of_device {
                let table = table::lock();
                let block = table.find(side.start);
                block.is_none_or(|block| block.kind.is_device())
                    && table.has_for_work(side.start, end)
            } else {
                backing::is_mapped(side.start, end - side.start)
            }
        };
        is_there(self.source, from_device) && is_there(self.destination, to_device)
    }

    /// One past the last byte of a side; none if no address is that high.
    fn end(&self, side: Side) -> Option<u64> {
        let [width, height, depth] = self.extent;
        let rows = side.row.checked_mul(height.checked_sub(1)?)?;
        let planes = side.plane.checked_mul(depth.checked_sub(1)?)?;
        side.start
            .checked_add(width)?
            .checked_add(rows)?
            .checked_add(planes)
    }

    /// Where it reads first.
    pub fn source(&self) -> u64 {
        self.source.start
    }

    /// The two sides, destination first, and the extent: bytes in a row, rows, planes.
    pub fn parts(&self) -> (Side, Side, [u64; 3]) {
        (self.destination, self.source, self.extent)
    }

    /// The copy as a node of a graph.
    pub fn node(&self) -> NodeKind {
        self.node_of(self.kind())
    }

    /// As [`node`](Transfer::node), of a kind that is known.
    pub fn node_of(&self, kind: CopyKind) -> NodeKind {
        NodeKind::Memcpy {
            kind,
            dst: self.destination.start,
            src: self.source.start,
            bytes: self.bytes(),
        }
    }

    /// Moves the bytes.
    pub fn run(&self) {
        let end = |side| self.end(side).unwrap_or(u64::MAX);
        let kind = self.kind();
        if matches!(kind, CopyKind::HostToDevice(_) | CopyKind::DeviceToDevice) {
            written::note(
                self.destination.start,
                self.end(self.destination).unwrap_or(self.destination.start),
            );
        }
        match kind {
            CopyKind::DeviceToHost(_) => {
                kernel::note_read_by_host(self.source.start, end(self.source));
            }
            CopyKind::HostToDevice(_) if self.extent[1..] == [1, 1] => {
                kernel::note_written(self.destination.start, end(self.destination));
            }
            _ => {}
        }
        self.move_bytes();
    }

    /// Moves the bytes, and notes nothing.
    pub fn move_bytes(&self) {
        let [width, height, depth] = self.extent;
        for plane in 0..depth {
            for row in 0..height {
                let at = |side: Side| side.start + plane * side.plane + row * side.row;
                let (to, from) = (at(self.destination), at(self.source));
                // SAFETY: the program promises both ranges for the copy, as it does to the real driver.
                unsafe { move_bytes(to, from, width) };
            }
        }
    }
}

/// How the memory was allocated, if it belongs to the host.
fn host(kind: Option<Kind>) -> Option<HostMemory> {
    match kind {
        None => Some(HostMemory::Pageable),
        Some(Kind::Host { .. } | Kind::Registered { .. }) => Some(HostMemory::Pinned),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::backing::{Mapping, PAGE};

    #[test]
    fn a_copy_has_its_memory_until_one_side_is_gone() {
        let map = || Mapping::new(PAGE).unwrap();
        let (from, to) = (map(), map());
        let copy = Transfer::linear(to.start(), from.start(), PAGE);
        assert!(copy.has_its_memory(CopyKind::HostToHost));
        assert!(!copy.has_its_memory(CopyKind::DeviceToDevice));
        drop(from);
        assert!(!copy.has_its_memory(CopyKind::HostToHost));
    }
}
