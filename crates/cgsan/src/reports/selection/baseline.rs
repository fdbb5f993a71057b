//! Baselines as files.

use std::path::Path;

use cgsan_files::{Destination, Links, folder_of};
use cgsan_finding::Finding;
use cgsan_selection::{Baseline, Files};

use crate::output::error::Error;

/// Bytes of the largest baseline that is read.
const LARGEST: u64 = 64 << 20;

/// The option that has one written.
const OPTION: &str = "--write-baseline";

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Baseline, Error> {
    let wrong = |reason: &dyn std::fmt::Display| Error::Selection {
        what: format!("the baseline {}: {reason}", path.display()),
        help: "write one with `--write-baseline FILE`",
    };
    let text = cgsan_files::read_text(path, LARGEST).map_err(|error| wrong(&error))?;
    Baseline::from_json(&text, folder_of(path)).map_err(|reason| wrong(&reason))
}

/// That a baseline can be written, before there is one.
pub fn may_be_written(path: &Path) -> Result<(), Error> {
    let opened = Destination::open(path, Links::Part);
    opened
        .map(drop)
        .map_err(|reason| Error::not_writable(OPTION, path, reason))
}

/// Writes findings as a baseline.
pub fn write(path: &Path, findings: &[Finding], files: &mut dyn Files) -> Result<Baseline, Error> {
    let baseline = Baseline::of(findings, files);
    let text = baseline.to_json(folder_of(path));
    Destination::open(path, Links::Part)
        .and_then(|mut destination| destination.write(text.as_bytes()))
        .map_err(|reason| Error::not_writable(OPTION, path, reason))?;
    Ok(baseline)
}
