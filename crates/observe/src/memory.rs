//! How memory of this process is read whose layout is known from elsewhere: the interpreter's objects, loaded files.
#![expect(
    unsafe_code,
    reason = "reads memory whose layout is known from elsewhere"
)]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

pub use cgsan_frames::Memory;
use cgsan_frames::Plain;

/// Reads without asking. The cost is that of a load.
///
/// Made only by [`Trusted::after_check`]: the addresses come from layouts, so whoever reads this way must have seen the
/// layout fit.
#[derive(Debug)]
pub struct Trusted(());

impl Trusted {
    /// # Safety
    ///
    /// The caller has checked that the layout it reads by is that of the running interpreter, and reads only objects that
    /// the calling thread's own frames keep alive.
    pub unsafe fn after_check() -> Trusted {
        Trusted(())
    }
}

impl Memory for Trusted {
    #[inline]
    fn number<T: Plain>(&self, address: usize) -> Option<T> {
        if address == 0 {
            return None;
        }
        // SAFETY: by the contract of `after_check` there is an object of the interpreter here.
        Some(unsafe { (address as *const T).read_unaligned() })
    }

    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        if address == 0 {
            return None;
        }
        // SAFETY: as above, and the length is that of the object; the buffer is ours.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, buffer.as_mut_ptr(), buffer.len());
        }
        Some(())
    }
}

/// Reads through the kernel, which answers for an address that is not mapped instead of raising SIGSEGV.
pub struct Checked(File);

impl Checked {
    /// The memory of this process.
    pub fn open() -> io::Result<Checked> {
        File::open("/proc/self/mem").map(Checked)
    }
}

impl Memory for Checked {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        self.0.read_exact_at(buffer, address as u64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_not_mapped_is_no_crash() {
        let memory = Checked::open().unwrap();
        assert_eq!(memory.number::<u64>(0), None);
        assert_eq!(memory.number::<u64>(usize::MAX - 3), None);
        assert_eq!(memory.number::<u32>(0xdead_0000_0000), None);
    }

    #[test]
    fn both_ways_read_the_same() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let address = &raw const value as usize;
        // SAFETY: the address is that of a local.
        let trusted = unsafe { Trusted::after_check() };
        assert_eq!(trusted.number::<u64>(address), Some(value));
        let checked = Checked::open().unwrap();
        assert_eq!(checked.number::<u64>(address), Some(value));
        assert_eq!(checked.number::<u8>(address), Some(0xef));
    }
}
