//! Fills: which bytes get which value.
#![expect(unsafe_code, reason = "writes the memory of the program")]

use cgsan_model::{Code, NodeKind};

use super::backing::{self, PAGE, length, pointer};
use super::table::{self, Kind};
use super::written;
use crate::gpu::schedule::progress::is_immediate;
use crate::gpu::{kernel, tally};
use crate::values::agent::are_computed;

/// A fill of rows with a value of one, two or four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    start: u64,
    /// The distance of rows in bytes.
    pitch: u64,
    value: u32,
    /// The bytes of a value: 1, 2 or 4.
    size: u8,
    /// Values in a row.
    width: u64,
    rows: u64,
}

/// Fills of this many bytes and more are worth the system call that drops pages.
const WORTH_DROPPING: u64 = 1 << 20;

impl Fill {
    /// A fill of consecutive bytes.
    pub fn bytes(start: u64, value: u8, bytes: u64) -> Fill {
        Fill::rows(start, bytes, u32::from(value), 1, bytes, 1)
    }

    /// A fill of `rows` rows, `pitch` bytes apart, of `width` values of `size` bytes each.
    pub fn rows(start: u64, pitch: u64, value: u32, size: u8, width: u64, rows: u64) -> Fill {
        Fill {
            start,
            pitch,
            value,
            size,
            width,
            rows,
        }
    }

    /// Whether it writes nothing.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.rows == 0
    }

    /// Refuses a fill of memory that is not the GPU's, or past the end of an allocation.
    pub fn check(&self) -> Result<(), Code> {
        let end = self.end().ok_or(Code::INVALID_VALUE)?;
        if table::lock().has(self.start, end) {
            Ok(())
        } else {
            Err(Code::INVALID_VALUE)
        }
    }

    /// Whether the memory is still there that it was made for.
    pub fn has_its_memory(&self) -> bool {
        self.end()
            .is_some_and(|end| table::lock().has_for_work(self.start, end))
    }

    /// One past its last byte; none if no address is that high.
    fn end(&self) -> Option<u64> {
        let rows = self.rows.saturating_sub(1).checked_mul(self.pitch)?;
        let row = self.width.checked_mul(u64::from(self.size))?;
        rows.checked_add(row)?.checked_add(self.start)
    }

    /// Where it starts, the distance of rows in bytes, the value, its size in bytes, values in a row, rows.
    pub fn parts(&self) -> (u64, u64, u32, u8, u64, u64) {
        (
            self.start, self.pitch, self.value, self.size, self.width, self.rows,
        )
    }

    /// The fill as a node of a graph.
    pub fn node(&self) -> NodeKind {
        NodeKind::Memset {
            dst: self.start,
            value: self.value,
            bytes: self.row_bytes().saturating_mul(self.rows),
        }
    }

    /// Writes the values.
    pub fn run(&self) {
        if self.rows == 1 {
            kernel::note_written(self.start, self.start.saturating_add(self.row_bytes()));
        }
        if self.value != 0 {
            let last = self.start + self.rows.saturating_sub(1) * self.pitch;
            written::note(self.start, last.saturating_add(self.row_bytes()));
        }
        for row in 0..self.rows {
            self.run_row(self.start + row * self.pitch);
        }
    }

    fn row_bytes(&self) -> u64 {
        self.width.saturating_mul(u64::from(self.size))
    }

    fn run_row(&self, start: u64) {
        let bytes = self.row_bytes();
        let value = self.value.to_ne_bytes();
        if self.value == 0 && bytes >= WORTH_DROPPING && drops_to_zero(start) {
            let first = start.next_multiple_of(PAGE);
            let last = (start + bytes) / PAGE * PAGE;
            write(start, first - start, &value[..1]);
            // SAFETY: `drops_to_zero` says that the range is memory of a block that has its own.
            unsafe { backing::drop_pages(first, last - first) };
            write(last, start + bytes - last, &value[..1]);
        } else {
            write(start, bytes, &value[..usize::from(self.size)]);
        }
    }
}

/// Makes memory that PyTorch's allocator gives out anew read as zeros: kernels do not compute here, so what is read from it
/// would otherwise be what its last owner left, a weight as the number of rows, say.
///
/// Where work is done late, that is known only when the memory is read; so it is where values are computed, which write all that
/// is read otherwise.
pub fn clear(start: u64, bytes: u64) {
    let end = start.saturating_add(bytes);
    let is_ours = {
        let table = table::lock();
        let block = table.find(start);
        block.is_some_and(|block| block.kind.is_device()) && table.holds(start, end)
    };
    // What waits for its turn may still read from the block.
    let is_cleared = is_immediate() && !are_computed();
    tally::note_allocated(start, bytes, is_cleared);
    if is_ours && is_cleared && written::may_hold(start, end) {
        Fill::bytes(start, 0, bytes).run_row(start);
    }
}

/// Whether the pages at an address become zeros when they are dropped.
fn drops_to_zero(address: u64) -> bool {
    let block = table::lock().find(address);
    let is_of_a_file = |kind| matches!(kind, Kind::Mapped | Kind::Shared | Kind::Imported);
    block.is_some_and(|block| {
        !is_of_a_file(block.kind) && !matches!(block.kind, Kind::Registered { .. })
    })
}

/// Repeats `value` over `bytes` bytes.
fn write(start: u64, bytes: u64, value: &[u8]) {
    // SAFETY: the program promises the range for the fill, as it does to the real driver.
    let range = unsafe { std::slice::from_raw_parts_mut(pointer::<u8>(start), length(bytes)) };
    match value {
        [byte] => range.fill(*byte),
        _ => range
            .chunks_exact_mut(value.len())
            .for_each(|chunk| chunk.copy_from_slice(value)),
    }
}
