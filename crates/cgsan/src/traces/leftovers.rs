//! What runs left that were killed or interrupted: traces that nobody claimed stay for a day, and are told of once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::traces::recording;

/// How long an unclaimed trace stays after it was told of.
const KEPT: Duration = Duration::from_hours(24);

/// The file that shows that a person was told, and when.
const TOLD: &str = "told";

/// The traces of a run that nobody claimed.
#[derive(Debug)]
pub struct Unclaimed {
    /// The folder of the run.
    pub folder: PathBuf,
    /// How many processes left one that used CUDA.
    pub traces: usize,
    /// How long ago the last of them was written.
    pub age: Duration,
}

impl Unclaimed {
    /// What is in the folder of a run; `None` if that is nothing. What is kept elsewhere, to which links lead, is claimed.
    pub fn of(folder: &Path) -> Option<Unclaimed> {
        let traces = unclaimed_traces(folder);
        let written = |path: &PathBuf| fs::metadata(path).and_then(|about| about.modified()).ok();
        let last = traces.iter().filter_map(written).max();
        let age = last.and_then(|last| SystemTime::now().duration_since(last).ok());
        (!traces.is_empty()).then(|| Unclaimed {
            folder: folder.to_owned(),
            traces: traces.len(),
            age: age.unwrap_or_default(),
        })
    }

    /// Removes what lies beside the traces, and marks that a person is told of them.
    pub fn leave(&self) {
        let traces = unclaimed_traces(&self.folder);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let removed = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
                Ok(_) if !traces.contains(&path) => fs::remove_file(path),
                _ => Ok(()),
            };
            // What stays goes with the folder.
            drop(removed);
        }
        let mut options = File::options();
        let options = options.write(true).create(true).truncate(true);
        let _ = cgsan_files::private_file(&self.folder.join(TOLD), options);
    }

    /// Where they are, for how long, and how to see them.
    pub fn text(&self) -> String {
        let folder = self.folder.display();
        let (what, them) = match self.traces {
            1 => ("a trace".to_owned(), "it"),
            many => (format!("{many} traces"), "them"),
        };
        format!("{what} in {folder}; show {them} within a day with `cgsan report {folder}`")
    }
}

/// Whether it is more than a day ago that a person was told of the traces in a folder; `None` if nobody was.
pub fn was_told(folder: &Path) -> Option<bool> {
    let told = fs::metadata(folder.join(TOLD)).ok()?.modified().ok()?;
    // A clock that was put back makes it young.
    Some(told.elapsed().is_ok_and(|since| since > KEPT))
}

fn unclaimed_traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .filter(|path| recording::is_named_as_trace(path))
        .filter(|path| cgsan_trace::uses_cuda(path).unwrap_or(false))
        .collect()
}

/// How long ago something was, for a sentence.
pub fn ago(age: Duration) -> String {
    let counted = |count: u64, unit: &str| match count {
        1 => format!("1 {unit} ago"),
        _ => format!("{count} {unit}s ago"),
    };
    match age.as_secs() {
        seconds @ 0..60 => counted(seconds, "second"),
        seconds @ 60..3600 => counted(seconds / 60, "minute"),
        seconds @ 3600..86_400 => counted(seconds / 3600, "hour"),
        seconds => counted(seconds / 86_400, "day"),
    }
}
