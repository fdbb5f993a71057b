//! What a Python interpreter is, and which PyTorch it has.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::program::run_directory::RunDirectory;
use crate::program::supported;

/// An interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Python {
    /// Where it is.
    pub executable: String,
    /// `CPython`, `PyPy` and so on.
    pub implementation: String,
    /// E.g. `3.12.3`.
    pub version: String,
    /// Whether it was built without the GIL.
    pub free_threaded: bool,
    /// The PyTorch that it would import.
    pub torch: Option<Torch>,
}

/// A PyTorch, as it is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Torch {
    /// E.g. `2.11.0+cu130`.
    #[serde(rename(deserialize = "torch"))]
    pub version: String,
    /// The CUDA that it was built for, e.g. `13.0`.
    pub cuda: Option<String>,
    /// AMD's counterpart that it was built for.
    pub hip: Option<String>,
}

impl Python {
    /// Whether cgsan can read its stacks.
    pub fn is_supported(&self) -> bool {
        self.implementation == "CPython" && supported::is_python(&self.version, self.free_threaded)
    }
}

/// The Pythons that a person may mean who names none, best first: that of the environment that is active, then those in PATH.
pub fn interpreters() -> impl Iterator<Item = PathBuf> {
    let environment = env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty());
    let active = environment.map(|folder| Path::new(&folder).join("bin/python"));
    active
        .into_iter()
        .chain(["python", "python3"].map(PathBuf::from))
}

/// Asks `python`, or else the first of [`interpreters`] that answers.
///
/// # Errors
///
/// When none answers: what the last one said instead.
pub fn python(python: Option<&Path>, directory: &RunDirectory) -> Result<Python, String> {
    if let Some(python) = python {
        return ask(python, directory);
    }
    let mut said = String::new();
    for python in interpreters() {
        match ask(&python, directory) {
            Ok(python) => return Ok(python),
            Err(instead) => said = instead,
        }
    }
    Err(said)
}

fn ask(python: &Path, directory: &RunDirectory) -> Result<Python, String> {
    let output = Command::new(python)
        .arg(directory.probe())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("program not found: `{}`", python.display()),
            _ => format!(
                "`{}` cannot be started: {}",
                python.display(),
                cgsan_files::in_words(&error)
            ),
        })?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("nothing");
        format!(
            "`{}` did not answer as Python does; it printed: {last}",
            python.display()
        )
    })
}

/// An NVIDIA GPU driver, and its GPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Driver {
    /// E.g. `580.159.04`.
    pub version: String,
    /// The models of the GPUs.
    pub gpus: Vec<String>,
}

/// The driver of this machine, from what the kernel shows of it.
pub fn driver() -> Option<Driver> {
    driver_at(&PathBuf::from("/proc/driver/nvidia"))
}

fn driver_at(folder: &Path) -> Option<Driver> {
    let version = std::fs::read_to_string(folder.join("version")).ok()?;
    let entries = std::fs::read_dir(folder.join("gpus"))
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path().join("information"))
        .collect();
    files.sort();
    let gpus = files.iter().filter_map(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?;
        Some(model.trim().to_owned())
    });
    Some(Driver {
        version: driver_version(&version)?.to_owned(),
        gpus: gpus.collect(),
    })
}

/// The number in a line such as `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …`.
fn driver_version(text: &str) -> Option<&str> {
    text.lines().next()?.split_whitespace().find(|word| {
        word.contains('.')
            && word
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_name_driver_and_gpus() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(driver_at(folder.path()), None);
        let gpu = folder.path().join("gpus/0000:01:00.0");
        std::fs::create_dir_all(&gpu).expect("a folder");
        std::fs::write(
            gpu.join("information"),
            "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   1\n",
        )
        .expect("a file");
        let version =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n";
        std::fs::write(folder.path().join("version"), version).expect("a file");
        let driver = driver_at(folder.path()).expect("a driver");
        assert_eq!(driver.version, "580.159.04");
        assert_eq!(driver.gpus, ["NVIDIA H100 80GB HBM3"]);
    }

    #[test]
    fn other_implementations_are_not_supported() {
        let python = |implementation: &str| Python {
            executable: "python".to_owned(),
            implementation: implementation.to_owned(),
            version: "3.11.11".to_owned(),
            free_threaded: false,
            torch: None,
        };
        assert!(python("CPython").is_supported());
        assert!(!python("PyPy").is_supported());
    }
}
