//! The trace that ships with the repository: recorded on a developer's machine, without that machine's folders in it.

use std::fs;
use std::path::Path;
use std::process::Command;

use cgsan_trace::{format, read_records};

use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// Prints the folders of an interpreter, one a line: the environment's, and that of the Python it was made from.
const FOLDERS: &str = "import sys; print(sys.prefix); print(sys.base_prefix)";

/// Replaces the folders of this machine in a trace: files of the repository get their names in it, those of Python the
/// names that they have on a system of its own.
pub fn neutralise(trace: &Path, python: &Path) -> Result<()> {
    let folders = process::output(Command::new(python).args(["-I", "-c", FOLDERS]))?;
    let root = workspace::root().display().to_string();
    let mut names = vec![(format!("{root}/"), String::new()), (root, ".".to_owned())];
    names.extend(
        folders
            .lines()
            .map(|folder| (folder.to_owned(), "/usr".to_owned())),
    );

    let reading = || format!("cannot rewrite {}", trace.display());
    let bytes = fs::read(trace).context(reading)?;
    let mut entries = read_records(&bytes).context(reading)?;
    for entry in &mut entries {
        entry.record.change_texts(&mut |text| {
            for (from, to) in &names {
                *text = text.replace(from, to);
            }
        });
    }
    fs::write(trace, format::encode_all(&entries)).context(reading)
}
