//! Bytes on their way from the host to the device: a copy of ordinary memory of the host takes them when it is enqueued, as the
//! driver does with memory of its own.

use super::{Side, Transfer};

/// A copy with the bytes that it will write.
#[derive(Debug)]
pub struct Staged {
    /// Keeps the source of `transfer`.
    _bytes: Box<[u8]>,
    transfer: Transfer,
}

impl Staged {
    /// A copy with what its source holds now.
    pub fn of(transfer: &Transfer) -> Staged {
        let (destination, source, extent) = transfer.parts();
        let [width, height, _] = extent;
        let size = usize::try_from(transfer.bytes()).unwrap_or(usize::MAX);
        let mut bytes = vec![0_u8; size].into_boxed_slice();
        let start = bytes.as_mut_ptr().expose_provenance() as u64;
        let packed = Side::new(start, width, width * height);
        Transfer::pitched(packed, source, extent).move_bytes();
        Staged {
            _bytes: bytes,
            transfer: Transfer::pitched(destination, packed, extent),
        }
    }

    /// Writes the bytes.
    pub fn run(&self) {
        self.transfer.run();
    }
}
