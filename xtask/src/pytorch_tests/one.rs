//! Tests, one or several in a process.

use std::collections::HashMap;
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
const LONGEST: u32 = 300;

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
    /// The test, as pytest names it with its file.
    test: String,
    /// pytest's word: `passed`, `failed`, `skipped`, `xfailed`; `died` where the process ended before.
    #[serde(rename = "outcome")]
    pub word: String,
    /// The line of its file at which it stopped.
    pub line: Option<u32>,
    /// The exception that stopped it, in one line.
    pub message: Option<String>,
}

impl Outcome {
    fn died() -> Self {
        Self {
            test: String::new(),
            word: "died".to_owned(),
            line: None,
            message: None,
        }
    }

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
        LONGEST,
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

/// Runs a test in a process of its own, and returns how it ended and which ids cgsan found.
pub fn run(bench: &Bench, test: &Test, mode: Mode) -> Result<(Outcome, Vec<String>)> {
    let (outcomes, findings) = in_one_process(bench, std::slice::from_ref(test), mode)?;
    let outcome = outcomes.get(&test.name).cloned();
    Ok((outcome.unwrap_or_else(Outcome::died), findings))
}

/// Runs tests of one file in a process, as PyTorch does, and those that it did not come to in processes of their own; with values, also those
/// that failed there, which no other test may have caused.
/// Returns how each ended, and all ids that cgsan found.
pub fn run_all(bench: &Bench, tests: &[Test], mode: Mode) -> Result<(Vec<Outcome>, Vec<String>)> {
    let (together, mut findings) = in_one_process(bench, tests, mode)?;
    let mut outcomes = Vec::new();
    for test in tests {
        let is_certain = |it: &&Outcome| !(matches!(mode, Mode::Values) && it.failed());
        if let Some(known) = together.get(&test.name).filter(is_certain) {
            outcomes.push(known.clone());
        } else {
            let (by_itself, ids) = run(bench, test, mode)?;
            findings.extend(ids);
            outcomes.push(by_itself);
        }
    }
    Ok((outcomes, findings))
}

/// How each of these tests ended that one process came to, by its name, and which ids cgsan found.
fn in_one_process(
    bench: &Bench,
    tests: &[Test],
    mode: Mode,
) -> Result<(HashMap<String, Outcome>, Vec<String>)> {
    let Some(first) = tests.first() else {
        return Ok((HashMap::new(), Vec::new()));
    };
    let name = format!("{}.{}", first.name.replace("::", "."), mode.name());
    let file = |ending: &str| bench.output.join(format!("{name}.{ending}"));
    let (report, outcomes, log) = (file("json"), file("outcome"), file("log"));
    let _ = fs::remove_file(&outcomes);
    let seconds = LONGEST * u32::try_from(tests.len()).unwrap_or(u32::MAX);
    let mut command = of_tests(bench, mode, seconds, &report, &outcomes);
    command.args(tests.iter().map(|it| format!("{}::{}", it.file, it.name)));
    let output = command
        .stdin(Stdio::null())
        .output()
        .context(|| format!("cannot start {}", bench.cgsan.display()))?;
    fs::write(&log, [output.stdout, output.stderr].concat())
        .context(|| format!("cannot write {}", log.display()))?;
    Ok((ended(&outcomes, first.file)?, findings(&report)?))
}

/// What the plugin wrote of each test, if the process came so far.
fn ended(outcomes: &Path, file: &str) -> Result<HashMap<String, Outcome>> {
    let Ok(text) = fs::read_to_string(outcomes) else {
        return Ok(HashMap::new());
    };
    let mut found = HashMap::new();
    for line in text.lines() {
        let outcome: Outcome = serde_json::from_str(line)
            .context(|| format!("{} is not what the plugin writes", outcomes.display()))?;
        let name = outcome.test.strip_prefix(file);
        let name = name
            .and_then(|it| it.strip_prefix("::"))
            .unwrap_or(&outcome.test);
        found.insert(name.to_owned(), outcome);
    }
    Ok(found)
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
fn of_tests(bench: &Bench, mode: Mode, seconds: u32, report: &Path, outcome: &Path) -> Command {
    let mut command = Command::new("timeout");
    command
        .arg(seconds.to_string())
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
