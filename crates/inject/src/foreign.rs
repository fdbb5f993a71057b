//! The memory that parameters point to: the program's and the driver's.
#![expect(unsafe_code, reason = "reads the memory of C callers")]

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use cgsan_observe::{Plain, read_plain};

// SAFETY: every bit pattern is an address.
unsafe impl<T> Plain for Pointer<T> {}

/// A pointer among the parameters of a call. It comes from C alone, in a structure that was read.
#[repr(transparent)]
#[derive(Debug)]
pub struct Pointer<T>(*const T);

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pointer<T> {}

impl<T> Pointer<T> {
    /// A pointer that a C caller passed.
    ///
    /// # Safety
    ///
    /// The pointer is null, or was passed to a call that lasts as long as this is used.
    pub unsafe fn new(pointer: *const T) -> Pointer<T> {
        Pointer(pointer)
    }

    /// Whether nothing was passed.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// What lies so many bytes behind; nothing behind null.
    pub fn behind<U>(self, bytes: usize) -> Pointer<U> {
        if self.0.is_null() {
            return Pointer(std::ptr::null());
        }
        Pointer(self.0.wrapping_byte_add(bytes).cast())
    }
}

impl<T: Plain> Pointer<T> {
    /// Reads what the driver has read or written there, in a call that succeeded; `None` if the pointer is null.
    ///
    /// # Safety
    ///
    /// The pointer is null or the driver has used it, and the call has not returned to the program.
    pub unsafe fn read(self) -> Option<T> {
        // SAFETY: by the contract of this function; every bit pattern is a value.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// Reads `count` of them likewise; none if the pointer is null.
    ///
    /// # Safety
    ///
    /// As for [`read`](Pointer::read).
    pub unsafe fn read_all(self, count: usize) -> Vec<T> {
        if self.0.is_null() {
            return Vec::new();
        }
        // SAFETY: by the contract of this function.
        let at = |index| unsafe { self.0.wrapping_add(index).read_unaligned() };
        (0..count).map(at).collect()
    }

    /// Reads what may not be there, since nobody has checked the pointer: `None` if it cannot be read.
    pub fn read_unchecked_by_driver(self) -> Option<T> {
        // The kernel answers for an address that is not mapped. No descriptor is kept: the program may close it.
        let memory = File::open("/proc/self/mem").ok()?;
        read_plain(|bytes| memory.read_exact_at(bytes, self.0 as u64).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_checked_is_read_or_it_is_not_there() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let there = Pointer(&raw const value);
        assert_eq!(there.read_unchecked_by_driver(), Some(value));
        // SAFETY: the value is there.
        assert_eq!(unsafe { there.read() }, Some(value));
        for address in [0, 8, 0xdead_0000_0000, usize::MAX - 3] {
            let nowhere = Pointer::<u64>(std::ptr::with_exposed_provenance(address));
            assert_eq!(nowhere.read_unchecked_by_driver(), None, "{address:x}");
        }
        let null = Pointer::<u64>(std::ptr::null());
        assert!(null.is_null() && null.behind::<u8>(16).is_null());
    }
}
