//! The memory of another process.
#![expect(unsafe_code, reason = "asks the kernel for memory of another process")]

use std::ffi::c_void;

use cgsan_frames::Memory;

/// The memory of a process, read by the kernel, which answers for an address that is not mapped.
#[derive(Clone, Copy, Debug)]
pub struct Remote(libc::pid_t);

impl Remote {
    /// The memory of a process.
    pub fn of(pid: u32) -> Remote {
        Remote(pid.cast_signed())
    }

    /// Whether it may be read; else why not.
    pub fn check(self, address: usize) -> Result<(), String> {
        let mut byte = [0];
        match self.read(address, &mut byte) {
            1 => Ok(()),
            _ => Err(cgsan_files::in_words(&std::io::Error::last_os_error())),
        }
    }

    fn read(self, address: usize, buffer: &mut [u8]) -> isize {
        let local = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast::<c_void>(),
            iov_len: buffer.len(),
        };
        let remote = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(address),
            iov_len: buffer.len(),
        };
        // SAFETY: the local buffer is writable for its length; the other address is the kernel's to check.
        unsafe { libc::process_vm_readv(self.0, &raw const local, 1, &raw const remote, 1, 0) }
    }
}

impl Memory for Remote {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        let read = self.read(address, buffer);
        (usize::try_from(read) == Ok(buffer.len())).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_no_error_of_ours() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let own = Remote::of(std::process::id());
        assert_eq!(own.number(&raw const value as usize), Some(value));
        assert_eq!(own.number::<u64>(0), None);
        assert_eq!(own.number::<u64>(usize::MAX - 3), None);
        assert!(Remote::of(u32::MAX / 4).check(4096).is_err());
    }
}
