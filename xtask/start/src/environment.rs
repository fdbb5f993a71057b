//! Python environments in the user's cache folder.
//!
//! An environment is complete or absent: it is made in a folder of its own and renamed when it is whole, under a lock,
//! so that an interrupted download leaves nothing half done and two tasks at once do not download twice.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Result};
use crate::interpreter::{self, Interpreter};
use crate::process;
use crate::workspace;

/// The file in a complete environment that says what was installed.
const MARKER: &str = "installed.txt";

/// An environment that is wanted.
pub struct Environment {
    /// What it is called in the cache folder, less the version of Python.
    pub name: String,
    /// What to install, in the format of pip's requirements files; every package with its version, nothing implied.
    pub requirements: String,
    /// What is downloaded, for the person who waits.
    pub contents: &'static str,
    /// How much that is, e.g. `12 MB`.
    pub size: &'static str,
}

impl Environment {
    /// The path of its interpreter, after making the environment if need be.
    pub fn make(&self) -> Result<PathBuf> {
        let base = interpreter::find()?;
        let place = self.place(&base)?;
        if let Some(python) = self.complete(&place) {
            return Ok(python);
        }
        let cache = workspace::cache()?;
        fs::create_dir_all(&cache).context(|| format!("cannot create {}", cache.display()))?;
        let _lock = lock(&place.with_added_extension("lock"))?;
        // Another task may have made it while this one waited for the lock.
        if let Some(python) = self.complete(&place) {
            return Ok(python);
        }
        self.install(&base, &place)?;
        self.complete(&place).ok_or_else(|| {
            Failure::new(format!(
                "{} came out incomplete; remove it and try again",
                place.display()
            ))
        })
    }

    /// The interpreter that a variable names, or else this one's, as [`make`](Self::make) gives it.
    pub fn named_by_or_made(&self, variable: &str) -> Result<PathBuf> {
        std::env::var_os(variable).map_or_else(|| self.make(), |named| Ok(PathBuf::from(named)))
    }

    /// The path of its interpreter if the environment is there already.
    pub fn existing(&self) -> Option<PathBuf> {
        let base = interpreter::find().ok()?;
        self.complete(&self.place(&base).ok()?)
    }

    fn place(&self, base: &Interpreter) -> Result<PathBuf> {
        Ok(workspace::cache()?.join(format!("{}-python{}", self.name, base.version)))
    }

    fn complete(&self, place: &Path) -> Option<PathBuf> {
        let installed = fs::read_to_string(place.join(MARKER)).ok()?;
        let python = place.join("bin/python");
        (installed == self.requirements && python.exists()).then_some(python)
    }

    fn install(&self, base: &Interpreter, place: &Path) -> Result<()> {
        let partial = place.with_added_extension("partial");
        remove(&partial)?;
        eprintln!(
            "downloading {} ({}, once) into {}",
            self.contents,
            self.size,
            place.display()
        );
        create(base, &partial)?;
        let list = partial.join("requirements.txt");
        fs::write(&list, &self.requirements)
            .context(|| format!("cannot write {}", list.display()))?;
        let mut pip = pip(base, &partial);
        pip.args([
            "install",
            "--no-deps",
            "--no-input",
            "--disable-pip-version-check",
        ])
        .arg("--requirement")
        .arg(&list);
        if process::run(&mut pip).is_err() {
            remove(&partial)?;
            return Err(Failure::new(format!(
                "cannot install {}: pip failed, with the message above. It needs the Python package index (or a \
                 mirror, in pip's configuration) and room in {}.",
                self.contents,
                workspace::cache()?.display()
            )));
        }
        fs::rename(&list, partial.join(MARKER))
            .context(|| format!("cannot write the marker of {}", partial.display()))?;
        remove(place)?;
        fs::rename(&partial, place).context(|| format!("cannot create {}", place.display()))
    }
}

/// Waits until no other task is making the same environment. The lock ends with the returned file.
fn lock(path: &Path) -> Result<File> {
    let doing = || format!("cannot lock {}", path.display());
    let file = File::create(path).context(doing)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            eprintln!("waiting for another task that installs the same packages");
            file.lock().context(doing)?;
        }
        Err(TryLockError::Error(error)) => return Err(error).context(doing),
    }
    Ok(file)
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Makes an empty environment, with pip if the interpreter can provide it.
pub fn create(base: &Interpreter, folder: &Path) -> Result<()> {
    let venv = |options: &[&str]| {
        let mut command = Command::new(&base.path);
        command.args(["-I", "-m", "venv"]).args(options).arg(folder);
        command
    };
    let whole = venv(&[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if whole.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    // Some distributions keep what `venv` needs for pip in a package of its own. The interpreter's own pip serves too.
    remove(folder)?;
    process::run(&mut venv(&["--without-pip"]))
}

/// The pip of an environment.
pub fn pip(base: &Interpreter, folder: &Path) -> Command {
    let inside = folder.join("bin/python");
    let mut command = if folder.join("bin/pip").exists() {
        let mut command = Command::new(inside);
        command.args(["-I", "-m", "pip"]);
        command
    } else {
        let mut command = Command::new(&base.path);
        command.args(["-I", "-m", "pip", "--python"]).arg(inside);
        command
    };
    // The path of the interpreter is the only thing that a task prints to standard output.
    command.stdout(io::stderr());
    command
}

/// The folder in which this interpreter's packages lie.
pub fn packages_of(python: &Path) -> Result<PathBuf> {
    let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let folder = PathBuf::from(process::output(
        Command::new(python).args(["-I", "-c", question]),
    )?);
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(Failure::new(format!(
            "{} has no folder of packages",
            python.display()
        )))
    }
}
