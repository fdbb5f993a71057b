//! The folder of a run: the agent, the stand-ins for NVIDIA's libraries, and what the processes leave.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_files::in_words;
use cgsan_trace::place;
use rustix::fs::{FlockOperation, StatVfsMountFlags};
use rustix::io::Errno;
use tempfile::TempDir;

use crate::output::error::Error;
use crate::output::standard::Standard;
use crate::program::gpu::Gpu;
use crate::program::python_files;
use crate::program::stubs;
use crate::traces::leftovers::{self, Unclaimed};

/// How the names of these folders begin.
const PREFIX: &str = "cgsan-run-";

/// How often one is made until it is given up.
const MAKES: usize = 100;

/// The folders that this process has.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folder of one run; removed when dropped.
#[derive(Debug)]
pub struct RunDirectory {
    folder: TempDir,
    /// Held until then.
    _lock: File,
    /// What others left where it was made.
    others: Vec<Unclaimed>,
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        open().retain(|folder| folder != self.path());
    }
}

/// The folders that this process has. None is removed as long as the result is held.
pub fn open() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunDirectory {
    /// Creates it where temporary files go, or else where it can be; for the virtual GPU with the stand-ins for NVIDIA's
    /// libraries, which the agent loads if they are there.
    pub fn create(gpu: Gpu) -> Result<Self, Error> {
        let parents = [
            env::temp_dir(),
            PathBuf::from("/var/tmp"),
            PathBuf::from("."),
        ];
        Self::create_in(&parents, gpu)
    }

    fn create_in(parents: &[PathBuf], gpu: Gpu) -> Result<Self, Error> {
        let mut tried = Vec::new();
        for parent in parents {
            match Self::create_and_fill(parent, gpu) {
                Ok(directory) => return Ok(directory),
                Err(reason) => tried.push((parent.clone(), reason)),
            }
        }
        Err(Error::RunDirectory { tried })
    }

    fn create_and_fill(parent: &Path, gpu: Gpu) -> Result<Self, String> {
        let (folder, lock, others) = create_executable(parent)?;
        open().push(folder.path().to_owned());
        let directory = Self {
            folder,
            _lock: lock,
            others,
        };
        directory.fill(gpu).map_err(|error| in_words(&error))?;
        Ok(directory)
    }

    /// Tells a person once of the traces that runs left which were killed. They are removed a day later.
    pub fn tell_of_others(&self) {
        for left in &self.others {
            let text = format!(
                "cgsan: a run that was killed {} left {}\n",
                leftovers::ago(left.age),
                left.text()
            );
            if Standard::Error.write(&cgsan_render::shown(&text)).is_ok() {
                left.leave();
            }
        }
    }

    fn fill(&self, gpu: Gpu) -> io::Result<()> {
        place::name_run(self.path())?;
        for (name, text) in python_files::FILES {
            write(&self.path().join(name), text.as_bytes())?;
        }
        let sonames = if gpu == Gpu::Virtual {
            stubs::SONAMES
        } else {
            &[]
        };
        for soname in sonames {
            let file = self.path().join("stubs").join(stubs::file_name(soname));
            write(&file, &stubs::stub(soname))?;
        }
        if gpu == Gpu::Virtual {
            let file = self.driver_folder().join(stubs::DRIVER);
            write(&file, &stubs::stub(stubs::DRIVER))?;
        }
        Ok(())
    }

    /// Leaves the traces in it when it is dropped, and nothing else, for a day.
    pub fn leave_traces(&mut self) {
        if let Some(left) = Unclaimed::of(self.path()) {
            left.leave();
            self.folder.disable_cleanup(true);
        }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts one more file into it, and returns its path.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add(&self, name: &str, content: &[u8]) -> Result<PathBuf, Error> {
        let path = self.path().join(name);
        match write(&path, content) {
            Ok(()) => Ok(path),
            Err(reason) => Err(Error::RunDirectory {
                tried: vec![(path, in_words(&reason))],
            }),
        }
    }

    /// Where the virtual GPU's driver lies under its own name, for compilers that link with it.
    pub fn driver_folder(&self) -> PathBuf {
        self.path().join("driver")
    }

    /// The script that tells what an interpreter is.
    pub fn probe(&self) -> PathBuf {
        self.agent().join("probe.py")
    }

    /// The script that asks PyTorch's allocator again what a program asked of it.
    pub fn trial(&self) -> PathBuf {
        self.agent().join("trial.py")
    }

    /// The script that measures what launches and replays cost.
    pub fn calibrate(&self) -> PathBuf {
        self.agent().join("calibrate.py")
    }

    fn agent(&self) -> PathBuf {
        self.path().join("agent")
    }

    /// `PYTHONPATH` with the agent first, so that each interpreter finds its `sitecustomize`.
    pub fn python_path(&self) -> OsString {
        let mut path = self.agent().into_os_string();
        if let Some(rest) = env::var_os("PYTHONPATH").filter(|rest| !rest.is_empty()) {
            path.push(":");
            path.push(rest);
        }
        path
    }
}

/// A new folder in `parent`, from which libraries can be loaded, and what others left there.
fn create_executable(parent: &Path) -> Result<(TempDir, File, Vec<Unclaimed>), String> {
    // Made absolute here: the program may change its working directory.
    let parent = parent.canonicalize().map_err(|error| in_words(&error))?;
    if parent.as_os_str().as_encoded_bytes().contains(&b':') {
        return Err("its name has a colon, which PYTHONPATH cannot hold".to_owned());
    }
    if let Some(reason) = reason_against_libraries(&parent) {
        return Err(reason);
    }
    let others = sweep(&parent);
    for _ in 0..MAKES {
        match make(&parent) {
            Ok((folder, lock)) => return Ok((folder, lock, others)),
            // Somebody who sweeps was here before it was locked, and has removed it or is about to.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotFound) => {}
            Err(error) => return Err(in_words(&error)),
        }
    }
    Err(format!("it was removed {MAKES} times as it was made"))
}

/// A new folder, locked.
///
/// # Errors
///
/// [`ErrorKind::WouldBlock`] or [`ErrorKind::NotFound`] if somebody who sweeps took it before it was locked.
fn make(parent: &Path) -> io::Result<(TempDir, File)> {
    let folder = cgsan_files::temporary_folder(parent, PREFIX)?;
    let lock = lock(folder.path())?;
    Ok((folder, lock))
}

/// Why no library can be loaded from a folder, if the system forbids it.
pub fn reason_against_libraries(folder: &Path) -> Option<String> {
    rustix::fs::statvfs(folder)
        .is_ok_and(|mount| mount.f_flag.contains(StatVfsMountFlags::NOEXEC))
        .then(|| "mounted noexec: no library can be loaded from there".to_owned())
}

/// Holds a folder, for as long as it is open, against those who sweep. Programs do not inherit it.
///
/// # Errors
///
/// [`ErrorKind::WouldBlock`] if another process holds it, `NotFound` if it was removed meanwhile.
fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
    // Where a file system has no locks, nobody gets one, and nothing is swept.
    if let Err(held @ Errno::WOULDBLOCK) = locked {
        return Err(held.into());
    }
    if file.metadata()?.nlink() == 0 {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(file)
}

/// Removes the folders of runs whose cgsan was killed, unless a program of theirs still runs, or traces are in them that nobody
/// claimed. Returns those of which no person was told.
fn sweep(parent: &Path) -> Vec<Unclaimed> {
    // Held until they are removed: who has just made one takes another one then.
    let held: Vec<(PathBuf, File)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter(is_ours)
        .filter_map(|entry| hold(entry.path()))
        .collect();
    if held.is_empty() {
        return Vec::new();
    }
    // Looked for after all are held: nobody but their own programs can begin to use them now.
    let used = folders_in_use();
    let mut unclaimed = Vec::new();
    for (folder, _lock) in &held {
        if used.contains(folder.as_os_str()) {
            continue;
        }
        let told = leftovers::was_told(folder);
        match Unclaimed::of(folder).filter(|_| told != Some(true)) {
            Some(left) if told.is_none() => unclaimed.push(left),
            Some(_) => {}
            None => {
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
    unclaimed
}

/// Whether it is a run directory of this user.
fn is_ours(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    name.to_str().is_some_and(|it| it.starts_with(PREFIX))
        && entry
            .metadata()
            .is_ok_and(|about| about.is_dir() && about.uid() == rustix::process::geteuid().as_raw())
}

/// A folder that no cgsan holds, held.
fn hold(folder: PathBuf) -> Option<(PathBuf, File)> {
    let file = File::open(&folder).ok()?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some((folder, file))
}

/// The run directories that processes have in their environment.
fn folders_in_use() -> HashSet<OsString> {
    let is_process = |name: &OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| is_process(&entry.file_name()))
        .filter_map(|process| fs::read(process.path().join("environ")).ok())
        .flat_map(|environment| {
            let variables = environment.split(|byte| *byte == 0);
            let named = variables.filter_map(|it| it.strip_prefix(b"CGSAN_RUN_DIRECTORY="));
            let named = named.map(|folder| OsStr::from_bytes(folder).to_owned());
            named.collect::<Vec<_>>()
        })
        .collect()
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    cgsan_files::private_folder(path.parent().unwrap_or(path))?;
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    cgsan_files::private_file(path, &mut options)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_used_is_passed_over() {
        let good = tempfile::tempdir().expect("a folder");
        let colon = good.path().join("a:b");
        fs::create_dir(&colon).expect("a folder");
        let parents = [
            PathBuf::from("/proc/nowhere"),
            colon,
            good.path().to_owned(),
        ];
        let directory =
            RunDirectory::create_in(&parents, Gpu::Virtual).expect("the third folder will do");
        assert!(directory.path().starts_with(good.path()));
        assert!(!directory.path().starts_with(&parents[1]));
    }

    #[test]
    fn who_sweeps_leaves_what_others_make_at_the_same_time() {
        let parent = tempfile::tempdir().expect("a folder");
        let make = || {
            for _ in 0..6 {
                let directory = RunDirectory::create_in(&[parent.path().to_owned()], Gpu::Virtual)
                    .expect("a run directory");
                for (name, _) in python_files::FILES {
                    assert!(directory.path().join(name).is_file(), "{name} is missing");
                }
                for soname in stubs::SONAMES {
                    let file = directory
                        .path()
                        .join("stubs")
                        .join(stubs::file_name(soname));
                    assert!(file.is_file(), "{soname} is missing");
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(make);
            }
        });
    }

    #[test]
    fn without_any_folder_each_reason_is_given() {
        let error = RunDirectory::create_in(&[PathBuf::from("/proc/nowhere")], Gpu::Real)
            .expect_err("no such folder");
        assert!(
            error.to_string().contains("/proc/nowhere: no such file"),
            "{error}"
        );
    }

    #[test]
    fn every_file_of_python_is_written() {
        let directory = RunDirectory::create(Gpu::Real).expect("a run directory");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/cgsan");
        let mut folders = vec![source.clone()];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("the source") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "py") {
                    let name = path.strip_prefix(&source).expect("in the source");
                    let is_there = directory.path().join(name).is_file();
                    assert!(is_there, "{} is not embedded", name.display());
                    files += 1;
                }
            }
        }
        assert_eq!(files, python_files::FILES.len());
    }

    #[test]
    fn it_is_gone_after_the_run() {
        let directory = RunDirectory::create(Gpu::Real).expect("a run directory");
        let path = directory.path().to_owned();
        drop(directory);
        assert!(!path.exists());
    }
}
