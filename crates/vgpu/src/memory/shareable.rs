//! Files in memory that stand for one physical allocation each, so that other processes can have it by a file descriptor
//! (`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`).
//!
//! Their size is sealed: who maps one can rely on what it was when it was looked at.
#![expect(unsafe_code, reason = "asks the kernel about files and descriptors")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::FileExt;

use super::backing::{GRANULARITY, length, new_memory_file};

/// A file of its own with what a part of another one holds. Where that has no pages, the new one has none either.
pub fn moved_out_of(file: &File, offset: u64, bytes: u64) -> io::Result<File> {
    let own = new_memory_file()?;
    own.set_len(bytes)?;
    copy(file, offset, bytes, &own)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is open, and the command takes a number.
    if unsafe { libc::fcntl(own.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(own)
}

/// The allocation that a descriptor of the program stands for, with its size in bytes; `None` if it stands for something
/// else. The descriptor stays the program's.
pub fn behind(descriptor: RawFd) -> Option<(File, u64)> {
    // SAFETY: the command takes a number, and fails where there is no such descriptor.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return None;
    }
    // SAFETY: the descriptor was made just now, and nobody else has it.
    let file = unsafe { File::from_raw_fd(copy) };
    // SAFETY: the descriptor is open; the command fails where the file is none in memory.
    let seals = unsafe { libc::fcntl(copy, libc::F_GET_SEALS) };
    let is_fixed = seals >= 0 && seals & libc::F_SEAL_SHRINK != 0;
    let bytes = file.metadata().ok()?.len();
    let is_whole = bytes > 0 && bytes.is_multiple_of(GRANULARITY);
    (is_fixed && is_whole).then_some((file, bytes))
}

/// The most bytes that are copied at a time.
const PIECE: u64 = 1 << 20;

fn copy(from: &File, offset: u64, bytes: u64, to: &File) -> io::Result<()> {
    let end = offset + bytes;
    let mut buffer = vec![0; length(PIECE)];
    let mut place = offset;
    while let Some(data) = seek(from, place, libc::SEEK_DATA)?.filter(|data| *data < end) {
        let hole = seek(from, data, libc::SEEK_HOLE)?.unwrap_or(end);
        let piece = PIECE.min(hole - data).min(end - data);
        let buffer = &mut buffer[..length(piece)];
        from.read_exact_at(buffer, data)?;
        to.write_all_at(buffer, data - offset)?;
        place = data + piece;
    }
    Ok(())
}

/// The next place at or behind another with data, or without; `None` if there is none.
fn seek(file: &File, from: u64, what: libc::c_int) -> io::Result<Option<u64>> {
    let from = i64::try_from(from).map_err(io::Error::other)?;
    // SAFETY: the descriptor is open; nothing here reads or writes at its own place.
    let found = unsafe { libc::lseek(file.as_raw_fd(), from, what) };
    match u64::try_from(found) {
        Ok(found) => Ok(Some(found)),
        Err(_) => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
            error => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn what_is_moved_out_keeps_its_bytes_and_its_gaps() {
        let file = new_memory_file().unwrap();
        file.set_len(4 * GRANULARITY).unwrap();
        file.write_all_at(b"before", GRANULARITY - 6).unwrap();
        file.write_all_at(b"inside", 2 * GRANULARITY - 3).unwrap();
        file.write_all_at(b"behind", 3 * GRANULARITY).unwrap();
        let own = moved_out_of(&file, GRANULARITY, 2 * GRANULARITY).unwrap();
        let mut bytes = [1; 8];
        own.read_exact_at(&mut bytes, GRANULARITY - 4).unwrap();
        assert_eq!(&bytes, b"\0inside\0");
        let metadata = own.metadata().unwrap();
        assert_eq!(metadata.len(), 2 * GRANULARITY);
        assert!(metadata.blocks() * 512 < GRANULARITY, "{metadata:?}");
        assert!(own.set_len(GRANULARITY).is_err());
    }

    #[test]
    fn only_a_file_of_its_own_stands_for_an_allocation() {
        let file = new_memory_file().unwrap();
        file.set_len(GRANULARITY).unwrap();
        assert!(behind(file.as_raw_fd()).is_none(), "it can shrink");
        assert!(behind(-1).is_none());
        assert!(behind(File::open("/proc/self/exe").unwrap().as_raw_fd()).is_none());
        let own = moved_out_of(&file, 0, GRANULARITY).unwrap();
        let (_, bytes) = behind(own.as_raw_fd()).unwrap();
        assert_eq!(bytes, GRANULARITY);
    }
}
