//! How memory is read whose layout is known from elsewhere: the interpreter's objects, loaded files.

use crate::plain::{Plain, read_plain};

/// Memory of a process, read at addresses that were found in it.
pub trait Memory {
    /// The number at `address`.
    fn number<T: Plain>(&self, address: usize) -> Option<T> {
        read_plain(|buffer| self.bytes(address, buffer))
    }

    /// Fills `buffer` with the bytes at `address`.
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()>;

    /// The pointer in the object at `address`, `offset` bytes into it; `None` if it is null.
    #[inline]
    fn pointer(&self, address: usize, offset: usize) -> Option<usize> {
        if address == 0 {
            return None;
        }
        self.number(address.checked_add(offset)?)
            .filter(|pointer| *pointer != 0)
    }
}
