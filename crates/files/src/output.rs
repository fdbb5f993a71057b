//! Writing where a person wants it.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, FlockOperation, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use crate::in_words;
use crate::input::{PATIENCE, kind_of};
use crate::private;

/// How the names of drafts begin, which stand beside the file that they become.
const DRAFT: &str = ".cgsan-draft-";

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// Why nothing can be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unwritten {
    /// The operating system would not let it.
    Io(io::Error),
    /// The folder that was named, or that the file is to lie in, is not there.
    NoFolder,
    /// Nothing can be written into something of this kind.
    Kind(&'static str),
    /// The file has this many names (hard links), which would part.
    Linked(u64),
    /// Nobody reads from the pipe.
    NoReader,
}

impl fmt::Display for Unwritten {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(reason) => to.write_str(&in_words(reason)),
            Self::NoFolder => to.write_str("the folder does not exist"),
            Self::Kind(kind) => write!(to, "it is {kind}, which cannot be written to"),
            Self::Linked(names) => write!(
                to,
                "the file has {names} names (hard links), and replacing one would separate it from the others"
            ),
            Self::NoReader => to.write_str("nobody reads from this pipe"),
        }
    }
}

impl std::error::Error for Unwritten {}

impl From<io::Error> for Unwritten {
    fn from(reason: io::Error) -> Self {
        Self::Io(reason)
    }
}

impl From<Errno> for Unwritten {
    fn from(reason: Errno) -> Self {
        Self::Io(reason.into())
    }
}

/// What is to be done with a file that has several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The name that was given gets a file of its own; the others keep the old one.
    Part,
    /// Nothing is written.
    Refuse,
}

/// Where something is to be written.
#[derive(Debug)]
pub enum Destination {
    /// A regular file, or none yet: what is written takes its place at once, and only when it is whole.
    File(Replaced),
    /// A device, a pipe or an open stream: what is written goes into it.
    Stream(File),
}

/// A regular file that is to be replaced.
#[derive(Debug)]
pub struct Replaced {
    /// Without links in its last part.
    path: PathBuf,
    links: Links,
    /// The permissions of one that is not there yet, of which the process's mask takes some.
    mode: u32,
}

impl Destination {
    /// Finds out what is at `path`, and whether it can be written. Links are followed and stay. What is there is untouched.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn open(path: &Path, links: Links) -> Result<Self, Unwritten> {
        let other = match Found::at(path, links)? {
            Found::File(replaced) => return Ok(Self::File(replaced)),
            Found::Other(other) => other,
        };
        if other.kind.is_fifo() {
            return open_pipe(&other.path).map(Self::Stream);
        }
        if other.kind.is_char_device() || other.kind.is_file() {
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
            let file = rustix::fs::open(&other.path, flags, Mode::empty())?;
            return Ok(Self::Stream(File::from(file)));
        }
        Err(Unwritten::Kind(kind_of(other.kind)))
    }

    /// The same, for something that nobody but this user is to read. A file that is there keeps its permissions, which a person
    /// may have chosen.
    #[must_use]
    pub fn private(self) -> Self {
        match self {
            Self::File(replaced) => Self::File(replaced.private()),
            Self::Stream(file) => Self::Stream(file),
        }
    }

    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// If that fails. A regular file is then what it was before.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Unwritten> {
        match self {
            Self::File(replaced) => replaced.write(bytes),
            Self::Stream(file) => Ok(file.write_all(bytes)?),
        }
    }

    /// The stream, if it is one.
    pub fn stream(&self) -> Option<&File> {
        match self {
            Self::File(_) => None,
            Self::Stream(file) => Some(file),
        }
    }
}

impl Replaced {
    fn new(path: PathBuf, links: Links) -> Self {
        Self {
            path,
            links,
            mode: 0o666,
        }
    }

    /// The regular file at `path`, or none yet. Links are followed and stay. What is there is untouched, and no pipe's reader is
    /// waited for.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or is something else.
    pub fn open(path: &Path, links: Links) -> Result<Self, Unwritten> {
        match Found::at(path, links)? {
            Found::File(replaced) => Ok(replaced),
            Found::Other(other) => Err(Unwritten::Kind(kind_of(other.kind))),
        }
    }

    /// The same, for something that nobody but this user is to read. A file that is there keeps its permissions.
    #[must_use]
    pub fn private(self) -> Self {
        Self {
            mode: private::FILE,
            ..self
        }
    }

    /// Where it is, without links in the last part of the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        let mut begun = self.begin()?;
        begun.write_all(bytes)?;
        begun.keep()
    }

    /// Begins to write it.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn begin(&self) -> Result<Begun, Unwritten> {
        let folder = folder_of(&self.path);
        sweep(folder);
        let before = fs::symlink_metadata(&self.path).ok();
        if let Some(before) = &before {
            // It may have become something else since it was looked at.
            if !before.is_file() {
                return Err(Unwritten::Kind(kind_of(before.file_type())));
            }
            check_file(&self.path, before, self.links)?;
        }
        Ok(Begun {
            draft: draft(folder, self.mode)?,
            path: self.path.clone(),
            before,
        })
    }
}

/// What a path leads to.
enum Found {
    /// A regular file, or none yet.
    File(Replaced),
    Other(Other),
}

/// Something that is not replaced: a folder, a device, a pipe, or a regular file that a process has open.
struct Other {
    path: PathBuf,
    kind: FileType,
}

impl Found {
    fn at(path: &Path, links: Links) -> Result<Found, Unwritten> {
        let (path, is_of_process) = resolve(path)?;
        match fs::metadata(&path) {
            Ok(about) if about.is_file() && !is_of_process => check_file(&path, &about, links)?,
            Ok(about) => {
                let kind = about.file_type();
                return Ok(Found::Other(Other { path, kind }));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => check_folder(&path)?,
            Err(error) => return Err(error.into()),
        }
        Ok(Found::File(Replaced::new(path, links)))
    }
}

/// A regular file that is being written. It takes its place once it is whole; what is dropped before leaves nothing.
#[derive(Debug)]
pub struct Begun {
    draft: NamedTempFile,
    path: PathBuf,
    before: Option<Metadata>,
}

impl Begun {
    /// Begins to write the file at `path`, which is nothing or a regular file.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or is something else.
    pub fn open(path: &Path, links: Links) -> Result<Self, Unwritten> {
        match Destination::open(path, links)? {
            Destination::File(replaced) => replaced.begin(),
            Destination::Stream(file) => {
                Err(Unwritten::Kind(kind_of(file.metadata()?.file_type())))
            }
        }
    }

    /// Puts it in its place.
    ///
    /// # Errors
    ///
    /// If that fails. What was there before then is there still.
    pub fn keep(self) -> Result<(), Unwritten> {
        if let Some(before) = &self.before {
            keep_owner_and_mode(self.draft.as_file(), before)?;
        }
        self.draft.as_file().sync_all()?;
        if let Err(failed) = self.draft.persist(&self.path) {
            if failed.error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) {
                // A file that something is mounted on, as containers do with single files, cannot be replaced.
                return Ok(write_in_place(&self.path, failed.file)?);
            }
            return Err(failed.error.into());
        }
        // So that the new name survives a crash of the machine too. Not every file system can.
        let folder = folder_of(&self.path);
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// The file itself, which is locked for as long as somebody has it open or mapped.
    pub fn file(&self) -> &File {
        self.draft.as_file()
    }

    /// Puts it in its place as it is, to be written further there. A file that came there since it was begun stays, and so does one
    /// that cannot be replaced.
    ///
    /// # Errors
    ///
    /// If that fails; with [`io::ErrorKind::AlreadyExists`] if a file came there. What was there before then is there still.
    pub fn settle(self) -> Result<(), Unwritten> {
        let settled = match &self.before {
            Some(before) => {
                keep_owner_and_mode(self.draft.as_file(), before)?;
                self.draft.persist(&self.path)
            }
            None => self.draft.persist_noclobber(&self.path),
        };
        settled.map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// Whether somebody writes a file that was begun, as far as the file system tells: it is locked as long as it is mapped.
pub fn is_being_written(path: &Path) -> bool {
    crate::open(path).is_ok_and(|file| {
        let taken = rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared);
        taken == Err(Errno::WOULDBLOCK)
    })
}

impl Write for Begun {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

/// Copies a draft into a file that cannot be replaced. Whoever is interrupted here leaves a part of it.
fn write_in_place(path: &Path, mut draft: NamedTempFile) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    draft.seek(SeekFrom::Start(0))?;
    let length = io::copy(&mut draft, &mut file)?;
    file.set_len(length)?;
    file.sync_all()
}

/// Removes the drafts in a folder whose writers were killed: a writer holds a lock on its own.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_draft = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(DRAFT));
        if is_draft && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_left(&entry.path());
        }
    }
}

fn remove_if_left(draft: &Path) {
    let Ok(file) = crate::open(draft) else {
        return;
    };
    let is_ours = file
        .metadata()
        .is_ok_and(|about| about.uid() == rustix::process::geteuid().as_raw());
    if is_ours && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let _ = fs::remove_file(draft);
    }
}

/// A new file in `folder`, with what the process's mask leaves of these permissions, locked for as long as it is open.
pub fn draft(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    loop {
        let draft = tempfile::Builder::new()
            .prefix(DRAFT)
            .permissions(fs::Permissions::from_mode(mode))
            .tempfile_in(folder)?;
        // A file system without locks has no sweeping either: there, nobody gets the lock.
        let _ = rustix::fs::flock(&draft, FlockOperation::NonBlockingLockExclusive);
        if draft.as_file().metadata()?.nlink() > 0 {
            return Ok(draft);
        }
        // Somebody swept it away before it was locked.
    }
}

/// Whoever may not give a file away makes it theirs, as every editor does; the group, and with it the mode, is kept if it can be.
fn keep_owner_and_mode(draft: &File, before: &Metadata) -> io::Result<()> {
    let about = draft.metadata()?;
    if (about.uid(), about.gid()) != (before.uid(), before.gid()) {
        let owner = Uid::from_raw(before.uid());
        let group = Gid::from_raw(before.gid());
        if rustix::fs::fchown(draft, Some(owner), Some(group)).is_err() {
            let _ = rustix::fs::fchown(draft, None, Some(group));
        }
    }
    draft.set_permissions(before.permissions())
}

/// The path without links in its last part, and whether the last link was one of `/proc`, such as `/dev/stdout` leads to: what
/// that is open is to be written, and not what is at its name.
fn resolve(path: &Path) -> Result<(PathBuf, bool), Unwritten> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_symlink() => {}
            _ => return Ok((path, false)),
        }
        let folder = folder_of(&path);
        if rustix::fs::statfs(folder).is_ok_and(|it| it.f_type == rustix::fs::PROC_SUPER_MAGIC)
            && folder.file_name().is_some_and(|name| name == "fd")
        {
            return Ok((path, true));
        }
        path = folder.join(fs::read_link(&path)?);
    }
    Err(Errno::LOOP.into())
}

fn open_pipe(path: &Path) -> Result<File, Unwritten> {
    let begun = Instant::now();
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    loop {
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(pipe) => {
                rustix::fs::fcntl_setfl(&pipe, OFlags::empty())?;
                return Ok(File::from(pipe));
            }
            // Its reader may be starting.
            Err(Errno::NXIO) if begun.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(10));
            }
            Err(Errno::NXIO) => return Err(Unwritten::NoReader),
            Err(error) => return Err(error.into()),
        }
    }
}

fn check_file(path: &Path, about: &Metadata, links: Links) -> Result<(), Unwritten> {
    if links == Links::Refuse && about.nlink() > 1 {
        return Err(Unwritten::Linked(about.nlink()));
    }
    // A file that is protected is not to be replaced, though its folder would allow it.
    rustix::fs::access(path, Access::WRITE_OK)?;
    check_folder(path)
}

fn check_folder(path: &Path) -> Result<(), Unwritten> {
    if path.as_os_str().is_empty() {
        return Err(Unwritten::Kind("a folder"));
    }
    if ends_in_slash(path) {
        return Err(Unwritten::NoFolder);
    }
    match rustix::fs::access(folder_of(path), Access::WRITE_OK | Access::EXEC_OK) {
        Err(Errno::NOENT) => Err(Unwritten::NoFolder),
        checked => Ok(checked?),
    }
}

fn ends_in_slash(path: &Path) -> bool {
    OsString::from(path).as_encoded_bytes().ends_with(b"/")
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::pipe_in;

    fn write(path: &Path, links: Links, text: &str) -> Result<(), Unwritten> {
        Destination::open(path, links)?.write(text.as_bytes())
    }

    #[test]
    fn what_is_private_is_so_unless_the_file_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        let mode = || fs::metadata(&file).expect("it is there").mode() & 0o777;
        let write = || {
            let place = Destination::open(&file, Links::Part).expect("a place");
            place.private().write(b"text").expect("it is written");
        };
        write();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        write();
        assert_eq!(mode(), 0o640);
    }

    #[test]
    fn a_file_is_replaced_with_its_mode_and_a_link_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link, gone, dangling] =
            ["file", "link", "gone", "dangling"].map(|name| folder.path().join(name));
        fs::write(&file, "old").expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        symlink("file", &link).expect("a link");
        symlink(&gone, &dangling).expect("a link");
        write(&link, Links::Refuse, "new").expect("it can be written");
        write(&dangling, Links::Refuse, "made").expect("it can be written");
        assert!(link.is_symlink() && dangling.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::read_to_string(&gone).expect("it is there"), "made");
        let mode = fs::metadata(&file).expect("it is there").mode();
        assert_eq!(mode & 0o7777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4);
    }

    #[test]
    fn what_is_begun_takes_its_place_when_it_is_whole_and_else_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "old").expect("a file");
        for is_whole in [false, true] {
            let mut begun = Begun::open(&file, Links::Part).expect("it can be written");
            begun.write_all(b"ne").expect("room");
            begun.write_all(b"w").expect("room");
            assert_eq!(fs::read_to_string(&file).expect("it is there"), "old");
            if is_whole {
                begun.keep().expect("it can be replaced");
            }
        }
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let device = Begun::open(Path::new("/dev/null"), Links::Part);
        assert!(matches!(device, Err(Unwritten::Kind(_))));
    }

    #[test]
    fn a_file_with_several_names_is_refused_where_they_are_to_stay_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, other] = ["file", "other"].map(|name| folder.path().join(name));
        fs::write(&file, "old").expect("a file");
        fs::hard_link(&file, &other).expect("a link");
        let refused = write(&file, Links::Refuse, "new");
        assert!(matches!(refused, Err(Unwritten::Linked(2))), "{refused:?}");
        write(&file, Links::Part, "new").expect("it can be written");
        assert_eq!(fs::read_to_string(&other).expect("it is there"), "old");
    }

    #[test]
    fn what_is_no_file_is_written_into_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = pipe_in(folder.path());
        assert!(matches!(
            write(&pipe, Links::Part, "lost"),
            Err(Unwritten::NoReader)
        ));
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).expect("a pipe")
        });
        write(&pipe, Links::Part, "told").expect("somebody reads");
        assert_eq!(reader.join().expect("it ends"), "told");
        write(Path::new("/dev/null"), Links::Part, "nothing").expect("it takes all");
        assert!(write(Path::new("/dev/full"), Links::Part, "much").is_err());
        assert!(matches!(
            write(folder.path(), Links::Part, ""),
            Err(Unwritten::Kind("a folder"))
        ));
        for missing in ["missing/", "missing/file"] {
            assert!(matches!(
                write(&folder.path().join(missing), Links::Part, ""),
                Err(Unwritten::NoFolder)
            ));
        }
        assert!(fs::metadata(&pipe).expect("it stays").file_type().is_fifo());
    }

    #[test]
    fn what_a_killed_writer_left_is_swept_and_what_another_one_writes_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let left = folder.path().join(format!("{DRAFT}abcdef"));
        fs::write(&left, "half").expect("a file");
        let being_written = draft(folder.path(), 0o666).expect("a draft");
        write(&folder.path().join("file"), Links::Part, "new").expect("it can be written");
        assert!(!left.exists());
        assert!(being_written.path().exists());
    }
}
