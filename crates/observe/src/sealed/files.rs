//! The child's files: a pipe, and nothing behind the others.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::{Failure, checked};

/// The child's end of the pipe.
const REPORT: c_int = 3;

/// The size of what comes before the name in a `struct linux_dirent64`, and where in it its length is.
const NAME: usize = 19;
const LENGTH: usize = 16;

/// Whether a file is a pipe.
pub fn is_pipe(file: c_int) -> bool {
    status(file).is_some_and(|it| it.st_mode & libc::S_IFMT == libc::S_IFIFO)
}

/// Leaves `report` as file 3, `/dev/null` as those before it, and no other.
pub fn close_all_but(report: c_int) -> Result<(), Failure> {
    if report != REPORT {
        copy_to(report, REPORT)?;
    }
    if !close_range() {
        close_each()?;
    }
    // SAFETY: the path is a string of C.
    let nothing = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
    checked(nothing, Failure::Files)?;
    for standard in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        copy_to(nothing, standard)?;
    }
    // It is one of the three where that was closed.
    if nothing > REPORT {
        close(nothing);
    }
    Ok(())
}

fn copy_to(file: c_int, number: c_int) -> Result<(), Failure> {
    // SAFETY: takes numbers only; what was there is closed.
    checked(unsafe { libc::dup2(file, number) }, Failure::Files)?;
    Ok(())
}

/// Closes all behind the pipe; whether the kernel can (5.9).
fn close_range() -> bool {
    // SAFETY: takes numbers only. What is closed belongs to the copies of the program's objects, of which nobody uses one again.
    unsafe { libc::syscall(libc::SYS_close_range, REPORT + 1, u32::MAX, 0) == 0 }
}

/// The same by the list of open files.
fn close_each() -> Result<(), Failure> {
    each(|file, list| {
        if file > REPORT && file != list {
            close(file);
        }
        ControlFlow::Continue(())
    })
}

fn close(file: c_int) {
    // SAFETY: as in `close_range`.
    unsafe { libc::close(file) };
}

/// The open file that has this device and inode.
pub fn with_inode(device: (u32, u32), inode: u64) -> Option<c_int> {
    let mut found = None;
    let seen = each(|file, _| {
        let is_it = status(file).is_some_and(|it| {
            it.st_ino == inode && (libc::major(it.st_dev), libc::minor(it.st_dev)) == device
        });
        if is_it {
            found = Some(file);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    seen.ok().and(found)
}

fn status(file: c_int) -> Option<libc::stat> {
    let mut status = MaybeUninit::uninit();
    // SAFETY: there is room for a status, which is filled in if that succeeds.
    unsafe { (libc::fstat(file, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

/// Shows each open file to `see`, with the one that the list is read from.
fn each(mut see: impl FnMut(c_int, c_int) -> ControlFlow<()>) -> Result<(), Failure> {
    let list = Descriptor::open(c"/proc/self/fd", libc::O_RDONLY | libc::O_DIRECTORY)?;
    let mut buffer = [0; 2048];
    loop {
        let entries = list.entries(&mut buffer).ok_or(Failure::Files)?;
        if entries.is_empty() {
            return Ok(());
        }
        let mut rest = entries;
        while let Some(bytes) = rest.get(LENGTH..LENGTH + 2) {
            let length = usize::from(u16::from_ne_bytes([bytes[0], bytes[1]]));
            let (Some(name), Some(next)) = (rest.get(NAME..), rest.get(length.max(NAME)..)) else {
                return Err(Failure::Files);
            };
            let file = number(name, 10).and_then(|(file, _)| c_int::try_from(file).ok());
            if let Some(file) = file
                && see(file, list.0).is_break()
            {
                return Ok(());
            }
            rest = next;
        }
    }
}

/// The number that a text begins with, and what is behind it.
pub fn number(text: &[u8], base: u32) -> Option<(u64, &[u8])> {
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let length = text.iter().take_while(|it| digit(it).is_some()).count();
    let (digits, rest) = text.split_at(length);
    let number = digits.iter().try_fold(0_u64, |number, byte| {
        let digit = u64::from(digit(byte)?);
        number.checked_mul(u64::from(base))?.checked_add(digit)
    });
    number.filter(|_| length > 0).map(|number| (number, rest))
}

/// An open file, without what allocates.
pub struct Descriptor(c_int);

impl Descriptor {
    /// Opens a file.
    pub fn open(path: &CStr, how: c_int) -> Result<Descriptor, Failure> {
        // SAFETY: the path is a string of C.
        let file = unsafe { libc::open(path.as_ptr(), how | libc::O_CLOEXEC) };
        checked(file, Failure::Files)?;
        Ok(Descriptor(file))
    }

    /// What comes next; empty at the end.
    pub fn read<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
        // SAFETY: the pointer and the length are the buffer's.
        let read = unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        buffer.get(..usize::try_from(read).ok()?)
    }

    /// The next entries of a folder; empty at the end.
    fn entries<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
        // SAFETY: the pointer and the length are the buffer's.
        let read = unsafe {
            libc::syscall(
                libc::SYS_getdents64,
                self.0,
                buffer.as_mut_ptr(),
                buffer.len(),
            )
        };
        buffer.get(..usize::try_from(read).ok()?)
    }

    /// Writes, if that is possible.
    pub fn write(&self, bytes: &[u8]) {
        // SAFETY: the pointer and the length are those of the bytes.
        unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        close(self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_file_is_found_by_its_inode() {
        let file = tempfile::tempfile().unwrap();
        let found = file.metadata().unwrap();
        let device = (libc::major(found.dev()), libc::minor(found.dev()));
        assert_eq!(with_inode(device, found.ino()), Some(file.as_raw_fd()));
        assert_eq!(with_inode((0xfff, 0xff), found.ino()), None);
        assert!(!is_pipe(file.as_raw_fd()));
    }

    #[test]
    fn every_open_file_is_listed() {
        let files: Vec<_> = (0..200).map(|_| tempfile::tempfile().unwrap()).collect();
        let mut seen = Vec::new();
        each(|file, _| {
            seen.push(file);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(files.iter().all(|file| seen.contains(&file.as_raw_fd())));
    }

    #[test]
    fn a_number_ends_where_no_digit_is() {
        assert_eq!(number(b"7f-1", 16), Some((0x7f, &b"-1"[..])));
        assert_eq!(number(b"-1", 16), None);
        assert_eq!(number(b"ffffffffffffffffff", 16), None);
    }
}
