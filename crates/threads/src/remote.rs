//! The memory of another process.
#![expect(unsafe_code, reason = "asks the kernel for memory of another process")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::time::{Duration, Instant};

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

    /// What lies from an address on, as far as it is there.
    pub fn prefix(self, address: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let read = usize::try_from(self.read(address, &mut bytes)).unwrap_or(0);
        bytes.truncate(read);
        bytes
    }

    /// Writes bytes at an address that may be written; `None` if not all of them were.
    pub fn write(self, address: usize, bytes: &[u8]) -> Option<()> {
        let local = libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast::<c_void>(),
            iov_len: bytes.len(),
        };
        let remote = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(address),
            iov_len: bytes.len(),
        };
        // SAFETY: the local bytes are only read; the other address is the kernel's to check.
        let written = unsafe {
            libc::process_vm_writev(self.0, &raw const local, 1, &raw const remote, 1, 0)
        };
        (usize::try_from(written) == Ok(bytes.len())).then_some(())
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

/// Bytes that are read at once.
const PAGE: usize = 4096;

/// The most pages that are kept.
const PAGES: usize = 1 << 17;

/// The memory of a process, each page as it was when it was first read: many small reads cost few calls.
#[derive(Debug)]
pub struct Pages {
    memory: Remote,
    pages: RefCell<HashMap<usize, Option<Box<[u8; PAGE]>>>>,
}

impl Pages {
    /// Nothing of it was read yet.
    pub fn of(memory: Remote) -> Pages {
        Pages {
            memory,
            pages: RefCell::default(),
        }
    }

    fn read(&self, page: usize) -> Option<Box<[u8; PAGE]>> {
        let mut bytes = Box::new([0; PAGE]);
        self.memory.bytes(page, &mut bytes[..])?;
        Some(bytes)
    }
}

impl Memory for Pages {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        let mut pages = self.pages.borrow_mut();
        let mut done = 0;
        while done < buffer.len() {
            let at = address.checked_add(done)?;
            let within = at % PAGE;
            let page = at - within;
            if pages.len() >= PAGES && !pages.contains_key(&page) {
                return None;
            }
            let bytes = pages.entry(page).or_insert_with(|| self.read(page));
            let part = &bytes.as_ref()?[within..];
            let length = part.len().min(buffer.len() - done);
            buffer[done..done + length].copy_from_slice(&part[..length]);
            done += length;
        }
        Some(())
    }
}

/// For how long a page of [`Fresh`] is kept.
const FRESH: Duration = Duration::from_millis(1);

/// How many pages of it are kept, a power of two.
const SLOTS: usize = 256;

/// The memory of a process as it was a moment ago: what goes from one object to the next of a page costs one call for many.
#[derive(Debug)]
pub struct Fresh {
    memory: Remote,
    /// Each page has one place here, by its number, and gives it to another one of the same place.
    pages: RefCell<Vec<Option<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    page: usize,
    read: Instant,
    bytes: Box<[u8; PAGE]>,
}

impl Fresh {
    /// Nothing of it was read yet.
    pub fn of(memory: Remote) -> Fresh {
        let pages = (0..SLOTS).map(|_| None).collect();
        Fresh {
            memory,
            pages: RefCell::new(pages),
        }
    }

    /// Fills `buffer` with what lies in one page.
    fn within(&self, page: usize, offset: usize, buffer: &mut [u8]) -> Option<()> {
        let mut pages = self.pages.borrow_mut();
        let kept = &mut pages[page / PAGE % SLOTS];
        if !matches!(kept, Some(it) if it.page == page && it.read.elapsed() < FRESH) {
            let mut bytes = match kept.take() {
                Some(old) => old.bytes,
                None => Box::new([0; PAGE]),
            };
            let read = Instant::now();
            self.memory.bytes(page, &mut bytes[..])?;
            *kept = Some(Kept { page, read, bytes });
        }
        let bytes = &kept.as_ref()?.bytes;
        buffer.copy_from_slice(&bytes[offset..offset + buffer.len()]);
        Some(())
    }
}

impl Memory for Fresh {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        let offset = address % PAGE;
        if buffer.len() > PAGE - offset {
            return self.memory.bytes(address, buffer);
        }
        self.within(address - offset, offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_a_moment_ago_is_read_anew() {
        let value = std::cell::UnsafeCell::new(7_u64);
        let memory = Remote::of(std::process::id());
        let fresh = Fresh::of(memory);
        let address = value.get() as usize;
        assert_eq!(fresh.number(address), Some(7_u64));
        memory.write(address, &9_u64.to_ne_bytes()).unwrap();
        std::thread::sleep(2 * FRESH);
        assert_eq!(fresh.number(address), Some(9_u64));
        assert_eq!(fresh.number::<u64>(0), None);
        let other_of_its_place = address.checked_add(SLOTS * PAGE).unwrap();
        let _ = fresh.number::<u64>(other_of_its_place);
        assert_eq!(fresh.number(address), Some(9_u64));
    }

    #[test]
    fn memory_that_is_not_there_is_no_error_of_ours() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let own = Remote::of(std::process::id());
        assert_eq!(own.number(&raw const value as usize), Some(value));
        assert_eq!(own.number::<u64>(0), None);
        assert_eq!(own.number::<u64>(usize::MAX - 3), None);
        assert!(Remote::of(u32::MAX / 4).check(4096).is_err());
        assert_eq!(
            own.prefix(&raw const value as usize, 8),
            value.to_ne_bytes()
        );
        assert!(own.prefix(0, 8).is_empty());
    }

    #[test]
    fn what_is_written_is_there() {
        let value = std::cell::UnsafeCell::new(7_u64);
        let own = Remote::of(std::process::id());
        own.write(value.get() as usize, &9_u64.to_ne_bytes())
            .unwrap();
        assert_eq!(own.number(value.get() as usize), Some(9_u64));
        assert_eq!(own.write(0, &[1]), None);
    }

    #[test]
    fn what_lies_on_two_pages_is_read_from_both() {
        let values: Vec<u64> = (0..2048).collect();
        let pages = Pages::of(Remote::of(std::process::id()));
        let mut bytes = vec![0; 8 * values.len()];
        pages.bytes(values.as_ptr() as usize, &mut bytes).unwrap();
        let read = bytes
            .chunks_exact(8)
            .map(|it| u64::from_ne_bytes(it.try_into().unwrap()));
        assert!(read.eq(values.iter().copied()));
        assert_eq!(pages.number::<u64>(0), None);
    }
}
