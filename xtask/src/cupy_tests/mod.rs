//! `cargo xtask cupy-tests`: CuPy's own tests about streams and graphs on the virtual GPU.
//!
//! PyPI has no sources of CuPy, so the developer names a checkout. Kernels of CuPy are not computed; a test whose decisions
//! hang on their results may fail for that.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde::Deserialize;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::pytest;
use crate::python;
use crate::workspace;

/// The files of tests, from the folder `tests` of the checkout.
const FILES: [&str; 2] = [
    "cupy_tests/cuda_tests/test_graph.py",
    "cupy_tests/cuda_tests/test_stream.py",
];

/// How long all tests may take, in seconds.
const LONGEST: &str = "900";

/// What `cargo xtask cupy-tests` understands.
#[derive(Args)]
pub struct Options {
    /// A folder with the sources of CuPy
    #[arg(long, value_name = "FOLDER")]
    source: PathBuf,
    /// Write the table to docs/measurements/cupy-tests.md as well
    #[arg(long)]
    write: bool,
}

/// Runs the tests, and prints a table of what they did.
pub fn run(options: &Options) -> Result<()> {
    let python = python::for_tests()?;
    let outcomes = outcomes(&options.source, &python)?;
    let question = "import importlib.metadata as m; print(m.version('cupy-cuda13x'))";
    let version = process::output(Command::new(&python).args(["-I", "-c", question]))?;
    let text = table(&outcomes, version.trim());
    println!("{text}");
    if options.write {
        let path = workspace::root().join("docs/measurements/cupy-tests.md");
        fs::write(&path, &text).context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// How a test ended.
#[derive(Debug, Deserialize)]
struct Ended {
    name: String,
    outcome: String,
    reason: String,
}

fn outcomes(source: &Path, python: &Path) -> Result<Vec<Ended>> {
    let tests = source.join("tests");
    if let Some(missing) = FILES.iter().find(|file| !tests.join(file).is_file()) {
        return Err(Failure::new(format!(
            "{} holds no tests/{missing}; name the root of CuPy's sources",
            source.display()
        )));
    }
    let output = workspace::target().join("cupy-tests");
    fs::create_dir_all(&output).context(|| format!("cannot create {}", output.display()))?;
    let plugin = output.join("cgsan_cupy_tests.py");
    fs::write(&plugin, include_str!("plugin.py"))
        .context(|| format!("cannot write {}", plugin.display()))?;
    let outcomes = output.join("outcomes.jsonl");
    let _ = fs::remove_file(&outcomes);
    let log = output.join("log.txt");
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    let packages = pytest::packages()?;
    let mut command = Command::new("timeout");
    command
        .arg(LONGEST)
        .arg(&cgsan)
        // Some tests want a second device.
        .args(["run", "--virtual", "--gpus", "2", "--output"])
        .arg(output.join("report.txt"))
        .current_dir(&tests)
        .env("CUPY_TESTS_OUTCOMES", &outcomes)
        .stdin(Stdio::null());
    pytest::run_by(&mut command, python, "cgsan_cupy_tests", &packages, &output);
    let ended = command
        .args(FILES)
        .output()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    fs::write(&log, [ended.stdout, ended.stderr].concat())
        .context(|| format!("cannot write {}", log.display()))?;
    let text = fs::read_to_string(&outcomes)
        .context(|| format!("no test ended; {} says why", log.display()))?;
    // pytest ends with 0 or 1 when it came to the end of its tests.
    if !matches!(ended.status.code(), Some(0 | 1)) {
        return Err(Failure::new(format!(
            "the tests ended early; {} says why",
            log.display()
        )));
    }
    text.lines()
        .map(|line| {
            serde_json::from_str(line)
                .context(|| format!("{} is not what the plugin writes", outcomes.display()))
        })
        .collect()
}

/// The page as Markdown.
fn table(outcomes: &[Ended], version: &str) -> String {
    let passed = outcomes.iter().filter(|it| it.outcome == "passed").count();
    let mut text = format!(
        "# CuPy's own tests of streams and graphs\n\nWritten by `cargo xtask cupy-tests --source FOLDER --write`, with CuPy \
         {version} on two virtual GPUs and the tests of a checkout. CuPy's kernels are not computed.\n\n\
         {} tests; {passed} pass. The others:\n\n| test | outcome | with |\n|---|---|---|\n",
        outcomes.len(),
    );
    for outcome in outcomes.iter().filter(|it| it.outcome != "passed") {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            outcome.name,
            outcome.outcome,
            outcome.reason.replace('|', "\\|")
        );
    }
    text
}
