//! Which files are looked at.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use cgsan_finding::{Location, Span};
use cgsan_lint::SyntaxError;
use ignore::WalkBuilder;
use ignore::types::TypesBuilder;

use crate::output::error::Error;

/// Files that are to be looked at.
#[derive(Debug, Default)]
pub struct Found {
    /// Python files and notebooks, ordered.
    pub files: Vec<PathBuf>,
    /// Pipes that were named, which can be read once.
    pub pipes: Vec<PathBuf>,
    /// Folders and files that cannot be read, and why.
    pub unreadable: Vec<SyntaxError>,
}

/// The Python files and notebooks under these paths. What `.gitignore` names is left out of folders.
pub fn find(paths: &[PathBuf]) -> Result<Found, Error> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let mut found = Found::default();
    for path in paths {
        let kind = fs::metadata(path)
            .map_err(|reason| missing(path, &reason))?
            .file_type();
        if kind.is_fifo() {
            found.pipes.push(path.clone());
        } else if kind.is_dir() {
            for file in walk(path) {
                match file {
                    Ok(file) => found.files.push(file),
                    Err(error) => {
                        let path = plain(path_of(&error).unwrap_or(path));
                        let reason = error.io_error().map(cgsan_files::in_words);
                        let reason = reason.unwrap_or_else(|| error.to_string());
                        found.unreadable.push(unreadable(path, reason));
                    }
                }
            }
        } else {
            found.files.push(plain(path));
        }
    }
    found.files.sort();
    found.files.dedup();
    found.pipes.sort();
    found.pipes.dedup();
    Ok(found)
}

fn missing(path: &Path, reason: &io::Error) -> Error {
    let path = path.display();
    Error::Lint {
        what: match reason.kind() {
            io::ErrorKind::NotFound => format!("file or folder not found: {path}"),
            _ => format!("{path} cannot be read: {}", cgsan_files::in_words(reason)),
        },
        help: "name Python files, notebooks or folders; `-` is standard input",
    }
}

/// The Python files and notebooks of a folder, in no order, without what `.gitignore` names. What cannot be read is left out.
pub fn under(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    walk(folder).flatten()
}

fn walk(folder: &Path) -> impl Iterator<Item = Result<PathBuf, ignore::Error>> + use<> {
    let mut types = TypesBuilder::new();
    for pattern in ["*.py", "*.pyi", "*.ipynb"] {
        // Patterns without special characters cannot be wrong.
        let _ = types.add("python", pattern);
    }
    types.select("python");
    let mut walk = WalkBuilder::new(folder);
    walk.require_git(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry.file_name()));
    if let Ok(types) = types.build() {
        walk.types(types);
    }
    walk.build().filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|it| it.is_file());
            is_file.then(|| Ok(plain(entry.path())))
        }
        Err(error) => Some(Err(error)),
    })
}

/// A file or folder that cannot be read.
pub fn unreadable(file: PathBuf, reason: String) -> SyntaxError {
    SyntaxError {
        location: Location {
            file,
            line: 1,
            span: Some(Span {
                column: 1,
                end_line: 1,
                end_column: 1,
                bytes: 0..0,
            }),
            cell: None,
            function: String::new(),
        },
        message: reason,
        unreadable: true,
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
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
