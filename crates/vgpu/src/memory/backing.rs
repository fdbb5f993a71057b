//! Host memory behind device addresses: a device address is the address of the host memory that stands for it.

use std::ptr;

/// The granularity in which the driver takes memory from the device, and the alignment of large allocations.
pub const GRANULARITY: u64 = 2 << 20;

/// A page of the host in bytes.
pub const PAGE: u64 = 4096;

/// Maps `bytes` of zeroed memory, none of which is taken from the host before it is touched. `None` without an address
/// range of that size.
pub fn map(bytes: u64) -> Option<u64> {
    map_with(bytes, libc::PROT_READ | libc::PROT_WRITE)
}

/// Maps an address range that cannot be accessed.
pub fn reserve(bytes: u64) -> Option<u64> {
    map_with(bytes, libc::PROT_NONE)
}

/// Maps a range aligned to [`GRANULARITY`] where it is at least that large.
fn map_with(bytes: u64, protection: i32) -> Option<u64> {
    let slack = if bytes >= GRANULARITY { GRANULARITY } else { 0 };
    let length = usize::try_from(bytes.checked_add(slack)?).ok()?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh anonymous mapping, at an address of the kernel's choice, overlays nothing.
    let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = start.expose_provenance() as u64;
    if slack == 0 {
        return Some(start);
    }
    let aligned = start.next_multiple_of(GRANULARITY);
    unmap(start, aligned - start);
    unmap(aligned + bytes, start + slack - aligned);
    Some(aligned)
}

/// Gives a range back to the host. It must be one that [`map`] or [`reserve`] returned, or a part of one.
pub fn unmap(start: u64, bytes: u64) {
    if bytes > 0 {
        // SAFETY: the range lies in a mapping of this module's, which its owner gives up here.
        unsafe { libc::munmap(pointer(start), length(bytes)) };
    }
}

/// Makes a range read as zeros by dropping its pages, without touching them. Only for ranges that [`map`] returned.
pub fn drop_pages(start: u64, bytes: u64) {
    // SAFETY: a private anonymous mapping of this module's; its owner asks for zeros in it.
    unsafe { libc::madvise(pointer(start), length(bytes), libc::MADV_DONTNEED) };
}

/// Whether every page of a range is mapped into the process.
pub fn is_mapped(start: u64, bytes: u64) -> bool {
    let first = start / PAGE * PAGE;
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

/// An address as a pointer.
pub fn pointer<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(length(address))
}

/// A 64-bit number as a size: the same on the only platform there is, x86-64.
pub fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
