//! The traces that a run left.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_symbols::Reach;
use cgsan_trace::{Kept, ProcessInfo, ReadError, Trace};

use crate::traces::summaries;

/// How the names of traces end.
const ENDING: &str = ".cgsan";

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

/// What lies below a folder.
#[derive(Debug, Default)]
pub struct Below {
    /// The traces, in the order in which their processes started, with these, as far as they can be read.
    pub traces: Vec<(PathBuf, Option<ProcessInfo>)>,
    /// The files of summaries.
    pub summaries: Vec<PathBuf>,
    /// One for each folder that cannot be read.
    pub notes: Vec<Note>,
}

/// The traces and summaries below a folder.
pub fn below(folder: &Path) -> Below {
    let mut paths = Vec::new();
    let mut summaries = Vec::new();
    let mut notes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if let Err(reason) = look_into(&folder, &mut folders, &mut paths, &mut summaries)
            // A program may remove its own in the meantime.
            && reason.kind() != io::ErrorKind::NotFound
        {
            let text = format!(
                "the traces in {} are lost: {}; make it readable, and run `cgsan report` on it",
                folder.display(),
                cgsan_files::in_words(&reason)
            );
            notes.push(Note::new(text, None));
        }
    }
    let paths = paths.into_iter();
    let traces = paths.map(|path| (cgsan_trace::read_process(&path).ok(), path));
    let mut traces: Vec<_> = traces.map(|(process, path)| (path, process)).collect();
    // What cannot be read comes last, where it is told.
    traces.sort_by(|(path, process), (other, of_other)| {
        let start = |it: &Option<ProcessInfo>| {
            let start = it.as_ref().map(|it| (it.started, it.rank, it.pid));
            (start.is_none(), start)
        };
        (start(process), path).cmp(&(start(of_other), other))
    });
    summaries.sort();
    Below {
        traces,
        summaries,
        notes,
    }
}

/// Adds the traces and the summaries in a folder, and the folders in it.
fn look_into(
    folder: &Path,
    folders: &mut Vec<PathBuf>,
    traces: &mut Vec<PathBuf>,
    summaries: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        } else if is_named_as_trace(&entry.path()) {
            traces.push(entry.path());
        } else if summaries::is_named_so(&entry.path()) {
            summaries.push(entry.path());
        }
    }
    Ok(())
}

/// Whether a file has a name such as `--save` gives: `trace-7.cgsan`, `run.cgsan`, `run.cgsan.1`.
pub fn is_named_as_trace(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_numbered = |(before, number): (&str, &str)| {
        !number.is_empty() && is_number(number) && before.ends_with(ENDING)
    };
    name.ends_with(ENDING) || name.rsplit_once('.').is_some_and(is_numbered)
}

/// That a trace, or a summary of one, cannot be read.
pub fn lost(error: &dyn fmt::Display) -> Note {
    Note::new(format!("the trace of a process is lost: {error}"), None)
}

#[cfg(test)]
mod tests {
    use cgsan_trace::format;

    use super::*;

    #[test]
    fn traces_are_known_by_their_names_and_come_in_the_order_of_their_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("node-1")).expect("a folder");
        let names = [
            ("late.cgsan", 9),
            ("node-1/run.cgsan.12", 4),
            ("run.cgsan", 7),
        ];
        for (name, started) in names {
            let process = cgsan_trace::Entry {
                time_ns: 0,
                thread: cgsan_model::ThreadId(1),
                record: cgsan_trace::Record::Process(cgsan_trace::ProcessInfo {
                    started,
                    ..cgsan_trace::ProcessInfo::default()
                }),
            };
            fs::write(path(name), format::encode_all(&[process])).expect("a file");
        }
        for name in ["status-1.json", "run.cgsan.x", "run.cgsan.", "12"] {
            fs::write(path(name), "{}").expect("a file");
        }
        fs::write(path("garbage.cgsan"), "garbage").expect("a file");
        let wanted = [
            "node-1/run.cgsan.12",
            "run.cgsan",
            "late.cgsan",
            "garbage.cgsan",
        ]
        .map(path);
        fs::write(path("job.cgsan-summary"), "").expect("a file");
        let below = below(folder.path());
        let found: Vec<PathBuf> = below.traces.into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, wanted);
        assert_eq!(below.summaries, [path("job.cgsan-summary")]);
        assert!(below.notes.is_empty());
    }
}
