//! Programs of several ranks and several devices on the virtual GPU: those of `tests/ranks/` check their own values, and those
//! of `tests/truth/multi/` do as they did on two H200s.

mod support;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use support::marked::Wanted;
use support::planted::Family;
use support::{TWO_RANKS, Watched, programs, watch_on};

/// Programs of `tests/ranks/` that are one process, or start others themselves.
const ALONE: &[&str] = &["two_devices.py", "shared_tensor.py"];

/// Runs each program of a folder, and fails with what is wrong with any.
fn judge_all(folder: &Path, judge: impl Fn(&OsStr, &Path) -> Vec<String>) {
    let python = support::python();
    let mut problems = Vec::new();
    for program in programs(folder) {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let of_program = judge(&python, &program).into_iter();
        problems.extend(of_program.map(|problem| format!("{name}: {problem}")));
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// What was printed, whatever its order: ranks print at the same time, also into one line.
fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().filter(|it| !it.is_whitespace()).collect();
    letters.sort_unstable();
    letters
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_of_several_ranks_and_devices_are_served_and_left_alone() {
    judge_all(&support::root().join("tests/ranks"), |python, program| {
        let is_alone = ALONE.iter().any(|name| program.ends_with(name));
        let (launcher, printed) = if is_alone {
            (&[][..], "done")
        } else {
            (TWO_RANKS, "donedone")
        };
        match watch_on(python, 2, launcher, program) {
            Err(problem) => vec![problem],
            Ok(watched) => {
                let mut problems = watched.did_not_end_well();
                if letters(&watched.stdout) != letters(printed) {
                    problems.push(format!("printed {:?}", watched.stdout));
                }
                problems.extend(Wanted::of(program).problems(program, &watched.findings));
                problems
            }
        }
    });
}

#[test]
fn what_is_planted_in_one_of_four_ranks_is_named_by_its_file() {
    Family::of("tests/ranks/four").check_marks();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_of_four_ranks_are_served_and_what_is_planted_in_one_is_found() {
    Family::of("tests/ranks/four").in_four_ranks().check();
}

/// What a program did on the hardware.
#[derive(Deserialize)]
struct Truth {
    case: String,
    rc: i32,
    stdout: String,
}

/// What cgsan is to find in it.
#[derive(Deserialize)]
struct Expected {
    id: String,
    line: Option<u32>,
    /// What is found besides.
    also: Option<String>,
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn recorded_programs_of_two_ranks_behave_as_on_the_hardware() {
    let folder = support::root().join("tests/truth/multi");
    let recorded = fs::read_to_string(folder.join("h200x2_torch2.11.jsonl")).expect("a recording");
    let truths: BTreeMap<String, Truth> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line as recorded"))
        .map(|truth: Truth| (truth.case.clone(), truth))
        .collect();
    let expected = fs::read_to_string(folder.join("expected.toml")).expect("a file");
    let expected: BTreeMap<String, Expected> = toml::from_str(&expected).expect("as documented");

    judge_all(&folder, |python, program| {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        match watch_on(python, 2, TWO_RANKS, program) {
            Err(problem) => vec![problem],
            Ok(watched) => differences(&truths[&*name], &expected[&*name], &watched, program),
        }
    });
}

/// Everything in which a program differs from what is recorded.
fn differences(
    truth: &Truth,
    expected: &Expected,
    watched: &Watched,
    program: &Path,
) -> Vec<String> {
    let mut problems = Vec::new();
    if watched.exit != Some(truth.rc) {
        problems.push(format!("ended with {:?}: {}", watched.exit, watched.stderr));
    }
    if letters(&watched.stdout) != letters(&truth.stdout) {
        problems.push(format!("printed {:?}", watched.stdout));
    }
    let found: Vec<&str> = watched.findings.iter().map(|it| it.id.as_str()).collect();
    let wanted: Vec<&str> = Some(expected.id.as_str())
        .into_iter()
        .filter(|id| *id != "none")
        .chain(expected.also.as_deref())
        .collect();
    if found != wanted {
        problems.push(format!("found {found:?} in place of {wanted:?}"));
    }
    let line = watched.findings.first().and_then(|it| it.line_in(program));
    if expected.line.is_some() && line != expected.line {
        problems.push(format!("points to line {line:?}"));
    }
    problems
}
