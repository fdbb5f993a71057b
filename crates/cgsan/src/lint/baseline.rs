//! Baselines as files.

use std::path::Path;

use cgsan_files::{Destination, Links};
use cgsan_lint::{Baseline, Outcome, Project};

use crate::error::Error;

/// Bytes of the largest baseline that is read.
const LARGEST: u64 = 64 << 20;

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Baseline, Error> {
    let wrong = |reason: &dyn std::fmt::Display| Error::Lint {
        what: format!("the baseline {}: {reason}", path.display()),
        help: "write one with `cgsan lint --write-baseline FILE`",
    };
    let text = cgsan_files::read_text(path, LARGEST).map_err(|error| wrong(&error))?;
    Baseline::from_json(&text, folder_of(path)).map_err(|reason| wrong(&reason))
}

/// Writes all findings as a baseline.
pub fn write(path: &Path, outcome: &Outcome, project: &Project) -> Result<(), Error> {
    let text = Baseline::of(outcome, project).to_json(folder_of(path));
    Destination::open(path, Links::Part)
        .and_then(|mut destination| destination.write(text.as_bytes()))
        .map_err(|reason| Error::not_writable("--write-baseline", path, reason))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
