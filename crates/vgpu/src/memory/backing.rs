//! Host memory behind device addresses: a device address is the address of the host memory that stands for it.
#![expect(unsafe_code, reason = "maps memory")]

use std::fs::File;
use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::{ptr, slice};

use cgsan_observe::sealed::{PRIVATE_MEMORY, is_sealed};

/// The granularity in which the driver takes memory from the device, and the alignment of large allocations.
pub const GRANULARITY: u64 = 2 << 20;

/// A page of the host in bytes.
pub const PAGE: u64 = 4096;

/// A range of addresses of this process. It goes back to the host when this is dropped.
#[derive(Debug)]
pub struct Mapping {
    start: u64,
    bytes: u64,
}

impl Mapping {
    /// Maps `bytes` of zeroed memory, none of which is taken from the host before it is touched. `None` without an address
    /// range of that size.
    pub fn new(bytes: u64) -> Option<Mapping> {
        Mapping::with(bytes, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Maps an address range that cannot be accessed.
    pub fn reserve(bytes: u64) -> Option<Mapping> {
        Mapping::with(bytes, libc::PROT_NONE)
    }

    /// Maps a range aligned to [`GRANULARITY`] where it is at least that large.
    fn with(bytes: u64, protection: i32) -> Option<Mapping> {
        let slack = if bytes >= GRANULARITY { GRANULARITY } else { 0 };
        let pages = bytes.checked_next_multiple_of(PAGE)?;
        let whole = pages.checked_add(slack)?;
        let size = usize::try_from(whole).ok()?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh anonymous mapping, at an address of the kernel's choice, overlays nothing.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.expose_provenance() as u64;
        let mapping = Mapping {
            start,
            bytes: whole,
        };
        if slack == 0 {
            return Some(mapping.of_size(bytes));
        }
        let (before, rest) = mapping.split(start.next_multiple_of(GRANULARITY) - start);
        let (aligned, behind) = rest.split(pages);
        drop((before, behind));
        Some(aligned.of_size(bytes))
    }

    /// The same with its size in bytes instead of whole pages, which is what it goes back in.
    fn of_size(mut self, bytes: u64) -> Mapping {
        self.bytes = bytes;
        self
    }

    /// The first bytes, and the others.
    fn split(self, bytes: u64) -> (Mapping, Mapping) {
        let whole = ManuallyDrop::new(self);
        let first = Mapping {
            start: whole.start,
            bytes,
        };
        let second = Mapping {
            start: whole.start + bytes,
            bytes: whole.bytes - bytes,
        };
        (first, second)
    }

    /// Puts a file in the place of its pages, with what they hold if `keep`: who maps the file too has the same memory.
    ///
    /// # Safety
    ///
    /// Nobody writes to the range meanwhile.
    pub unsafe fn move_into(&self, file: &File, keep: bool) -> io::Result<()> {
        let bytes = self.bytes.next_multiple_of(PAGE);
        if keep {
            // SAFETY: the mapping is readable for its whole life, and by the contract of this function nobody writes to it.
            let content =
                unsafe { slice::from_raw_parts(pointer::<u8>(self.start), length(bytes)) };
            let mut file = file;
            file.write_all(content)?;
        }
        // SAFETY: replaces this value's own pages, which keep their addresses and, in the file, their content.
        unsafe { map_file(self.start, bytes, file.as_raw_fd(), 0) }
    }

    /// Has copies of this process find zeros in it: none of its pages is then copied when the program writes to it. A kernel before
    /// 4.14 copies them.
    pub fn left_out_of_copies(self) -> Mapping {
        if is_sealed() {
            // It is not copied.
            return self;
        }
        self.in_copies(false);
        self
    }

    /// Has copies of this process find in it what it holds, or zeros.
    pub fn in_copies(&self, keep: bool) {
        let advice = if keep {
            libc::MADV_KEEPONFORK
        } else {
            libc::MADV_WIPEONFORK
        };
        // SAFETY: changes nothing in this process.
        unsafe { libc::madvise(pointer(self.start), length(self.bytes), advice) };
    }

    /// Where it starts.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the range was mapped for this value, which alone owns it.
            unsafe { libc::munmap(pointer(self.start), length(self.bytes)) };
        }
    }
}

/// An empty file in memory, which nobody else has. Its size can be sealed.
pub fn new_memory_file() -> io::Result<File> {
    let name = PRIVATE_MEMORY.as_ptr();
    // The C library has a function for it since glibc 2.27 only.
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a constant that ends in a null byte.
    let file = unsafe { libc::syscall(libc::SYS_memfd_create, name, flags) };
    let file = i32::try_from(file).unwrap_or(-1);
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was made just now, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(file) })
}

/// Maps a part of a file in the place of a range, so that all who map it have the same memory.
///
/// # Safety
///
/// The range, in whole pages, is the caller's, and nothing but the file's content is expected in it from now on.
pub unsafe fn map_file(start: u64, bytes: u64, file: RawFd, offset: i64) -> io::Result<()> {
    // SAFETY: by the contract of this function.
    let mapped = unsafe {
        libc::mmap(
            pointer(start),
            length(bytes),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE,
            file,
            offset,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Makes a range read as zeros by dropping its pages, without touching them.
///
/// # Safety
///
/// The range is part of a living [`Mapping`], and its owner has asked for zeros in it.
pub unsafe fn drop_pages(start: u64, bytes: u64) {
    // SAFETY: by the contract of this function, a private anonymous mapping.
    unsafe { libc::madvise(pointer(start), length(bytes), libc::MADV_DONTNEED) };
}

/// Whether every page of a range is mapped into the process.
pub fn is_mapped(start: u64, bytes: u64) -> bool {
    let first = start / PAGE * PAGE;
    if is_sealed() {
        // It may make no other call that finds out.
        // SAFETY: the normal advice changes no content; a page that is not mapped is an error.
        return unsafe {
            libc::madvise(
                pointer(first),
                length(start + bytes - first),
                libc::MADV_NORMAL,
            ) == 0
        };
    }
    // SAFETY: for anonymous memory this flush does nothing, for files it is what the host does at times of its own; a
    // page that is not mapped is an error and not an access.
    unsafe {
        libc::msync(
            pointer(first),
            length(start + bytes - first),
            libc::MS_ASYNC,
        ) == 0
    }
}

/// How many bytes of a range are in pages that the host has not given memory yet; 0 where that cannot be told.
pub fn untouched(start: u64, bytes: u64) -> u64 {
    /// So many are asked for at once, one byte for a page.
    const STEP: u64 = 1 << 30;
    let (first, end) = (start / PAGE * PAGE, start.saturating_add(bytes));
    let mut resident = vec![0_u8; length(STEP / PAGE)];
    let mut untouched = 0;
    let mut at = first;
    while at < end {
        let part = (end - at).min(STEP);
        let pages = length(part.div_ceil(PAGE));
        // SAFETY: there is a byte for each page of the part, and a part that is not mapped is an error and not an access.
        let known = unsafe { libc::mincore(pointer(at), length(part), resident.as_mut_ptr()) } == 0;
        if known {
            let missing = resident[..pages].iter().filter(|page| **page & 1 == 0);
            untouched += missing.count() as u64 * PAGE;
        }
        at += part;
    }
    untouched
}

/// An address as a pointer.
pub fn pointer<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(length(address))
}

/// A 64-bit number as a size: the same on the only platform there is, x86-64.
pub fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_aligned_zeroed_and_given_back() {
        for bytes in [1, PAGE, GRANULARITY, 3 * GRANULARITY + 512] {
            let mapping = Mapping::new(bytes).unwrap();
            let start = mapping.start();
            assert_eq!(mapping.bytes(), bytes);
            assert!(bytes < GRANULARITY || start.is_multiple_of(GRANULARITY));
            // SAFETY: the mapping is alive.
            assert_eq!(unsafe { pointer::<u8>(start + bytes - 1).read() }, 0);
            drop(mapping);
            assert!(!is_mapped(start, bytes));
            assert!(!is_mapped(start + bytes - 1, 1));
        }
    }
}
