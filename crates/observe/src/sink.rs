//! The file that the records go to.
//!
//! The file is written through a memory map, so a record is safe from the death of the process as soon as it is copied,
//! without a system call. Its blocks are reserved before they are mapped, so a full disk is an error value and not a
//! SIGBUS. No descriptor is kept open between chunks: a program that closes every descriptor it finds, as daemons do,
//! neither breaks the trace nor gets its own files mixed up with it.
//!
//! A trace that is limited becomes shorter now and then: `cgsan` offers one beside it in which the oldest records have given way to what
//! was found in them. The writer looks for it when the file has to grow, adds what it has written meanwhile, and goes on there.
#![expect(unsafe_code, reason = "writes through a memory map")]

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cgsan_files::{Replaced, Unwritten};
use cgsan_trace::{format, place};
use memmap2::{Advice, MmapMut, MmapOptions};

/// The unit in which memory is mapped, in bytes.
const PAGE: usize = 4096;

/// How much room the file grows by at a time, in bytes: some ten thousand records.
const CHUNK: usize = 1 << 20;

/// How many times as long as it may be a trace becomes where nobody shortens it.
const UNATTENDED: u64 = 4;

/// A trace file that is being written.
#[derive(Debug)]
pub struct Sink {
    path: PathBuf,
    /// The device and the number of the file, to know it again when it is opened by name.
    identity: (u64, u64),
    header: MmapMut,
    window: MmapMut,
    /// Where in the file the window begins, in bytes.
    window_start: usize,
    /// Where in the file the next record goes, in bytes.
    position: usize,
    /// How long the file may become, in bytes.
    limit: Option<u64>,
}

impl Sink {
    /// Makes the file at `path`, which must not exist, with an empty trace in it.
    pub fn create(path: &Path) -> io::Result<Sink> {
        let file = cgsan_files::private_file(
            path,
            File::options().read(true).write(true).create_new(true),
        )?;
        let made = Sink::fill(path, &file);
        if made.is_err() {
            // A file without a record says nothing to anybody.
            let _ = std::fs::remove_file(path);
        }
        made
    }

    fn fill(path: &Path, file: &File) -> io::Result<Sink> {
        let mut header = map(file, 0, PAGE)?;
        header[..format::HEADER_LENGTH].copy_from_slice(&format::header());
        Ok(Sink {
            path: path.to_owned(),
            identity: identity(file)?,
            header,
            window: map(file, 0, PAGE)?,
            window_start: 0,
            position: format::HEADER_LENGTH,
            limit: None,
        })
    }

    /// Says how many bytes a trace may have. `cgsan` sees to that; where it does not, since it was killed, say, recording stops when
    /// the file has four times as many.
    pub fn limit(&mut self, bytes: Option<u64>) {
        self.limit = bytes.map(|it| it.saturating_mul(UNATTENDED));
    }

    /// Goes on in another file, which has all that was written. Where that fails, it goes on in this one.
    pub fn move_to(&mut self, place: &Replaced) -> Result<(), Unwritten> {
        let mut begun = place.begin()?;
        io::copy(&mut self.reopen()?.take(self.position as u64), &mut begun)?;
        begun.flush()?;
        let file = begun.file();
        let start = self.position / PAGE * PAGE;
        let moved = Sink {
            path: place.path().to_owned(),
            identity: identity(file)?,
            header: map(file, 0, PAGE)?,
            window: map_chunk(file, start, self.position + 1 - start)?,
            window_start: start,
            position: self.position,
            limit: self.limit,
        };
        // From here on it is in its place, and whole.
        begun.settle()?;
        *self = moved;
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends whole records, and makes them count.
    pub fn append(&mut self, records: &[u8]) -> io::Result<()> {
        if self.room() < records.len() {
            self.grow(records.len())?;
        }
        let start = self.position - self.window_start;
        self.window[start..start + records.len()].copy_from_slice(records);
        self.position += records.len();
        let committed = (self.position - format::HEADER_LENGTH) as u64;
        self.committed().store(committed, Ordering::Release);
        Ok(())
    }

    /// Marks that recording stopped before the process ended.
    pub fn mark_stopped(&mut self) {
        self.flags()
            .fetch_or(format::FLAG_STOPPED, Ordering::Relaxed);
    }

    /// Gives back the room behind the last record.
    pub fn trim(&mut self) -> io::Result<()> {
        let length = self.position as u64;
        self.reopen()?.set_len(length)
    }

    fn room(&self) -> usize {
        self.window_start + self.window.len() - self.position
    }

    /// Moves the window so that `needed` bytes fit behind the last record.
    fn grow(&mut self, needed: usize) -> io::Result<()> {
        let file = self.reopen()?;
        if let Some(limit) = self.limit {
            let offer = place::offer(&self.path);
            if self.go_on_in(&offer, &file, needed).is_ok() {
                return Ok(());
            }
            // What cannot be used is in the way of the next one.
            let _ = std::fs::remove_file(&offer);
            if (self.position + needed) as u64 > limit {
                return Err(io::Error::other(
                    "the trace is longer than `--trace-limit` says",
                ));
            }
        }
        let start = self.position / PAGE * PAGE;
        self.window = map_chunk(&file, start, self.position - start + needed)?;
        self.window_start = start;
        Ok(())
    }

    /// Goes on in a shorter trace, to which all is added that was written since it was made.
    fn go_on_in(&mut self, offer: &Path, longer: &File, needed: usize) -> io::Result<()> {
        let mut shorter = File::options().read(true).write(true).open(offer)?;
        // As long as the file is mapped, others see that it is being written.
        shorter.try_lock()?;
        let mut header = map(&shorter, 0, PAGE)?;
        let stands_for = take_number(&mut header, format::STANDS_FOR_OFFSET);
        let committed = take_number(&mut header, format::COMMITTED_OFFSET);
        let [stands_for, committed] = [stands_for, committed].map(|it| it + format::HEADER_LENGTH);
        let since = self.position.checked_sub(stands_for);
        let since = since.ok_or(io::ErrorKind::InvalidData)?;
        shorter.seek(SeekFrom::Start(committed as u64))?;
        let mut longer = longer;
        longer.seek(SeekFrom::Start(stands_for as u64))?;
        io::copy(&mut longer.take(since as u64), &mut shorter)?;
        let position = committed + since;
        let start = position / PAGE * PAGE;
        let mut moved = Sink {
            path: self.path.clone(),
            identity: identity(&shorter)?,
            header,
            window: map_chunk(&shorter, start, position - start + needed)?,
            window_start: start,
            position,
            limit: self.limit,
        };
        let records = (position - format::HEADER_LENGTH) as u64;
        moved.committed().store(records, Ordering::Release);
        std::fs::rename(offer, &self.path)?;
        *self = moved;
        Ok(())
    }

    /// Opens the file by its name and makes sure that it is still the same one.
    fn reopen(&self) -> io::Result<File> {
        let file = File::options().read(true).write(true).open(&self.path)?;
        if identity(&file)? == self.identity {
            Ok(file)
        } else {
            Err(io::Error::other("the file was replaced by another one"))
        }
    }

    fn committed(&mut self) -> &AtomicU64 {
        let counter = &raw mut self.header[format::COMMITTED_OFFSET];
        // SAFETY: the header's map is a whole page, aligned to it, and the offset is a multiple of 8; this process
        // reaches the counter through `&mut self` alone.
        unsafe { AtomicU64::from_ptr(counter.cast()) }
    }

    fn flags(&mut self) -> &AtomicU32 {
        let flags = &raw mut self.header[format::FLAGS_OFFSET];
        // SAFETY: as for the counter; the offset is a multiple of 4.
        unsafe { AtomicU32::from_ptr(flags.cast()) }
    }
}

/// Takes a number of bytes out of a header, which is zero then.
fn take_number(header: &mut [u8], offset: usize) -> usize {
    let bytes = &mut header[offset..offset + 8];
    let number = bytes.first_chunk().copied().map(u64::from_le_bytes);
    bytes.fill(0);
    let number = number.and_then(|it| usize::try_from(it).ok());
    // Whatever the file says, sums of two such numbers are numbers.
    number.unwrap_or_default().min(usize::MAX / 4)
}

/// The device and the number of a file.
fn identity(file: &File) -> io::Result<(u64, u64)> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Maps at least `needed` bytes of `file` from `start`. An almost full disk may have no room for a chunk and still some for a record.
fn map_chunk(file: &File, start: usize, needed: usize) -> io::Result<MmapMut> {
    let least = needed.next_multiple_of(PAGE);
    map(file, start, least.max(CHUNK)).or_else(|_| map(file, start, least))
}

/// Reserves and maps `length` bytes of `file` from `start`.
fn map(file: &File, start: usize, length: usize) -> io::Result<MmapMut> {
    reserve(file, start, length)?;
    let mut options = MmapOptions::new();
    options.offset(start as u64).len(length);
    // SAFETY: the file was made by this process and is written by nobody else; its blocks are reserved, so that touching
    // the map does not fault. Should a person truncate it meanwhile, the process dies as with any mapped file.
    let map = unsafe { options.map_mut(file) }?;
    // A forked child must not write into its parent's trace.
    map.advise(Advice::DontFork)?;
    // One call is cheaper than a page fault every forty records. Kernels before 5.14 cannot, and fault.
    let _ = map.advise(Advice::PopulateWrite);
    Ok(map)
}

/// Reserves the blocks of a part of `file`.
fn reserve(file: &File, start: usize, length: usize) -> io::Result<()> {
    let end = (start + length) as u64;
    if end > file_size_limit() {
        // Asking the kernel would raise SIGXFSZ, which kills a program that does not expect it.
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    let too_large = |_| io::Error::from_raw_os_error(libc::EFBIG);
    let offset = libc::off_t::try_from(start).map_err(too_large)?;
    let length = libc::off_t::try_from(length).map_err(too_large)?;
    loop {
        // SAFETY: the descriptor is open for as long as `file` is borrowed.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), offset, length) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// The largest file that this process may write, in bytes.
fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the struct lives on this stack, and the call writes nothing else.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } {
        0 => limit.rlim_cur,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_size_fit_one_behind_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut sink = Sink::create(&path).unwrap();
        let mut expected = Vec::new();
        for length in [1, 4095, 4096, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 7] {
            let record = vec![u8::try_from(length % 251).unwrap(); length];
            sink.append(&record).unwrap();
            expected.extend_from_slice(&record);
        }
        sink.trim().unwrap();

        let file = std::fs::read(&path).unwrap();
        assert_eq!(file[format::HEADER_LENGTH..], expected);
        let committed = file[format::COMMITTED_OFFSET..].first_chunk::<8>().unwrap();
        assert_eq!(u64::from_le_bytes(*committed), expected.len() as u64);
    }

    #[test]
    fn a_trace_goes_on_where_it_was_moved_to_and_is_locked_there_until_its_writer_ends() {
        let folder = tempfile::tempdir().unwrap();
        let [path, kept] = ["trace", "kept"].map(|name| folder.path().join(name));
        for before in [None, Some("of an earlier run")] {
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_file(&kept);
            if let Some(before) = before {
                std::fs::write(&kept, before).unwrap();
            }
            let mut sink = Sink::create(&path).unwrap();
            sink.append(&[1; 5000]).unwrap();
            let place = Replaced::open(&kept, cgsan_files::Links::Part).unwrap();
            sink.move_to(&place).unwrap();
            assert_eq!(sink.path(), kept);
            assert!(cgsan_files::is_being_written(&kept));
            sink.append(&vec![2; 2 * CHUNK]).unwrap();
            sink.trim().unwrap();
            drop(sink);
            assert!(!cgsan_files::is_being_written(&kept));

            let file = std::fs::read(&kept).unwrap();
            let records = &file[format::HEADER_LENGTH..];
            assert_eq!(records.len(), 5000 + 2 * CHUNK);
            assert!(records[..5000].iter().all(|byte| *byte == 1));
            assert!(records[5000..].iter().all(|byte| *byte == 2));
            let committed = file[format::COMMITTED_OFFSET..].first_chunk::<8>().unwrap();
            assert_eq!(u64::from_le_bytes(*committed), records.len() as u64);
        }
    }

    #[test]
    fn a_file_that_came_in_between_stays_and_so_does_the_trace() {
        let folder = tempfile::tempdir().unwrap();
        let [path, kept] = ["trace", "kept"].map(|name| folder.path().join(name));
        let mut sink = Sink::create(&path).unwrap();
        let place = Replaced::open(&folder.path().join("none/kept"), cgsan_files::Links::Part);
        assert!(place.is_err());
        std::fs::write(&kept, "protected").unwrap();
        let place = Replaced::open(&kept, cgsan_files::Links::Part).unwrap();
        std::fs::remove_file(&kept).unwrap();
        std::fs::create_dir(&kept).unwrap();
        assert!(sink.move_to(&place).is_err());
        sink.append(&vec![1; 2 * PAGE]).unwrap();
        assert_eq!(sink.path(), path);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    fn number_at(file: &[u8], offset: usize) -> u64 {
        u64::from_le_bytes(*file[offset..].first_chunk().unwrap())
    }

    #[test]
    fn a_limited_trace_goes_on_in_the_shorter_one_that_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut sink = Sink::create(&path).unwrap();
        sink.limit(Some(CHUNK as u64));
        sink.append(&[1; 1000]).unwrap();
        let mut shorter = format::header().to_vec();
        shorter.extend([7; 10]);
        for (offset, number) in [
            (format::COMMITTED_OFFSET, 10),
            (format::STANDS_FOR_OFFSET, 1000),
        ] {
            shorter[offset..offset + 8].copy_from_slice(&u64::to_le_bytes(number));
        }
        let offer = place::offer(&path);
        std::fs::write(&offer, shorter).unwrap();
        sink.append(&[2; 500]).unwrap();
        sink.append(&vec![3; 2 * CHUNK]).unwrap();
        sink.append(&[4; 20]).unwrap();
        assert!(!offer.exists());
        assert!(cgsan_files::is_being_written(&path));

        sink.trim().unwrap();
        let file = std::fs::read(&path).unwrap();
        let records = &file[format::HEADER_LENGTH..];
        assert_eq!(records[..510], [[7; 10].as_slice(), &[2; 500]].concat());
        assert_eq!(records.len(), 510 + 2 * CHUNK + 20);
        assert_eq!(
            number_at(&file, format::COMMITTED_OFFSET),
            records.len() as u64
        );
        assert_eq!(number_at(&file, format::STANDS_FOR_OFFSET), 0);
    }

    #[test]
    fn an_offer_that_fits_not_is_removed_and_a_trace_without_one_ends_at_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut sink = Sink::create(&path).unwrap();
        sink.limit(Some(CHUNK as u64));
        let offer = place::offer(&path);
        std::fs::write(&offer, "no trace").unwrap();
        sink.append(&vec![1; CHUNK]).unwrap();
        assert!(!offer.exists());
        let appended = (0..8).map_while(|_| sink.append(&vec![1; CHUNK]).ok());
        assert!((2..5).contains(&appended.count()));
    }

    #[test]
    fn a_file_that_was_replaced_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut sink = Sink::create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "somebody's").unwrap();

        assert!(sink.append(&vec![1; 2 * PAGE]).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"somebody's");
    }
}
