//! The carrier: a process that copies what other processes write on this machine into a place that may not answer.
//!
//! It keeps nothing but how far it is. What the place does not take stays where it is and is tried again, so nothing is lost while it
//! does not answer, is full, or has gone away. A trace that grows gets its new records; one that was shortened, or whose place takes
//! whole files alone, is written anew.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use cgsan_files::in_words;
use cgsan_trace::{TracePlace, format};

use crate::cli::CarryOptions;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::traces::carrying::remote::remove_closed;
use crate::traces::recording;

/// Between two looks for new records.
const PAUSE: Duration = Duration::from_secs(1);

/// How often what the place refuses is tried once the run has ended.
const LAST_TRIES: u32 = 30;

/// The permissions of a trace.
const OWN: u32 = 0o600;

/// What it says if all traces are in their place; behind it come their paths, each behind a zero.
pub(super) const ALL: &str = "all";

/// Carries the traces of a run until standard input ends, and then the rest.
pub fn run(options: &CarryOptions) -> Result<Exit, Error> {
    if !options.alone {
        return leave_it_to_another(options);
    }
    let mut out = io::stdout();
    // Who does not listen does not wait either.
    let _ = writeln!(out, "{}", std::process::id()).and_then(|()| out.flush());
    let place = match (&options.file, &options.folder) {
        (Some(path), _) => TracePlace::Files(path.clone()),
        (None, Some(path)) => TracePlace::Folder(path.clone()),
        (None, None) => return Ok(Exit::Status(2)),
    };
    let mut carrier = Carrier {
        run: options.run.clone(),
        place,
        known: BTreeMap::new(),
    };
    let ended = end_of_input();
    while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        // What fails is tried again.
        let _ = carrier.carry_all();
    }
    let _ = out.write_all(&carrier.carry_rest());
    Ok(Exit::Status(0))
}

/// Starts the carrier and ends, so that it has no parent among the processes of the run.
fn leave_it_to_another(options: &CarryOptions) -> Result<Exit, Error> {
    let started = std::env::current_exe().and_then(|own| {
        let mut command = Command::new(own);
        command.arg("carry").arg("--alone").arg(&options.run);
        let given = [("--file", &options.file), ("--folder", &options.folder)];
        for (option, path) in given {
            command.args(
                path.iter()
                    .flat_map(|path| [OsStr::new(option), path.as_os_str()]),
            );
        }
        command.spawn()
    });
    started.map_err(Error::Carrier)?;
    Ok(Exit::Status(0))
}

/// Hangs up when standard input ends.
fn end_of_input() -> Receiver<()> {
    let (end, ended) = mpsc::channel();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        drop(end);
    });
    ended
}

struct Carrier {
    run: PathBuf,
    place: TracePlace,
    known: BTreeMap<PathBuf, Known>,
}

/// How far a trace was carried.
struct Known {
    to: PathBuf,
    /// The device and number of the file that was carried: a trace that was made shorter is another one.
    file: (u64, u64),
    /// How many bytes of it are there; `None` if it is to be written as a whole.
    bytes: Option<u64>,
    /// Whether the place takes whole files alone.
    takes_whole_files: bool,
}

impl Carrier {
    /// Carries the rest, if the place takes it after some time. Gives what is to be said of it.
    fn carry_rest(&mut self) -> Vec<u8> {
        let mut reason = String::new();
        for _ in 0..LAST_TRIES {
            match self.carry_all() {
                Ok(()) => return self.all(),
                Err(error) => reason = in_words(&error),
            }
            thread::sleep(PAUSE);
        }
        reason.into_bytes()
    }

    /// That all are in their place, with these.
    fn all(&self) -> Vec<u8> {
        let mut text = ALL.as_bytes().to_vec();
        for known in self.known.values() {
            text.push(0);
            text.extend_from_slice(known.to.as_os_str().as_bytes());
        }
        text
    }

    /// Carries what is new. What one trace meets does not keep the others.
    fn carry_all(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for entry in fs::read_dir(&self.run)?.flatten() {
            let path = entry.path();
            let is_one = recording::is_named_as_trace(&path)
                && entry.file_type().is_ok_and(|kind| kind.is_file())
                && (self.known.contains_key(&path)
                    || cgsan_trace::uses_cuda(&path).unwrap_or(false));
            if is_one {
                result = result.and(self.carry(&path, &entry.file_name()));
            }
        }
        result
    }

    fn carry(&mut self, path: &Path, name: &OsStr) -> io::Result<()> {
        if !self.known.contains_key(path) {
            let to = self.free_place(path, name)?;
            let known = Known {
                to,
                file: (0, 0),
                bytes: None,
                takes_whole_files: false,
            };
            self.known.insert(path.to_owned(), known);
        }
        match self.known.get_mut(path) {
            Some(known) => known.carry(path),
            None => Ok(()),
        }
    }

    fn free_place(&self, path: &Path, name: &OsStr) -> io::Result<PathBuf> {
        let process = cgsan_trace::read_process(path).map_err(io::Error::other)?;
        let mut candidates = self.place.candidates(&self.run, name);
        let free = candidates.find(|it| !self.place.is_taken(it, &process));
        free.ok_or_else(|| io::Error::other("there are too many files of this name"))
    }
}

impl Known {
    fn carry(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        let mut header = [0; format::HEADER_LENGTH];
        file.read_exact(&mut header)?;
        let length = format::whole_length(&header);
        let identity = (about.dev(), about.ino());
        let before = self.bytes.take_if(|_| self.file == identity);
        let carried = match before {
            Some(bytes) if bytes == length => Ok(()),
            Some(bytes) if !self.takes_whole_files => self.add(&file, &header, bytes..length),
            _ => self.replace(&file, &header, length),
        };
        if let Err(error) = &carried {
            // What is there now is not known. It is written anew, which every place takes.
            self.takes_whole_files |= before.is_some() && is_refusal(error);
            return carried;
        }
        self.file = identity;
        self.bytes = Some(length);
        Ok(())
    }

    /// Adds records to what is there, and lets them count when they are.
    fn add(&self, from: &File, header: &[u8], new: Range<u64>) -> io::Result<()> {
        let mut to = File::options().write(true).open(&self.to)?;
        to.seek(SeekFrom::Start(new.start))?;
        copy(from, new, &mut to)?;
        to.sync_data()?;
        to.seek(SeekFrom::Start(0))?;
        to.write_all(header)?;
        to.sync_data()
    }

    /// Writes all of it, beside the place and then into it, where the place can do that.
    fn replace(&self, from: &File, header: &[u8], length: u64) -> io::Result<()> {
        let draft = self.to.with_added_extension("draft");
        write_whole(from, header, length, &draft)?;
        match fs::rename(&draft, &self.to) {
            Err(error) if is_refusal(&error) => {
                remove_closed(&draft);
                remove_closed(&self.to);
                write_whole(from, header, length, &self.to)
            }
            renamed => renamed,
        }
    }
}

/// Writes a file from its beginning to its end, as every place can. Who may read it, the place may decide for itself.
fn write_whole(from: &File, header: &[u8], length: u64, to: &Path) -> io::Result<()> {
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(true);
    let mut to = options.mode(OWN).open(to)?;
    to.write_all(header)?;
    copy(from, header.len() as u64..length, &mut to)?;
    to.sync_all()
}

fn copy(mut from: &File, bytes: Range<u64>, to: &mut File) -> io::Result<()> {
    from.seek(SeekFrom::Start(bytes.start))?;
    let copied = io::copy(&mut from.take(bytes.end - bytes.start), to)?;
    if copied < bytes.end - bytes.start {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Whether a place cannot do this at all, as object stores can neither change files nor rename them.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
    )
}

#[cfg(test)]
mod tests {
    use cgsan_model::ThreadId;
    use cgsan_trace::{Entry, ProcessInfo, Record, Trace};

    use super::*;

    fn entry(record: Record) -> Entry {
        Entry {
            time_ns: 0,
            thread: ThreadId(1),
            record,
        }
    }

    /// A trace with these remarks.
    fn trace(remarks: &[&str]) -> Vec<u8> {
        let process = entry(Record::Process(ProcessInfo::default()));
        let remarks = remarks.iter().map(|text| Record::Note {
            text: (*text).to_owned(),
        });
        let entries: Vec<Entry> = std::iter::once(process).chain(remarks.map(entry)).collect();
        format::encode_all(&entries)
    }

    fn carrier(run: &Path, place: TracePlace) -> Carrier {
        Carrier {
            run: run.to_owned(),
            place,
            known: BTreeMap::new(),
        }
    }

    #[test]
    fn what_is_new_is_carried_and_a_shorter_trace_replaces_the_longer_one() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        let own = run.path().join("trace-7.cgsan");
        let mut carrier = carrier(run.path(), TracePlace::Folder(kept.path().to_owned()));
        let there = kept.path().join("trace-7.cgsan");
        for remarks in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
            let mut file = File::options();
            let mut file = file.write(true).create(true).truncate(false).open(&own);
            let file = file.as_mut().expect("a file");
            file.write_all(&trace(remarks)).expect("room");
            carrier.carry_all().expect("room");
            assert_eq!(fs::read(&there).expect("a file"), trace(remarks));
        }
        let shorter = run.path().join("shorter");
        fs::write(&shorter, trace(&["b"])).expect("a file");
        fs::rename(&shorter, &own).expect("a file");
        carrier.carry_all().expect("room");
        assert_eq!(fs::read(&there).expect("a file"), trace(&["b"]));
        assert_eq!(fs::read_dir(kept.path()).expect("a folder").count(), 1);
        let expected = [b"all\0", there.as_os_str().as_bytes()].concat();
        assert_eq!(carrier.carry_rest(), expected);
    }

    #[test]
    fn what_a_place_does_not_take_is_carried_when_it_does() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        fs::write(run.path().join("trace-7.cgsan"), trace(&["a"])).expect("a file");
        let place = kept.path().join("later/kept");
        let mut carrier = carrier(run.path(), TracePlace::Files(place.clone()));
        assert!(carrier.carry_all().is_err());
        fs::create_dir(kept.path().join("later")).expect("a folder");
        carrier.carry_all().expect("room");
        assert!(Trace::read(&place).is_ok());
    }

    #[test]
    fn a_process_that_did_not_use_cuda_has_nothing_to_keep() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        fs::write(run.path().join("trace-7.cgsan"), trace(&[])).expect("a file");
        let mut carrier = carrier(run.path(), TracePlace::Folder(kept.path().to_owned()));
        carrier.carry_all().expect("room");
        assert_eq!(fs::read_dir(kept.path()).expect("a folder").count(), 0);
    }
}
