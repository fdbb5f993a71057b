//! What became of the virtual GPU in each Python process, as the agent noted it.

use std::fs;
use std::path::Path;

use cgsan_finding::Note;
use cgsan_trace::written::{self, WrittenPath};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::program::{pytorch, supported};

/// A status file of the agent.
#[derive(Clone, Debug, Deserialize)]
pub struct Status {
    /// The process.
    pub pid: u32,
    /// What became of the virtual GPU.
    pub state: State,
    /// More about it, e.g. the loader's message.
    pub detail: Option<String>,
    /// The version of Python, e.g. `3.12.3`.
    pub python: String,
    /// The interpreter.
    pub executable: Option<WrittenPath>,
    /// The version of PyTorch; empty if there is none.
    pub torch: String,
}

/// What became of the virtual GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It serves the process.
    Started,
    /// PyTorch was looked for and is not installed.
    TorchMissing,
    /// PyTorch was built for something else than CUDA.
    NotCuda,
    /// The recorder cannot read this interpreter's stacks.
    UnsupportedPython,
    /// It has a CUDA runtime of its own, for which the virtual GPU cannot stand in.
    NotServed,
    /// The library could not be loaded.
    LoadFailed,
    /// The library refused to start.
    StartFailed,
    /// The agent raised an exception.
    AgentFailed,
}

/// A Python that a process started and that cgsan could not come by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Unwatched {
    /// Why.
    pub reason: Hidden,
    /// Its command, up to the script.
    pub command: String,
}

/// What hides cgsan from a Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// It was given an environment without the variables of the run.
    Environment,
    /// Its options hide `PYTHONPATH` or `sitecustomize`.
    Options,
}

/// What the processes of a run left.
#[derive(Debug)]
pub struct Statuses {
    /// Whether any Python came by.
    pub python_seen: bool,
    /// Whether another cgsan, started by the program, watched one.
    pub cgsan_seen: bool,
    /// One for each process that looked for PyTorch, by process id.
    pub processes: Vec<Status>,
    /// Pythons that were started past cgsan, each command once.
    pub unwatched: Vec<Unwatched>,
}

/// Bytes of the largest status file.
const LARGEST: u64 = 1 << 20;

/// Reads the status files in the folder of a run.
pub fn read_all(folder: &Path) -> Statuses {
    let mut processes: Vec<Status> = read_named(folder, "status-");
    processes.sort_by_key(|status| status.pid);
    let mut unwatched: Vec<Unwatched> = read_named(folder, "unwatched-");
    unwatched.sort();
    unwatched.dedup();
    Statuses {
        python_seen: folder.join("python-seen").exists(),
        cgsan_seen: folder.join("cgsan-seen").exists(),
        processes,
        unwatched,
    }
}

/// The files of the agent in the folder of a run whose names begin so, as far as they can be read.
fn read_named<T: DeserializeOwned>(folder: &Path, beginning: &str) -> Vec<T> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(beginning) && name.ends_with(".json")
        })
        .filter_map(|path| serde_json::from_slice(&cgsan_files::read(&path, LARGEST).ok()?).ok())
        .collect()
}

/// What a reader of the report should know: why nothing was recorded, or what was not.
pub fn notes(statuses: &Statuses, recorded: bool) -> Vec<Note> {
    let processes = &statuses.processes;
    let mut texts: Vec<String> = processes.iter().filter_map(Status::untested).collect();
    if recorded {
        let failures = processes.iter().filter(|status| status.state.is_failure());
        texts.extend(
            failures.map(|status| format!("one process was not watched: {}", status.reason())),
        );
    } else {
        texts.push(format!("nothing was recorded: {}", statuses.why_nothing()));
    }
    texts.extend(statuses.unwatched.iter().map(Unwatched::text));
    texts.dedup();
    texts
        .into_iter()
        .map(|text| Note::new(text, None))
        .collect()
}

impl Statuses {
    /// Why nothing was recorded.
    pub fn why_nothing(&self) -> String {
        let is_started = |status: &&Status| status.state == State::Started;
        let started = self.processes.iter().find(is_started);
        match (started.or(self.processes.first()), self.python_seen) {
            (Some(status), _) => status.reason(),
            (None, _) if self.cgsan_seen => {
                "the program started a cgsan of its own, which has its own report".to_owned()
            }
            (None, true) if self.unwatched.is_empty() => {
                "Python ran, and PyTorch was never imported".to_owned()
            }
            (None, true) => "PyTorch was never imported in a Python that was watched".to_owned(),
            (None, false) => "the program started no Python; or it ran with -I, -E or -S, which hide PYTHONPATH and \
                              with it cgsan: start it without these options; or a script sets PYTHONPATH anew: have it \
                              add to it, as in PYTHONPATH=src:$PYTHONPATH"
                .to_owned(),
        }
    }
}

impl Unwatched {
    fn text(&self) -> String {
        let why = match self.reason {
            Hidden::Environment => {
                "its environment lacks the variables of this run: start it with a copy of `os.environ`"
            }
            Hidden::Options => {
                "-I, -E and -S hide PYTHONPATH and with it cgsan: start it without these options"
            }
        };
        format!("`{}` was not watched: {why}", self.command)
    }
}

impl Status {
    fn reason(&self) -> String {
        let detail = self.detail.as_deref().unwrap_or("no reason was given");
        let path = match &self.executable {
            Some(WrittenPath(path)) => path.as_path(),
            None => Path::new("Python"),
        };
        let executable = written::shown(path.as_os_str());
        match self.state {
            State::Started => "no call to CUDA was made".to_owned(),
            State::TorchMissing => {
                let help = pytorch::how_to_get(path, None);
                format!("{executable} has no PyTorch: {help}")
            }
            State::NotCuda => format!(
                "PyTorch {} is built for {detail}, not for CUDA, so it captures no CUDA graph: {}",
                self.torch,
                pytorch::how_to_get(path, Some(&self.torch))
            ),
            State::UnsupportedPython => format!(
                "{executable} is {detail} {}, and cgsan supports {}: use one of those",
                self.python,
                supported::python()
            ),
            State::NotServed => format!(
                "{detail} has a CUDA runtime in its own library, without the names by which the virtual GPU could stand in \
                 for it, so it sees no GPU here: run it on a machine with one"
            ),
            State::LoadFailed => format!(
                "cgsan's library could not be loaded: {detail}; `cgsan env` checks what it needs"
            ),
            State::StartFailed => format!(
                "the recording did not start ({detail}); is there room on the disk of TMPDIR?"
            ),
            State::AgentFailed => format!(
                "cgsan's agent failed ({detail}), so what the program did is not known as a whole: please report this"
            ),
        }
    }

    /// A remark on a PyTorch that is outside what cgsan was made for.
    fn untested(&self) -> Option<String> {
        let outside = self.state == State::Started && !supported::is_pytorch(&self.torch)?;
        outside.then(|| {
            format!(
                "PyTorch {} is not one of the supported versions {}: findings may be incomplete",
                self.torch,
                supported::pytorch()
            )
        })
    }
}

impl State {
    fn is_failure(self) -> bool {
        matches!(
            self,
            Self::UnsupportedPython | Self::LoadFailed | Self::StartFailed | Self::AgentFailed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: State, detail: Option<&str>) -> Status {
        Status {
            pid: 1,
            state,
            detail: detail.map(str::to_owned),
            python: "3.9.18".to_owned(),
            executable: Some(WrittenPath("/nowhere/bin/python".into())),
            torch: "2.11.0+cpu".to_owned(),
        }
    }

    fn texts(python_seen: bool, processes: Vec<Status>, recorded: bool) -> Vec<String> {
        let statuses = Statuses {
            python_seen,
            cgsan_seen: false,
            processes,
            unwatched: Vec::new(),
        };
        notes(&statuses, recorded)
            .into_iter()
            .map(|note| note.text)
            .collect()
    }

    #[test]
    fn every_reason_for_an_empty_recording_is_told_apart() {
        let one = |state, detail| texts(true, vec![status(state, detail)], false).join("\n");
        let all = [
            texts(false, vec![], false).join("\n"),
            texts(true, vec![], false).join("\n"),
            one(State::Started, None),
            one(State::TorchMissing, None),
            one(State::NotCuda, Some("CPU")),
            one(State::UnsupportedPython, Some("CPython")),
            one(State::NotServed, Some("Warp")),
            one(State::LoadFailed, Some("cannot open shared object file")),
            one(State::StartFailed, Some("code 3")),
            one(State::AgentFailed, Some("ImportError: no ctypes")),
        ];
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn a_run_that_was_recorded_mentions_only_what_was_lost() {
        assert_eq!(
            texts(true, vec![status(State::Started, None)], true),
            Vec::<String>::new()
        );
        assert_eq!(
            texts(true, vec![status(State::TorchMissing, None)], true),
            Vec::<String>::new()
        );
        let lost = texts(true, vec![status(State::LoadFailed, Some("no room"))], true);
        assert!(lost[0].starts_with(
            "one process was not watched: cgsan's library could not be loaded: no room"
        ));
    }

    #[test]
    fn a_python_that_was_started_past_cgsan_is_named_whether_or_not_something_was_recorded() {
        let one = |reason| Unwatched {
            reason,
            command: "python child.py".to_owned(),
        };
        let statuses = Statuses {
            python_seen: true,
            cgsan_seen: false,
            processes: vec![],
            unwatched: vec![one(Hidden::Environment), one(Hidden::Options)],
        };
        let [recorded, nothing] = [true, false].map(|recorded| {
            let notes = notes(&statuses, recorded).into_iter().map(|note| note.text);
            notes.collect::<Vec<_>>()
        });
        assert_eq!(recorded.len(), 2, "{recorded:?}");
        assert!(
            recorded[0].starts_with("`python child.py` was not watched: its environment"),
            "{recorded:?}"
        );
        assert_eq!(nothing[1..], recorded, "{nothing:?}");
        assert!(
            nothing[0].ends_with("in a Python that was watched"),
            "{nothing:?}"
        );
    }
}
