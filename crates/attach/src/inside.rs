//! What the process itself says, when it is asked to: a thread of it runs a script, which writes a file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cgsan_threads::Asked;
use serde::{Deserialize, Serialize};

use crate::looked::named_look;
use crate::subject::Subject;
use crate::words;

/// What the process runs.
const SCRIPT: &str = include_str!("inside.py");

/// The folder for the script and its answer, as most programs see it.
const FOLDER: &str = "/tmp";

/// How long the threads of a process have to take the request, and to answer it.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// The most bytes of an answer.
const LARGEST: u64 = 16 << 20;

/// On a native stack, PyTorch's allocator.
const ALLOCATOR: &str = "CachingAllocator";

/// The least that a program holds more for it to be told.
const LEAST_GROWTH: u64 = 1 << 20;

/// Lines of the answer that are shown of each kind.
const SHOWN: usize = 8;

/// What a process says of itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Inside {
    /// The names of its threads, by what `gettid` returns in them.
    pub threads: Option<BTreeMap<String, String>>,
    /// Its living graphs.
    pub graphs: Option<Vec<GraphInside>>,
    /// What its allocator holds; `None` where it was not asked.
    pub memory: Option<Memory>,
    /// Its process groups.
    pub groups: Option<Vec<Group>>,
    /// Collectives of NCCL that are not complete, oldest first.
    pub collectives: Option<Vec<Collective>>,
    /// What it could not say, and why.
    #[serde(default)]
    pub unseen: Vec<String>,
}

/// A living graph.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct GraphInside {
    /// Its pool; `None` before its capture.
    pub pool: Option<(u64, u64)>,
    /// The variables that lead to it, with whose they are.
    pub names: Vec<String>,
}

/// What an allocator holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Memory {
    /// By pool, largest first.
    pub pools: Vec<PoolInside>,
    /// By line, largest first, if the allocator keeps lines.
    pub lines: Vec<LineInside>,
}

/// What a pool holds, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct PoolInside {
    /// Its id; `(0, 0)` for that of eager work.
    pub pool: (u64, u64),
    /// What it has from the driver.
    pub reserved: u64,
    /// What the program holds of it.
    pub allocated: u64,
    /// What was freed and another stream may still use.
    pub pending: u64,
    /// In how many segments.
    pub segments: u64,
}

/// A line whose blocks the program holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct LineInside {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The size of the blocks.
    pub bytes: u64,
    /// How many there are.
    pub blocks: u64,
}

/// A process group.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// `nccl`, `gloo`, …
    pub backend: String,
    /// The ranks of its members.
    pub ranks: Vec<u32>,
}

/// A collective that is not complete, as the flight recorder has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Collective {
    /// `nccl:all_reduce`
    pub profiling_name: Option<String>,
    /// `scheduled` or `started`.
    pub state: Option<String>,
    /// Its number in its group.
    pub collective_seq_id: Option<u64>,
    /// The name and the description of its group.
    pub process_group: Option<Vec<String>>,
    /// The sizes of its inputs.
    pub input_sizes: Option<serde_json::Value>,
}

/// Asks a process.
///
/// # Errors
///
/// Why it does not answer.
pub fn ask(subject: &Subject) -> Result<Inside, String> {
    let in_words = |reason: &io::Error| format!("{FOLDER}: {}", cgsan_files::in_words(reason));
    let folder = Folder::make(subject).map_err(|reason| in_words(&reason))?;
    let look = named_look(subject.pid);
    let asks_allocator = !look.threads.iter().any(|thread| {
        let mut native = thread.native.iter();
        native.any(|frame| frame.contains(ALLOCATOR)) && thread.status.state != 'R'
    });
    let script = folder.write_script(asks_allocator);
    let script = script.map_err(|reason| in_words(&reason))?;
    let asked = Asked::to_run(subject.pid, &script)?;
    let begun = Instant::now();
    while !folder.has_answer() {
        if begun.elapsed() > PATIENCE {
            drop(asked);
            return Err(format!(
                "no thread of it came to run Python within {} s, so the request was withdrawn",
                PATIENCE.as_secs()
            ));
        }
        thread::sleep(PAUSE);
    }
    drop(asked);
    folder.answer()
}

/// That a program holds more than before, where it is worth telling: not whether it will go on doing so.
pub fn growth(before: &Inside, after: &Inside, time: Duration) -> Option<String> {
    let [first, last] = [before, after].map(|it| it.memory.as_ref());
    let (first, last) = (first?, last?);
    let sum = |memory: &Memory| memory.pools.iter().map(|it| it.allocated).sum::<u64>();
    let more = sum(last).checked_sub(sum(first))?;
    if more < LEAST_GROWTH {
        return None;
    }
    let line = |it: &LineInside| (it.file.clone(), it.line);
    let grown = last.lines.iter().filter_map(|now| {
        let then = first.lines.iter().find(|it| line(it) == line(now));
        let more = now.bytes.checked_sub(then.map_or(0, |it| it.bytes))?;
        Some((more, now))
    });
    let most = grown
        .max_by_key(|(more, _)| *more)
        .filter(|(more, _)| *more > 0);
    let most = most.map_or(String::new(), |(more, line)| {
        format!(", {} of them from {}:{}", size(more), line.file, line.line)
    });
    Some(format!(
        "the program holds {} more than {} before{most}; whether it goes on growing, a later look tells",
        size(more),
        words::time(time)
    ))
}

/// A folder for one request, which this user and that of the process can enter. It is removed when it is dropped.
struct Folder {
    /// Its name here.
    path: tempfile::TempDir,
    /// The same for the process.
    inner: PathBuf,
    /// The user that the process runs as.
    user: u32,
}

impl Folder {
    fn make(subject: &Subject) -> io::Result<Folder> {
        let root = if subject.is_elsewhere {
            format!("/proc/{}/root", subject.pid)
        } else {
            String::new()
        };
        let parent = PathBuf::from(format!("{root}{FOLDER}"));
        let path = cgsan_files::temporary_folder(&parent, "cgsan-attach-")?;
        let name = path.path().file_name().unwrap_or_default();
        let folder = Folder {
            inner: Path::new(FOLDER).join(name),
            user: subject.user,
            path,
        };
        folder.give_away(folder.path.path())?;
        Ok(folder)
    }

    /// Makes the process's user the owner, if it is another one. Only root can, and enters it still.
    fn give_away(&self, path: &Path) -> io::Result<()> {
        if fs::metadata(path)?.uid() == self.user {
            return Ok(());
        }
        chown(path, Some(self.user), None)
    }

    /// Writes the script, and says where the process finds it.
    fn write_script(&self, asks_allocator: bool) -> io::Result<String> {
        let inner = self.inner.to_string_lossy().into_owned();
        let folder = serde_json::to_string(&inner).map_err(io::Error::other)?;
        let asks = if asks_allocator { "True" } else { "False" };
        let path = self.path.path().join("inside.py");
        let mut options = File::options();
        let mut file = cgsan_files::private_file(&path, options.write(true).create_new(true))?;
        write!(file, "FOLDER = {folder}\nASKS_ALLOCATOR = {asks}\n{SCRIPT}")?;
        self.give_away(&path)?;
        Ok(format!("{inner}/inside.py"))
    }

    fn has_answer(&self) -> bool {
        self.path.path().join("answer").exists()
    }

    fn answer(&self) -> Result<Inside, String> {
        let path = self.path.path().join("answer");
        let bytes = cgsan_files::read(&path, LARGEST);
        let bytes = bytes.map_err(|reason| format!("its answer: {reason}"))?;
        serde_json::from_slice(&bytes).map_err(|reason| format!("its answer: {reason}"))
    }
}

impl Inside {
    /// What it says, in lines.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for graph in self.graphs.iter().flatten().take(SHOWN) {
            let pool = graph
                .pool
                .map_or("no pool yet".to_owned(), |it| format!("pool {}", name(it)));
            let names = if graph.names.is_empty() {
                "no variable was found".to_owned()
            } else {
                graph.names.join(", ")
            };
            lines.push(format!("graph, {pool}: {names}"));
        }
        for pool in self.memory.iter().flat_map(|it| &it.pools).take(SHOWN) {
            lines.push(format!(
                "pool {}: {} reserved, {} held, {} pending, {} segments",
                name(pool.pool),
                size(pool.reserved),
                size(pool.allocated),
                size(pool.pending),
                pool.segments
            ));
        }
        for line in self.memory.iter().flat_map(|it| &it.lines).take(SHOWN) {
            lines.push(format!(
                "{} in {} blocks of {}:{} in {}",
                size(line.bytes),
                line.blocks,
                line.file,
                line.line,
                line.function
            ));
        }
        if self.memory.as_ref().is_some_and(|it| it.lines.is_empty()) {
            lines.push("lines of blocks: the allocator keeps none (`torch.cuda.memory._record_memory_history()`)".to_owned());
        }
        for group in self.groups.iter().flatten().take(SHOWN) {
            lines.push(format!(
                "process group {} ({}): ranks {}",
                group.name,
                group.backend,
                cgsan_finding::numbers(&sorted(&group.ranks))
            ));
        }
        for collective in self.collectives.iter().flatten().take(SHOWN) {
            let group = collective.process_group.iter().flatten().next();
            lines.push(format!(
                "collective in flight: {} number {} of group {}, {}",
                collective.profiling_name.as_deref().unwrap_or("?"),
                collective.collective_seq_id.unwrap_or(0),
                group.map_or("?", String::as_str),
                collective.state.as_deref().unwrap_or("?")
            ));
        }
        lines.extend(
            self.unseen
                .iter()
                .map(|it| format!("not told from inside: {it}")),
        );
        lines
    }
}

/// A pool, as people name it.
fn name(pool: (u64, u64)) -> String {
    match pool {
        (0, 0) => "of eager work".to_owned(),
        (first, second) => format!("({first}, {second})"),
    }
}

fn sorted(ranks: &[u32]) -> Vec<u32> {
    let mut ranks = ranks.to_vec();
    ranks.sort_unstable();
    ranks
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_said() {
        let answer = r#"{"unseen": ["groups: RuntimeError: no"], "threads": {"7": "MainThread"},
            "graphs": [{"pool": [0, 2], "names": ["`g` of module __main__"]}, {"pool": null, "names": []}],
            "memory": {"pools": [{"pool": [0, 0], "reserved": 2097152, "allocated": 1024, "pending": 0, "segments": 1}], "lines": []},
            "groups": null,
            "collectives": [{"profiling_name": "nccl:all_reduce", "state": "started", "collective_seq_id": 2,
                "process_group": ["0", "default_pg"], "input_sizes": [[8]]}]}"#;
        let inside: Inside = serde_json::from_str(answer).expect("an answer");
        assert_eq!(
            inside.lines(),
            [
                "graph, pool (0, 2): `g` of module __main__",
                "graph, no pool yet: no variable was found",
                "pool of eager work: 2 MiB reserved, 1 KiB held, 0 KiB pending, 1 segments",
                "lines of blocks: the allocator keeps none (`torch.cuda.memory._record_memory_history()`)",
                "collective in flight: nccl:all_reduce number 2 of group 0, started",
                "not told from inside: groups: RuntimeError: no",
            ]
        );
    }
}
