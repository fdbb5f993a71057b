//! `cargo xtask test`: everything that must hold before a change goes in.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cargo;
use crate::conformance;
use crate::coverage;
use crate::dist;
use crate::environment::Environment;
use crate::failure::{Failure, Result};
use crate::fleet;
use crate::fuse;
use crate::guide;
use crate::process;
use crate::published;
use crate::python;
use crate::readme;
use crate::schemas;
use crate::site;
use crate::verify;
use crate::workspace;

/// What checks the Python code: ruff, and mypy with what it needs.
const LINTERS: &str = include_str!("../requirements/linters.txt");

/// What `cargo xtask test` understands.
#[derive(Args)]
pub struct Options {
    /// Only format, Python code and the tests that need no PyTorch: for everyday work
    #[arg(long)]
    fast: bool,
}

/// Runs every check, also after a failed one, and says at the end which failed.
pub fn run(options: &Options) -> Result<()> {
    if !options.fast {
        // It is downloaded while the lints are compiled. What first needs it waits for it, and says why it could not be made.
        thread::spawn(python::for_tests);
        thread::spawn(fleet::python);
    }
    let mut failed = Vec::new();
    let mut times = Vec::new();
    let mut checks = QUICK_CHECKS.to_vec();
    if !options.fast || python::existing().is_some() {
        checks.push(("types of the Python library", types));
    }
    if !options.fast {
        checks.extend(THOROUGH_CHECKS);
    }
    for (name, check) in checks {
        let (result, took) = timed(name, check);
        times.push((name, took));
        if let Err(failure) = result {
            eprintln!("error: {failure}");
            failed.push(name);
        }
    }
    let (tests, took) = timed("tests", || tests(options.fast));
    times.push(("tests", took));
    let tests = tests.unwrap_or_else(|failure| {
        eprintln!("error: {failure}");
        failed.push("tests");
        Tally::default()
    });
    if tests.failed > 0 {
        failed.push("tests");
    }
    println!();
    print_scores();
    println!("seconds: {}", in_seconds(&times));
    println!("checks: {}", conclusion(&failed));
    println!("tests: {} passed, {} failed", tests.passed, tests.failed);
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("failed: {}", failed.join(", "))))
    }
}

type Check = fn() -> Result<()>;

/// Says what is done now, does it, and returns how long that took.
fn timed<T>(name: &str, work: impl FnOnce() -> T) -> (T, Duration) {
    eprintln!("\n── {name}");
    let start = Instant::now();
    (work(), start.elapsed())
}

/// What took how long, for who wants it to take less: `lints 70, tests 900`.
fn in_seconds(times: &[(&str, Duration)]) -> String {
    let each = times
        .iter()
        .map(|(name, took)| format!("{name} {}", took.as_secs()));
    each.collect::<Vec<String>>().join(", ")
}

/// What takes seconds.
const QUICK_CHECKS: &[(&str, Check)] = &[
    ("format", || {
        process::run(&mut cargo::command(&["fmt", "--all", "--check"]))
    }),
    ("Python code", ruff),
];

/// The others.
const THOROUGH_CHECKS: &[(&str, Check)] = &[
    ("lints", || {
        process::run(&mut cargo::command(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny=warnings",
        ]))
    }),
    ("documentation", || {
        process::run(
            cargo::command(&["doc", "--workspace", "--no-deps"])
                .env("RUSTDOCFLAGS", "--deny=warnings"),
        )
    }),
    ("facts about operators", schemas::check),
    ("docs/coverage.md", coverage::check),
    ("docs/captures.md", conformance::check),
    ("README.md", readme::check),
    ("the site", site::check),
    ("the guide", guide::check),
    ("docs/guide/cases.md", guide::cases::check),
    ("the catalogue's programs", verify::check),
    ("the wheel", dist::check),
    ("workflows and actions", published::check_files),
    ("the extension for VS Code", published::check_extension),
    ("the command without features", || {
        process::run(&mut cargo::command(&[
            "clippy",
            "--package",
            "cgsan",
            "--no-default-features",
            "--",
            "--deny=warnings",
        ]))
    }),
];

/// The environment that has ruff and mypy.
pub fn linters() -> Environment {
    Environment {
        name: "linters".to_owned(),
        requirements: LINTERS.to_owned(),
        contents: "ruff and mypy",
        size: "30 MB",
    }
}

fn ruff() -> Result<()> {
    let ruff = linters().make()?.with_file_name("ruff");
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&ruff);
        command.args(arguments).current_dir(workspace::root());
        command
    };
    process::run(&mut command(&["check", "--quiet"]))?;
    process::run(&mut command(&["format", "--check", "--quiet"]))
}

/// The package that users import has types, which are checked against those of PyTorch and pytest.
fn types() -> Result<()> {
    process::run(
        Command::new(linters().make()?)
            .args(["-I", "-m", "mypy", "--no-error-summary", "--cache-dir"])
            .arg(workspace::target().join("mypy"))
            .arg("--python-executable")
            .arg(python::for_tests()?)
            .current_dir(workspace::root()),
    )
}

/// How many tests passed and failed.
#[derive(Clone, Copy, Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

/// Builds everything and runs the tests; unless `fast`, those that need PyTorch too.
fn tests(fast: bool) -> Result<Tally> {
    // A score of an earlier run must not be taken for this one's.
    for file in score_files() {
        let _ = fs::remove_file(file);
    }
    let _ = fs::remove_file(coverage::noted());
    // The tests run the command, which looks for the virtual GPU's library beside itself.
    process::run(&mut cargo::command(cargo::EVERYTHING))?;
    let arguments = arguments(fast);
    if fast {
        return run_tests(cargo::command(&arguments));
    }
    let python = python::for_tests()?;
    let of_fleets = fleet::python()?;
    let of_mounts = fuse::python()?;
    let with_python = |arguments: &[&str]| {
        let mut command = cargo::command(arguments);
        command.env("CGSAN_TEST_PYTHON", &python);
        // Every core has a program of its own: threads that share the work of one would wait for each other.
        command.env("OMP_NUM_THREADS", "1");
        command.env(fleet::VARIABLE, &of_fleets);
        command.envs(of_mounts.as_ref().map(|it| (fuse::VARIABLE, it)));
        run_tests(command)
    };
    let mut tally = with_python(&arguments)?;
    let documented = with_python(&["test", "--workspace", "--doc", "--no-fail-fast"])?;
    tally.passed += documented.passed;
    tally.failed += documented.failed;
    Ok(tally)
}

/// What cargo is told. Tests that need PyTorch are those that are ignored otherwise.
fn arguments(fast: bool) -> Vec<&'static str> {
    let (mut arguments, all) = if has_nextest() {
        let nextest = ["nextest", "run", "--workspace", "--no-fail-fast"];
        (nextest.to_vec(), &["--run-ignored=all"][..])
    } else {
        let test = ["test", "--workspace", "--all-targets", "--no-fail-fast"];
        (test.to_vec(), &["--", "--include-ignored"][..])
    };
    if !fast {
        arguments.extend(all);
    }
    arguments
}

fn has_nextest() -> bool {
    cargo::command(&["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn run_tests(mut command: Command) -> Result<Tally> {
    command.env(coverage::CALLED, coverage::noted());
    let (success, lines) = process::tee(&mut command)?;
    let tally = lines
        .iter()
        .filter_map(|line| count(line))
        .fold(Tally::default(), |sum, one| Tally {
            passed: sum.passed + one.passed,
            failed: sum.failed + one.failed,
        });
    if success == (tally.failed == 0) {
        Ok(tally)
    } else {
        Err(Failure::new(format!(
            "`{command:?}` did not run every test"
        )))
    }
}

/// Reads the closing line of a test runner:
/// `test result: ok. 5 passed; 0 failed; …` or `Summary [ 1.2s] 5 tests run: 5 passed, 0 skipped`.
///
/// The first stands at the beginning of its line, unless the runner above quotes what a failed test printed.
fn count(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result:").or_else(|| {
        line.trim_start()
            .strip_prefix("Summary [")?
            .split_once(':')
            .map(|(_, counts)| counts)
    })?;
    let words: Vec<&str> = counts
        .split([' ', ',', ';', '.', '('])
        .filter(|word| !word.is_empty())
        .collect();
    let number_before = |what: &str| {
        words
            .windows(2)
            .filter(|pair| pair[1] == what)
            .find_map(|pair| pair[0].parse().ok())
            .unwrap_or(0)
    };
    Some(Tally {
        passed: number_before("passed"),
        failed: number_before("failed") + number_before("timed"),
    })
}

/// Prints what the tests against recordings left behind: how many programs behave as they did on real hardware.
fn print_scores() {
    for file in score_files() {
        if let Ok(score) = fs::read_to_string(file) {
            println!("{}\n", score.trim_end());
        }
    }
}

/// The files with a score, in the order of their names.
fn score_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(workspace::target().join("tmp"));
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "score")
        })
        .collect();
    files.sort();
    files
}

fn conclusion(failed: &[&str]) -> String {
    if failed.is_empty() {
        "all passed".to_owned()
    } else {
        format!("failed: {}", failed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn reads_the_closing_line_of_both_runners() {
        let read = |line| count(line).map(|tally| (tally.passed, tally.failed));
        assert_eq!(
            read(
                "test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
            ),
            Some((5, 2))
        );
        assert_eq!(
            read("     Summary [   1.234s] 9 tests run: 7 passed (1 slow), 2 failed, 3 skipped"),
            Some((7, 2))
        );
        assert_eq!(
            read("     Summary [   1.234s] 1 test run: 1 passed, 0 skipped"),
            Some((1, 0))
        );
        assert_eq!(read("running 5 tests"), None);
        assert_eq!(read("    test result: FAILED. 0 passed; 1 failed"), None);
    }
}
