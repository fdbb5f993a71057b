//! The traces that a run left.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_symbols::Reach;
use cgsan_trace::{Kept, ReadError, Trace};

use crate::progress::Progress;

/// The trace of one process.
#[derive(Debug)]
pub struct Recording {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub trace: Trace,
}

impl Recording {
    /// Reads a trace, and finds out who made its refused calls, from the files in reach.
    pub fn read(path: PathBuf, reach: &Reach) -> Result<Recording, ReadError> {
        let mut trace = Trace::read(&path)?;
        cgsan_symbols::name_callers(&mut trace, reach);
        Ok(Recording { path, trace })
    }

    /// Finds out what only this machine can tell, to keep it with the trace: the names of native functions. And what takes
    /// long: the shortest program that shows a defect of cgsan.
    pub fn complete(&mut self) {
        let kept = Kept {
            native_names: cgsan_symbols::native_names(&self.trace),
            contradiction: cgsan_diagnose::contradiction(&self.trace).unwrap_or_default(),
            trials: Vec::new(),
        };
        *self.trace.kept_mut() = kept;
    }
}

/// The traces of a run.
#[derive(Debug, Default)]
pub struct Recordings {
    /// Those of processes that used CUDA, in the order in which the processes started.
    pub used: Vec<Recording>,
    /// The ids of processes that another one forked.
    pub forked: BTreeSet<u32>,
    /// One for each trace that cannot be read.
    pub notes: Vec<Note>,
}

impl Recordings {
    /// Reads traces that were kept.
    ///
    /// # Errors
    ///
    /// When one of them cannot be read.
    pub fn read(paths: &[PathBuf], reach: &Reach) -> Result<Recordings, ReadError> {
        let mut recordings = Recordings::default();
        for path in paths {
            let recording = Recording::read(path.clone(), reach)?;
            recordings.forked.extend(recording.trace.children());
            recordings.used.push(recording);
        }
        Ok(recordings)
    }
}

/// Reads the traces in the folder of a run.
pub fn read_all(folder: &Path) -> Recordings {
    let _progress = Progress::start("reading what was recorded");
    let mut used = Vec::new();
    let mut notes = Vec::new();
    let mut forked = BTreeSet::new();
    for path in traces_in(folder) {
        match Recording::read(path, &Reach::OwnRun) {
            Ok(recording) => {
                forked.extend(recording.trace.children());
                if recording.trace.uses_cuda() {
                    used.push(recording);
                }
            }
            Err(error) => {
                let text = format!("the trace of a process is lost: {error}");
                notes.push(Note::new(text, None));
            }
        }
    }
    used.sort_by_key(|recording| {
        let process = recording.trace.process();
        (process.started, process.pid)
    });
    Recordings {
        used,
        forked,
        notes,
    }
}

fn traces_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "cgsan")
        })
        .collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_cannot_be_read_is_told_and_hides_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("trace-1.cgsan"), b"garbage").expect("a file");
        fs::write(folder.path().join("status-1.json"), b"{}").expect("a file");
        let recordings = read_all(folder.path());
        assert!(recordings.used.is_empty());
        assert_eq!(recordings.notes.len(), 1);
        let text = &recordings.notes[0].text;
        assert!(
            text.starts_with("the trace of a process is lost: "),
            "{text}"
        );
        assert!(read_all(Path::new("/no/such/folder")).notes.is_empty());
    }
}
