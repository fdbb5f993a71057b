//! Running Python programs under `cgsan run`, for the tests that do.

#![allow(
    dead_code,
    reason = "every test binary has a copy of its own and uses its part of it"
)]

pub mod exception;
pub mod fleet;
pub mod large;
pub mod marked;
pub mod planted;
pub mod recorder;
pub mod together;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;

/// A program that takes longer hangs, in seconds.
const LIMIT: &str = "300";

/// Programs compile their kernels themselves: a pool of processes that do, each with PyTorch imported, takes longer than the kernels of
/// a small program. `tests/compiled` has programs that ask for the pool.
const ONE_COMPILER: [(&str, &str); 1] = [("TORCHINDUCTOR_COMPILE_THREADS", "1")];

/// The root of the repository.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

/// What `cgsan` says to these arguments, without colours.
pub fn cgsan(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("cgsan starts")
}

/// The programs of a folder of the repository that has some.
pub fn programs(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let mut programs: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "{} is empty", folder.display());
    programs
}

/// What a watched program did, and what cgsan said.
pub struct Watched {
    /// The exit status; `None` if a signal ended it.
    pub exit: Option<i32>,
    /// What it printed to standard output.
    pub stdout: String,
    /// What it printed to standard error.
    pub stderr: String,
    /// What cgsan found.
    pub findings: Vec<Finding>,
    /// What it said of the run as a whole.
    pub notes: Vec<Note>,
}

impl Watched {
    /// What is wrong with the end of a sound program.
    pub fn did_not_end_well(&self) -> Vec<String> {
        if self.exit == Some(0) {
            return Vec::new();
        }
        vec![format!("ended with {:?}: {}", self.exit, self.stderr)]
    }

    /// What cgsan's own code in the program printed into its standard error.
    pub fn intrusions(&self) -> Vec<String> {
        let is_ours =
            |line: &&str| line.contains("Exception ignored") || line.contains("cgsan_agent");
        let found = self.stderr.lines().find(is_ours);
        found
            .map(|line| format!("its standard error has `{line}`"))
            .into_iter()
            .collect()
    }
}

/// The part of a finding that the tests look at.
#[derive(Debug, Deserialize)]
pub struct Finding {
    pub id: String,
    pub location: Option<Location>,
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
    pub consequences: Vec<Consequence>,
    pub call: Option<Call>,
    processes: Vec<Process>,
}

/// A later error.
#[derive(Debug, Deserialize)]
pub struct Consequence {
    pub text: String,
}

/// A process in which something was found.
#[derive(Debug, Deserialize)]
struct Process {
    pid: i32,
}

impl Finding {
    /// The line it points to, if that lies in `program`.
    pub fn line_in(&self, program: &Path) -> Option<u32> {
        self.location.as_ref()?.line_in(program)
    }

    /// Where it points to, for a message.
    pub fn place(&self) -> String {
        self.location.as_ref().map_or_else(
            || "no line".to_owned(),
            |location| {
                let file = Path::new(&location.file).file_name().unwrap_or_default();
                format!("{}:{}", file.to_string_lossy(), location.line)
            },
        )
    }

    /// The lines among `wanted` that none of its labels points to.
    pub fn unlabelled(&self, wanted: &[u32], program: &Path) -> Vec<u32> {
        let labelled = |line: &u32| {
            let mut labels = self.labels.iter();
            labels.any(|label| label.location.line_in(program) == Some(*line))
        };
        wanted
            .iter()
            .copied()
            .filter(|line| !labelled(line))
            .collect()
    }
}

/// A line of a Python file.
#[derive(Debug, Deserialize)]
pub struct Location {
    pub file: String,
    pub line: u32,
}

impl Location {
    fn line_in(&self, program: &Path) -> Option<u32> {
        (Path::new(&self.file).file_name() == program.file_name()).then_some(self.line)
    }
}

/// A remark.
#[derive(Debug, Deserialize)]
pub struct Note {
    pub text: String,
    pub location: Option<Location>,
}

impl Note {
    /// The line it points to, if that lies in `program`.
    pub fn line_in(&self, program: &Path) -> Option<u32> {
        self.location.as_ref()?.line_in(program)
    }
}

/// A place that explains a finding.
#[derive(Debug, Deserialize)]
pub struct Label {
    pub location: Location,
}

/// A refused call.
#[derive(Debug, Deserialize)]
pub struct Call {
    pub function: String,
    pub code: i32,
}

#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
    notes: Vec<Note>,
}

/// The interpreter with PyTorch.
pub fn python() -> OsString {
    env::var_os("CGSAN_TEST_PYTHON")
        .expect("CGSAN_TEST_PYTHON names an interpreter with PyTorch; `cargo xtask test` sets it")
}

/// Runs a program under `cgsan run`; an error says that there is no result to judge.
pub fn watch(python: &OsStr, program: &Path) -> Result<Watched, String> {
    watch_on(python, 1, &[], program)
}

/// As [`watch`], with work done when a schedule says, for a program that Python launches by these arguments.
pub fn watch_scheduled(
    python: &OsStr,
    schedule: &str,
    launcher: &[&str],
    program: &Path,
) -> Result<Watched, String> {
    let options = ["--schedule", schedule];
    watch_with(&options, python, launcher, program)
}

/// As [`watch`], with calls of graphed callables compared, and a status that says whether something is wrong.
pub fn watch_verifying(python: &OsStr, program: &Path) -> Result<Watched, String> {
    watch_with(&["--verify", "--strict"], python, &[], program)
}

/// As [`watch`], on two virtual GPUs, for a program that may stand still: after so many seconds, this is done. Options that the program
/// itself names in a line `# options: …` are given too.
pub fn watch_hangs(
    python: &OsStr,
    seconds: u32,
    on_hang: &str,
    program: &Path,
) -> Result<Watched, String> {
    let seconds = seconds.to_string();
    let options = [
        "--gpus",
        "2",
        "--hang-timeout",
        &seconds,
        "--on-hang",
        on_hang,
    ];
    let source = fs::read_to_string(program).map_err(|error| error.to_string())?;
    let named = source
        .lines()
        .find_map(|line| line.strip_prefix("# options: "));
    let options: Vec<&str> = options
        .into_iter()
        .chain(named.into_iter().flat_map(str::split_whitespace))
        .collect();
    watch_with(&options, python, &[], program)
}

/// The arguments by which Python launches a program in two ranks.
pub const TWO_RANKS: &[&str] = &[
    "-m",
    "torch.distributed.run",
    "--standalone",
    "--nproc-per-node=2",
];

/// The same in four.
pub const FOUR_RANKS: &[&str] = &[
    "-m",
    "torch.distributed.run",
    "--standalone",
    "--nproc-per-node=4",
];

/// As [`watch`], on so many virtual GPUs, for a program that Python launches by these arguments.
pub fn watch_on(
    python: &OsStr,
    gpus: u32,
    launcher: &[&str],
    program: &Path,
) -> Result<Watched, String> {
    watch_with(&["--gpus", &gpus.to_string()], python, launcher, program)
}

/// As [`watch_on`], with these options of `cgsan run`, for a program that Python launches by these arguments.
pub fn watch_with(
    options: &[&str],
    python: &OsStr,
    launcher: &[&str],
    program: &Path,
) -> Result<Watched, String> {
    let folder = temporary_folder()?;
    let mut arguments: Vec<&OsStr> = vec![python];
    arguments.extend(launcher.iter().map(OsStr::new));
    arguments.push(program.as_os_str());
    let (output, report) = run(options, &arguments, folder.path())?;
    Ok(Watched {
        exit: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        findings: report.findings,
        notes: report.notes,
    })
}

pub fn temporary_folder() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))
}

/// Runs `cgsan run` with these options on a program with its arguments, in a folder.
fn run(options: &[&str], program: &[&OsStr], folder: &Path) -> Result<(Output, Report), String> {
    let report = folder.join("report.json");
    // `timeout` ends the whole process group, so that no program is left behind.
    let output = Command::new("timeout")
        .args(["--kill-after=5", LIMIT, env!("CARGO_BIN_EXE_cgsan")])
        .arg("run")
        .args(options)
        .args(["--json", "--output"])
        .arg(&report)
        .arg("--")
        .args(program)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        // What programs compile is kept from test to test, and apart from the user's.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        // How long the programs that hang on purpose do, in seconds.
        .env("DUMP", "10")
        .envs(ONE_COMPILER)
        .output()
        .map_err(|error| format!("cannot start `timeout`: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(124) {
        return Err(format!("still running after {LIMIT} s"));
    }
    let report = fs::read_to_string(&report)
        .map_err(|error| format!("no report: {error}; standard error: {stderr}"))?;
    let report = serde_json::from_str(&report)
        .map_err(|error| format!("the report is not as documented: {error}"))?;
    Ok((output, report))
}

/// Applies `judge` to every item, as many at a time as there are processors, and returns the answers in order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], judge: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut answers = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return answers;
            };
            answers.push((index, judge(item)));
        }
    };
    let mut answers: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("judging does not panic"))
            .collect()
    });
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
