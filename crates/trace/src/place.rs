//! Where the traces of a run are kept, and how its processes learn it: from links in the folder of the run, which hold any path
//! as it is.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cgsan_files::is_being_written;

use crate::{ProcessInfo, read_process};

/// The file that says what the processes of the run have in common.
const RUN: &str = "run-id";

/// Bytes of the longest such name.
const LONGEST: u64 = 256;

/// The file that says how long a trace may become, in bytes.
const LIMIT: &str = "trace-limit";

/// The links that say where traces are kept.
const FILES: &str = "save-as";
const FOLDER: &str = "save-in";

/// How the names of the empty files begin that show which numbers are given out.
const NUMBER: &str = "number-";

/// As many traces of one name are in a folder.
const MOST: u32 = 1000;

/// Gives a run a name that no other has, made from its folder's and the time.
///
/// # Errors
///
/// If the folder takes no file.
pub fn name_run(folder: &Path) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(true);
    let mut file = cgsan_files::private_file(&folder.join(RUN), options)?;
    write!(file, "{now:x}-{name}")
}

/// The name of the run that has this folder; `None` if it has none.
pub fn run(folder: &Path) -> Option<String> {
    let name = cgsan_files::read_text(&folder.join(RUN), LONGEST).ok()?;
    (!name.is_empty()).then_some(name)
}

/// Says how many bytes a trace of the run that has this folder may have.
///
/// # Errors
///
/// If the folder takes no file.
pub fn limit_traces(folder: &Path, bytes: u64) -> io::Result<()> {
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(true);
    let mut file = cgsan_files::private_file(&folder.join(LIMIT), options)?;
    write!(file, "{bytes}")
}

/// How many bytes a trace of the run that has this folder may have; `None` if nobody limits them.
pub fn trace_limit(folder: &Path) -> Option<u64> {
    let text = cgsan_files::read_text(&folder.join(LIMIT), LONGEST).ok()?;
    text.parse().ok()
}

/// Where the shorter trace lies that is offered to the writer of this one.
pub fn offer(trace: &Path) -> PathBuf {
    trace.with_added_extension("shorter")
}

/// Where the traces of a run are kept. Each process that uses CUDA moves its trace there as soon as it does, and writes it there
/// further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracePlace {
    /// The first in this file, the others beside it with numbers. What is there of an earlier run is replaced.
    Files(PathBuf),
    /// Each in a file of its own in this folder. What is there stays.
    Folder(PathBuf),
}

impl TracePlace {
    /// Tells it to the processes of the run that has this folder. Paths are absolute.
    ///
    /// # Errors
    ///
    /// If the folder takes no link.
    pub fn tell(&self, run: &Path) -> io::Result<()> {
        match self {
            Self::Files(path) => symlink(path, run.join(FILES)),
            Self::Folder(path) => symlink(path, run.join(FOLDER)),
        }
    }

    /// What the processes of the run were told.
    pub fn told(run: &Path) -> Option<TracePlace> {
        let files = fs::read_link(run.join(FILES)).map(Self::Files);
        files
            .or_else(|_| fs::read_link(run.join(FOLDER)).map(Self::Folder))
            .ok()
    }

    /// The paths that a trace may have which lies under `name` in the folder of the run, in the order in which to try them. Each
    /// number is given out once in a run.
    pub fn candidates(&self, run: &Path, name: &OsStr) -> impl Iterator<Item = PathBuf> {
        let (run, name) = (run.to_owned(), PathBuf::from(name));
        let place = self.clone();
        (0..MOST).filter_map(move |number| match &place {
            Self::Files(path) => is_mine(&run, number).then(|| numbered(path, number)),
            Self::Folder(folder) => Some(folder.join(attempt(&name, number))),
        })
    }

    /// Whether what is at one of these paths is to stay: anything in a folder; else a trace that is being written, and one that
    /// another machine of the same job wrote, which may not be able to tell whether it still does.
    pub fn is_taken(&self, path: &Path, by: &ProcessInfo) -> bool {
        match self {
            Self::Folder(_) => path.symlink_metadata().is_ok(),
            Self::Files(_) => {
                let is_of_job = |other: ProcessInfo| {
                    other.job.is_some() && other.job == by.job && other.host != by.host
                };
                is_being_written(path) || read_process(path).is_ok_and(is_of_job)
            }
        }
    }
}

/// The path of a trace of a run that has several; the first has none.
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// The name of a trace in a folder that has others of that name: `trace-7.cgsan`, `trace-7-2.cgsan`.
fn attempt(name: &Path, number: u32) -> PathBuf {
    let (Some(stem), Some(ending), 1..) = (name.file_stem(), name.extension(), number) else {
        return name.to_owned();
    };
    let mut name = stem.to_owned();
    name.push(format!("-{}.", number + 1));
    name.push(ending);
    PathBuf::from(name)
}

/// Whether no other process of the run was given this number.
fn is_mine(run: &Path, number: u32) -> bool {
    let path = run.join(format!("{NUMBER}{number}"));
    cgsan_files::private_file(&path, File::options().write(true).create_new(true)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_any_path_and_gives_each_number_out_once() {
        use std::os::unix::ffi::OsStrExt as _;
        let run = tempfile::tempdir().expect("a folder");
        assert_eq!(TracePlace::told(run.path()), None);
        let path = PathBuf::from(OsStr::from_bytes(b"/kept \xff/x"));
        let place = TracePlace::Files(path.clone());
        place.tell(run.path()).expect("a link");
        assert_eq!(TracePlace::told(run.path()), Some(place.clone()));
        let next = || {
            place
                .candidates(run.path(), OsStr::new("trace-7.cgsan"))
                .next()
        };
        assert_eq!(next(), Some(path.clone()));
        assert_eq!(next(), Some(numbered(&path, 1)));
        assert_eq!(next(), Some(numbered(&path, 2)));
    }

    #[test]
    fn of_an_earlier_run_a_file_is_free_but_not_of_another_machine_of_the_job() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept");
        let of = |host: &str, job: &str| ProcessInfo {
            host: Some(host.to_owned()),
            job: Some(job.to_owned()),
            ..ProcessInfo::default()
        };
        let entry = crate::Entry {
            time_ns: 0,
            thread: cgsan_model::ThreadId(1),
            record: crate::Record::Process(of("a", "job")),
        };
        fs::write(&path, crate::format::encode_all(&[entry])).expect("a file");
        let taken = |place: &TracePlace| {
            let askers = [of("a", "job"), of("b", "job"), of("b", "other")];
            askers.map(|by| place.is_taken(&path, &by))
        };
        let files = TracePlace::Files(path.clone());
        assert_eq!(taken(&files), [false, true, false]);
        let in_folder = TracePlace::Folder(folder.path().to_owned());
        assert_eq!(taken(&in_folder), [true; 3]);
        let writer = File::open(&path).expect("a file");
        writer.lock().expect("locks");
        assert_eq!(taken(&files), [true; 3]);
    }

    #[test]
    fn in_a_folder_names_are_told_apart_by_numbers() {
        let run = tempfile::tempdir().expect("a folder");
        let place = TracePlace::Folder(PathBuf::from("/kept"));
        let names = |name| {
            let paths = place.candidates(run.path(), OsStr::new(name)).take(3);
            paths
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("trace-7.cgsan"),
            [
                "/kept/trace-7.cgsan",
                "/kept/trace-7-2.cgsan",
                "/kept/trace-7-3.cgsan"
            ]
        );
        assert_eq!(names("trace-7-2.cgsan")[1], "/kept/trace-7-2-2.cgsan");
    }
}
