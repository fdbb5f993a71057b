//! `cgsan report --since`: what is new since an earlier run, and what is gone.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cgsan_finding::{Note, Report};
use cgsan_selection::{Earlier, EarlierFinding, Split};
use cgsan_symbols::Reach;

use crate::output::error::Error;
use crate::reports::diagnosis::{Examination, Wanted};
use crate::reports::examined;
use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::parallel;

/// Bytes of the largest report that is read.
const LARGEST: u64 = 256 << 20;

/// As many findings are named that are gone.
const NAMED: usize = 20;

/// An earlier run, and what was found in it.
#[derive(Debug)]
pub struct Since {
    path: PathBuf,
    earlier: Earlier,
}

impl Since {
    /// Reads what was found in an earlier run: a report as JSON, or what `cgsan report` takes.
    pub fn read(path: &Path, reach: &Reach) -> Result<Since, Error> {
        let earlier = if path.extension() == Some(OsStr::new("json")) {
            written(path)?
        } else {
            recorded(path, reach)?
        };
        Ok(Since {
            path: path.to_owned(),
            earlier,
        })
    }

    /// Leaves out of a report what was there before. A note says what is gone.
    pub fn apply(self, report: &mut Report) {
        let mut split = Split {
            findings: std::mem::take(&mut report.findings),
            left_out: std::mem::take(&mut report.left_out),
        };
        let gone = self.earlier.leave_out(&mut split, &self.path);
        report.findings = split.findings;
        report.left_out = split.left_out;
        report.notes.extend(told(&gone, &self.path));
    }
}

/// What a report says that was written as JSON.
fn written(path: &Path) -> Result<Earlier, Error> {
    let wrong = |reason: &dyn std::fmt::Display| Error::Selection {
        what: format!("the earlier report {}: {reason}", path.display()),
        help: "write one with `cgsan report --json --output FILE`",
    };
    let text = cgsan_files::read_text(path, LARGEST).map_err(|error| wrong(&error))?;
    Earlier::from_json(&text).map_err(|reason| wrong(&reason))
}

/// What is found in the traces that were kept of it.
fn recorded(path: &Path, reach: &Reach) -> Result<Earlier, Error> {
    let kept = Kept::find_all(&[path.to_owned()])?;
    let wanted = Wanted::default();
    let mut examination = Examination::new(wanted, reach, kept.traces.len());
    let work = |trace: &KeptTrace| examined::of(trace, None, wanted, reach);
    kept.for_each(parallel::jobs(None), &work, &mut |_, examined| {
        examination.absorb(examined);
        Ok(())
    })?;
    Ok(Earlier::of(&examination.finish().0.findings))
}

fn told(gone: &[EarlierFinding], path: &Path) -> Option<Note> {
    let count = match gone.len() {
        0 => return None,
        1 => "1 finding is".to_owned(),
        many => format!("{many} findings are"),
    };
    let mut text = format!("{count} gone since {}", path.display());
    for finding in gone.iter().take(NAMED) {
        let _ = write!(text, "\n  {}", finding.in_words());
    }
    if gone.len() > NAMED {
        let _ = write!(text, "\n  and {} more", gone.len() - NAMED);
    }
    Some(Note::new(text, None))
}
