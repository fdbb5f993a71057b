//! Which files are looked at.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::types::TypesBuilder;

use crate::error::Error;

/// The Python files and notebooks under these paths, ordered. What `.gitignore` names is left out of folders.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let mut files = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(Error::Lint {
                what: format!("there is no file or folder {}", path.display()),
                help: "check the spelling",
            });
        }
        if path.is_dir() {
            walk(path, &mut files);
        } else {
            files.push(plain(path));
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut types = TypesBuilder::new();
    for pattern in ["*.py", "*.pyi", "*.ipynb"] {
        // Patterns without special characters cannot be wrong.
        let _ = types.add("python", pattern);
    }
    types.select("python");
    let mut walk = WalkBuilder::new(folder);
    walk.require_git(false)
        .filter_entry(|entry| !is_skipped(entry.file_name()));
    if let Ok(types) = types.build() {
        walk.types(types);
    }
    for entry in walk.build().flatten() {
        if entry.file_type().is_some_and(|it| it.is_file()) {
            files.push(plain(entry.path()));
        }
    }
}

/// Folders of other people's code.
fn is_skipped(name: &OsStr) -> bool {
    ["__pycache__", "node_modules", "venv"]
        .iter()
        .any(|it| name == *it)
}

/// A path without `./` at its beginning.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}
