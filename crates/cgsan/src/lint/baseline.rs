//! Baselines as files.

use std::fs;
use std::path::Path;

use cgsan_lint::{Baseline, Outcome, Project};

use crate::error::Error;

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Baseline, Error> {
    let wrong = |reason: &dyn std::fmt::Display| Error::Lint {
        what: format!("the baseline {}: {reason}", path.display()),
        help: "write one with `cgsan lint --write-baseline FILE`",
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    Baseline::from_json(&text, folder_of(path)).map_err(|reason| wrong(&reason))
}

/// Writes all findings as a baseline.
pub fn write(path: &Path, outcome: &Outcome, project: &Project) -> Result<(), Error> {
    let text = Baseline::of(outcome, project).to_json(folder_of(path));
    fs::write(path, text).map_err(|reason| Error::not_writable("--write-baseline", path, reason))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
