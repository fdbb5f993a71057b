//! What became of the virtual GPU in each Python process, as the agent noted it.

use std::fs;
use std::path::Path;

use cgsan_finding::Note;
use serde::Deserialize;

/// How to come by a PyTorch that the virtual GPU can serve.
pub const HOW_TO_GET_PYTORCH: &str = "install it with `pip install torch`; without a GPU, `pip install --no-deps torch` \
    and `pip install filelock fsspec jinja2 networkx numpy setuptools sympy typing-extensions` are enough";

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
    pub executable: Option<String>,
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
    /// The library could not be loaded.
    LoadFailed,
    /// The library refused to start.
    StartFailed,
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
}

/// Bytes of the largest status file.
const LARGEST: u64 = 1 << 20;

/// Reads the status files in the folder of a run.
pub fn read_all(folder: &Path) -> Statuses {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut processes: Vec<Status> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("status-") && name.ends_with(".json")
        })
        .filter_map(|path| serde_json::from_slice(&cgsan_files::read(&path, LARGEST).ok()?).ok())
        .collect();
    processes.sort_by_key(|status| status.pid);
    Statuses {
        python_seen: folder.join("python-seen").exists(),
        cgsan_seen: folder.join("cgsan-seen").exists(),
        processes,
    }
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
            (None, true) => "Python ran, and PyTorch was never imported".to_owned(),
            (None, false) => "the program started no Python; or it ran with -I, -E or -S, which hide PYTHONPATH and \
                              with it cgsan: start it without these options"
                .to_owned(),
        }
    }
}

impl Status {
    fn reason(&self) -> String {
        let detail = self.detail.as_deref().unwrap_or("no reason was given");
        let executable = self.executable.as_deref().unwrap_or("Python");
        match self.state {
            State::Started => "no call to CUDA was made".to_owned(),
            State::TorchMissing => format!("{executable} has no PyTorch: {HOW_TO_GET_PYTORCH}"),
            State::NotCuda => format!(
                "PyTorch {} is built for {detail}, not for CUDA, so it captures no CUDA graph: {HOW_TO_GET_PYTORCH}",
                self.torch
            ),
            State::UnsupportedPython => format!(
                "{executable} is {detail} {}, and cgsan supports CPython 3.10 to 3.13 with the GIL: use one of those",
                self.python
            ),
            State::LoadFailed => format!(
                "cgsan's library could not be loaded: {detail}; `cgsan env` checks what it needs"
            ),
            State::StartFailed => format!(
                "the recording did not start ({detail}); is there room on the disk of TMPDIR?"
            ),
        }
    }

    /// A remark on a PyTorch that is outside what cgsan was made for.
    fn untested(&self) -> Option<String> {
        let outside = self.state == State::Started && !is_supported_torch(&self.torch)?;
        outside.then(|| {
            format!(
                "PyTorch {} is not one of the supported versions 2.6 to 2.15: findings may be incomplete",
                self.torch
            )
        })
    }
}

impl State {
    fn is_failure(self) -> bool {
        matches!(
            self,
            Self::UnsupportedPython | Self::LoadFailed | Self::StartFailed
        )
    }
}

/// Whether cgsan was made for this version of PyTorch; `None` if the version cannot be read.
pub fn is_supported_torch(version: &str) -> Option<bool> {
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let major = numbers.next()?.ok()?;
    let minor = numbers.next()?.ok()?;
    Some(major == 2 && (6..=15).contains(&minor))
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
            executable: Some("/usr/bin/python3".to_owned()),
            torch: "2.11.0+cpu".to_owned(),
        }
    }

    fn texts(python_seen: bool, processes: Vec<Status>, recorded: bool) -> Vec<String> {
        let statuses = Statuses {
            python_seen,
            cgsan_seen: false,
            processes,
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
            one(State::LoadFailed, Some("cannot open shared object file")),
            one(State::StartFailed, Some("code 3")),
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
    fn pytorch_from_2_6_to_2_15_is_supported() {
        assert_eq!(is_supported_torch("2.11.0+cu130"), Some(true));
        assert_eq!(is_supported_torch("2.6.0"), Some(true));
        assert_eq!(is_supported_torch("2.5.1"), Some(false));
        assert_eq!(is_supported_torch("2.16.0.dev2027"), Some(false));
        assert_eq!(is_supported_torch(""), None);
    }
}
