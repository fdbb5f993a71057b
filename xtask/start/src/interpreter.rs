//! The Python interpreter to start from.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result};

/// The versions of CPython that cgsan supports, best first: 3.12 and 3.11 can show Python stacks in more situations.
const NAMES: [&str; 5] = [
    "python3",
    "python3.12",
    "python3.11",
    "python3.13",
    "python3.10",
];

/// Prints the version and the path of a usable interpreter, and nothing for an unusable one.
const QUESTION: &str = "
import platform, sys
if platform.python_implementation() == 'CPython' and (3, 10) <= sys.version_info[:2] <= (3, 13):
    print('%d.%d' % sys.version_info[:2], sys.executable)
";

/// A usable interpreter.
pub struct Interpreter {
    /// Where it lies.
    pub path: PathBuf,
    /// Its version, e.g. `3.11`.
    pub version: String,
}

/// The first usable interpreter on `PATH`.
pub fn find() -> Result<Interpreter> {
    NAMES.into_iter().find_map(ask).ok_or_else(|| {
        Failure::new(
            "no Python to start from: none of python3, python3.10 … python3.13 on PATH is a CPython 3.10 to 3.13; \
             install one, for instance with your system's package manager",
        )
    })
}

fn ask(name: &str) -> Option<Interpreter> {
    let output = Command::new(name)
        .args(["-I", "-c", QUESTION])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    let (version, path) = answer.trim().split_once(' ')?;
    Some(Interpreter {
        path: path.into(),
        version: version.to_owned(),
    })
}
