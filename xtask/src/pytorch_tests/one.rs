//! One test in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use super::Bench;
use crate::failure::{Context, Result};
use crate::process;
use crate::pytest;

/// How long one test may take, in seconds.
const LONGEST: &str = "300";

/// A test of PyTorch.
#[derive(Clone)]
pub struct Test {
    file: &'static str,
    /// Its name as pytest writes it, e.g. `TestCuda::test_graph_error`.
    pub name: String,
}

/// How a test runs.
#[derive(Clone, Copy)]
pub enum Mode {
    /// With cgsan's recording off.
    Unrecorded,
    /// With it on.
    Recorded,
    /// With it on, and values computed.
    Values,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::Unrecorded => "unrecorded",
            Self::Recorded => "recorded",
            Self::Values => "values",
        }
    }
}

/// How a test ended.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// pytest's word: `passed`, `failed`, `skipped`, `xfailed`; `died` where the process ended before.
    #[serde(rename = "outcome")]
    pub word: String,
    /// The line of its file at which it stopped.
    pub line: Option<u32>,
    /// The exception that stopped it, in one line.
    pub message: Option<String>,
}

impl Outcome {
    /// Whether two runs of a test ended in the same way, at the same line.
    pub fn is_like(&self, other: &Self) -> bool {
        self.word == other.word && self.line == other.line
    }

    /// Whether it was neither passed nor skipped nor expected to fail.
    pub fn failed(&self) -> bool {
        !matches!(self.word.as_str(), "passed" | "skipped" | "xfailed")
    }
}

/// Which tests are meant.
#[derive(Clone, Copy)]
pub enum Which {
    /// Those of `test_cuda.py` whose names speak of graphs.
    Graphs,
    /// All others of it.
    Others,
    /// Those of the graphs that `torch.compile` captures.
    Compiled,
}

impl Which {
    const fn file(self) -> &'static str {
        match self {
            Self::Graphs | Self::Others => "test_cuda.py",
            Self::Compiled => "inductor/test_cudagraph_trees.py",
        }
    }

    /// What pytest chooses them by.
    const fn names(self) -> &'static str {
        match self {
            Self::Graphs => "graph and not cpu",
            Self::Others => "not graph and not cpu",
            Self::Compiled => "CudaGraphTreeTests",
        }
    }
}

/// Tests that run on a GPU.
pub fn collect(bench: &Bench, which: Which) -> Result<Vec<Test>> {
    let report = bench.output.join("collected.json");
    let mut command = of_tests(
        bench,
        Mode::Unrecorded,
        &report,
        &bench.output.join("collected"),
    );
    command.args(["--collect-only", "-k", which.names(), which.file()]);
    Ok(process::output(&mut command)?
        .lines()
        .filter_map(|line| line.strip_prefix(which.file())?.strip_prefix("::"))
        .map(|name| Test {
            file: which.file(),
            name: name.to_owned(),
        })
        .collect())
}

/// Runs a test, and returns how it ended and which ids cgsan found.
pub fn run(bench: &Bench, test: &Test, mode: Mode) -> Result<(Outcome, Vec<String>)> {
    let name = format!("{}.{}", test.name.replace("::", "."), mode.name());
    let file = |ending: &str| bench.output.join(format!("{name}.{ending}"));
    let (report, outcome, log) = (file("json"), file("outcome"), file("log"));
    let _ = fs::remove_file(&outcome);
    let mut command = of_tests(bench, mode, &report, &outcome);
    command.arg(format!("{}::{}", test.file, test.name));
    let output = command
        .stdin(Stdio::null())
        .output()
        .context(|| format!("cannot start {}", bench.cgsan.display()))?;
    fs::write(&log, [output.stdout, output.stderr].concat())
        .context(|| format!("cannot write {}", log.display()))?;
    Ok((ended(&outcome)?, findings(&report)?))
}

/// What the plugin wrote, if the process came so far.
fn ended(outcome: &Path) -> Result<Outcome> {
    match fs::read_to_string(outcome) {
        Ok(text) => serde_json::from_str(&text)
            .context(|| format!("{} is not what the plugin writes", outcome.display())),
        Err(_) => Ok(Outcome {
            word: "died".to_owned(),
            line: None,
            message: None,
        }),
    }
}

fn findings(report: &Path) -> Result<Vec<String>> {
    let doing = || format!("cannot read cgsan's report {}", report.display());
    let text = fs::read_to_string(report).context(doing)?;
    let report: Value = serde_json::from_str(&text).context(doing)?;
    let ids = report["findings"].as_array().into_iter().flatten();
    let mut ids: Vec<String> = ids
        .filter_map(|finding| finding["id"].as_str().map(str::to_owned))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// pytest under `cgsan run` on the virtual GPU, in the folder of the tests.
fn of_tests(bench: &Bench, mode: Mode, report: &Path, outcome: &Path) -> Command {
    let mut command = Command::new("timeout");
    command
        .arg(LONGEST)
        .arg(&bench.cgsan)
        .args(["run", "--virtual", "--json", "--output"])
        .arg(report)
        .args((!matches!(mode, Mode::Values)).then_some("--no-values"))
        .current_dir(&bench.tests)
        .env("PYTORCH_TESTS_OUTCOME", outcome);
    pytest::run_by(
        &mut command,
        &bench.python,
        "cgsan_pytorch_tests",
        &bench.packages,
        &bench.output,
    );
    if matches!(mode, Mode::Unrecorded) {
        command.env("CGSAN_RECORD", "0");
    }
    command
}
