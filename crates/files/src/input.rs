//! Reading what others name.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FsWord, Mode, OFlags};

use crate::in_words;

/// How long somebody may take to open the other end of a pipe.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// File systems whose files are no files: reading one asks the kernel, and may change what it does or never end.
const OF_THE_KERNEL: [FsWord; 5] = [
    rustix::fs::PROC_SUPER_MAGIC,
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
];

/// Why a file was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unread {
    /// The operating system would not give it.
    Io(io::Error),
    /// It is something else than a regular file: a folder, a pipe, a device, a file of `/proc`.
    Kind(&'static str),
    /// It holds more than may be read, in bytes.
    TooLarge(u64),
    /// It is not UTF-8.
    NotText,
    /// It is a pipe into which nobody writes.
    NoWriter,
}

impl fmt::Display for Unread {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(reason) => to.write_str(&in_words(reason)),
            Self::Kind(kind) => write!(to, "it is {kind}, not a regular file"),
            Self::TooLarge(most) if *most < 1 << 20 => write!(to, "it is larger than {most} bytes"),
            Self::TooLarge(most) => write!(to, "it is larger than {} MB", most >> 20),
            Self::NoWriter => to.write_str("nobody writes into this pipe"),
            Self::NotText => to.write_str("it is not UTF-8; save it as UTF-8"),
        }
    }
}

impl std::error::Error for Unread {}

impl From<io::Error> for Unread {
    fn from(reason: io::Error) -> Self {
        Self::Io(reason)
    }
}

/// Opens a regular file for reading, without waiting for anybody.
///
/// # Errors
///
/// If it cannot be opened, or is no regular file on a disk.
pub fn open(path: &Path) -> Result<File, Unread> {
    // Asked first, because to open a device or a pipe may do something already.
    check_kind(fs::metadata(path)?.file_type())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from)?);
    // And asked again, because it may be another file now.
    check_kind(file.metadata()?.file_type())?;
    if rustix::fs::fstatfs(&file).is_ok_and(|it| OF_THE_KERNEL.contains(&it.f_type)) {
        return Err(Unread::Kind("a file of the kernel"));
    }
    Ok(file)
}

/// Opens what a person named: a regular file, or a pipe into which somebody writes, such as a shell makes of `<(…)`.
///
/// # Errors
///
/// As [`open`], and if nobody begins to write into the pipe.
pub fn open_or_pipe(path: &Path) -> Result<Box<dyn Read>, Unread> {
    if !fs::metadata(path)?.file_type().is_fifo() {
        return Ok(Box::new(open(path)?));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let pipe = rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from)?;
    let mut pipe = File::from(pipe);
    let begun = Instant::now();
    let mut beginning = [0; 4096];
    let read = loop {
        match pipe.read(&mut beginning) {
            // There is no writer: it may be starting, or be gone already.
            Ok(0) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(10)),
            Ok(0) => return Err(Unread::NoWriter),
            Ok(read) => break read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break 0,
            Err(error) => return Err(error.into()),
        }
    };
    rustix::fs::fcntl_setfl(&pipe, OFlags::empty()).map_err(io::Error::from)?;
    let beginning = io::Cursor::new(beginning).take(read as u64);
    Ok(Box::new(beginning.chain(pipe)))
}

/// The bytes of a regular file, if they are not more than `most`. The size that the file system gives is not trusted.
///
/// # Errors
///
/// If it cannot be read, is no regular file, or is larger.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let read = open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > most) {
        return Err(Unread::TooLarge(most));
    }
    Ok(bytes)
}

/// The text of a regular file in UTF-8, if it is not longer than `most` bytes.
///
/// # Errors
///
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String, Unread> {
    String::from_utf8(read(path, most)?).map_err(|_| Unread::NotText)
}

fn check_kind(kind: fs::FileType) -> Result<(), Unread> {
    if kind.is_file() {
        return Ok(());
    }
    Err(Unread::Kind(kind_of(kind)))
}

/// What something is that is no regular file.
pub(crate) fn kind_of(kind: fs::FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() {
        "a disk"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe_in;

    #[test]
    fn only_regular_files_are_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = pipe_in(folder.path());
        for path in [
            pipe.as_path(),
            folder.path(),
            Path::new("/dev/zero"),
            Path::new("/proc/self/environ"),
            Path::new("/sys/kernel/mm/transparent_hugepage/enabled"),
        ] {
            let read = read(path, 10);
            assert!(
                matches!(read, Err(Unread::Kind(_) | Unread::Io(_))),
                "{}: {read:?}",
                path.display()
            );
        }
    }

    #[test]
    fn a_pipe_that_a_person_names_is_read_if_somebody_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = pipe_in(folder.path());
        assert!(matches!(open_or_pipe(&pipe), Err(Unread::NoWriter)));
        let long = "a line\n".repeat(10_000);
        let writer = thread::spawn({
            let (pipe, long) = (pipe.clone(), long.clone());
            move || fs::write(pipe, long).expect("somebody reads")
        });
        let mut text = String::new();
        let mut read = open_or_pipe(&pipe).expect("somebody writes");
        read.read_to_string(&mut text).expect("text");
        assert_eq!(text, long);
        writer.join().expect("it ends");
    }

    #[test]
    fn a_limit_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("a file");
        assert_eq!(read(&path, 5).expect("it fits"), b"12345");
        assert!(matches!(read(&path, 4), Err(Unread::TooLarge(4))));
        fs::write(&path, b"\xff").expect("a file");
        assert!(matches!(read_text(&path, 4), Err(Unread::NotText)));
    }
}
