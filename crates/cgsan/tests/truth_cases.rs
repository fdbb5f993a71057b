//! Programs that ran on real hardware, under `cgsan run`, against what they did there.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use support::exception::{first_exception, mask};
use support::marked::{NotFound, Wanted};
use support::together::watch_all;
use support::{Watched, watch};

/// What a program did on the hardware: an entry of `truth.json`, which `tests/truth/README.md` explains.
#[derive(Deserialize)]
struct Truth {
    case: String,
    exit: String,
    error_type: Option<String>,
    error: Option<String>,
    script_lines: Vec<u32>,
    first_refused_call: Option<RefusedCall>,
    stdout: String,
}

#[derive(Deserialize)]
struct RefusedCall {
    code: i32,
    api: String,
}

/// What cgsan is to find in it, and what is not judged: an entry of `expected.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    id: Option<String>,
    line: Option<u32>,
    #[serde(default)]
    labels: Vec<u32>,
    left_out: Option<String>,
    stdout: Option<String>,
    #[serde(default)]
    masked: bool,
    /// Why it cannot begin in a process that has imported PyTorch.
    alone: Option<String>,
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn recorded_cases_behave_as_on_the_hardware() {
    let folder = support::root().join("tests/truth");
    behave_as_on_the_hardware("recorded cases", &folder, &folder.join("cases"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn everyday_programs_behave_as_on_the_hardware() {
    let folder = support::root().join("tests/truth/more");
    behave_as_on_the_hardware("everyday programs", &folder, &folder.join("cases"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn further_programs_behave_as_on_the_hardware() {
    let folder = support::root().join("tests/programs");
    behave_as_on_the_hardware("further programs", &folder, &folder);
}

/// Runs every program that `truth.json` of a folder names, and compares; leaves the score where `cargo xtask test` finds
/// it.
fn behave_as_on_the_hardware(name: &str, folder: &Path, programs: &Path) {
    let python = support::python();
    let truths: Vec<Truth> = load(&folder.join("truth.json"), |text| {
        serde_json::from_str(text).map_err(|error| error.to_string())
    });
    let expected: BTreeMap<String, Expected> = load(&folder.join("expected.toml"), |text| {
        toml::from_str(text).map_err(|error| error.to_string())
    });

    let not_found = NotFound::load();
    let program = |truth: &Truth| programs.join(format!("{}.py", truth.case));
    let expected_of = |truth: &Truth| {
        let expected = expected.get(&truth.case);
        expected.unwrap_or_else(|| panic!("expected.toml has no entry for {}", truth.case))
    };
    let is_judged = |truth: &&Truth| expected_of(truth).left_out.is_none();
    let is_alone = |truth: &Truth| expected_of(truth).alone.is_some();
    let programs: Vec<PathBuf> = truths
        .iter()
        .filter(is_judged)
        .filter(|it| !is_alone(it))
        .map(program)
        .collect();
    let mut together = watch_all(&python, &programs).into_iter();
    let verdicts: Vec<Option<Vec<String>>> = truths
        .iter()
        .map(|truth| {
            is_judged(&truth).then(|| {
                let program = program(truth);
                let watched = if is_alone(truth) {
                    watch(&python, &program)
                } else {
                    together.next().expect("each of them was watched")
                };
                watched.map_or_else(
                    |problem| vec![problem],
                    |it| judge(truth, expected_of(truth), &not_found, &program, &it),
                )
            })
        })
        .collect();

    let score = score(name, &truths, &expected, &verdicts);
    print!("{score}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.score"));
    fs::write(&file, &score).expect("the target folder can be written");
    assert!(
        verdicts.iter().flatten().all(Vec::is_empty),
        "programs behave differently than on the hardware:\n{score}"
    );
}

fn load<T: DeserializeOwned>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> T {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Everything in which a program differs from what is recorded; nothing if all is well.
fn judge(
    truth: &Truth,
    expected: &Expected,
    not_found: &NotFound,
    program: &Path,
    watched: &Watched,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut compare = |what: &str, wanted: String, got: String| {
        if wanted != got {
            problems.push(format!("{what}: {got}, not {wanted}"));
        }
    };

    let exit = match watched.exit {
        Some(0) => "ok",
        Some(_) => "error",
        None => "signal",
    };
    // A signal is recorded with its number.
    let wanted = truth.exit.split(' ').next().unwrap_or_default();
    compare("exit", wanted.to_owned(), exit.to_owned());

    let exception = first_exception(&watched.stderr, program);
    let mask = |text: String| if expected.masked { mask(&text) } else { text };
    let wanted = truth.error_type.as_ref().zip(truth.error.as_ref());
    let wanted = wanted.map_or_else(String::new, |(name, text)| format!("{name}: {text}"));
    let got = exception.as_ref().map_or("", |exception| &exception.text);
    compare("exception", mask(wanted), mask(got.to_owned()));
    let lines = exception
        .as_ref()
        .map_or(&[][..], |exception| &exception.lines);
    compare(
        "traceback",
        format!("{:?}", truth.script_lines),
        format!("{lines:?}"),
    );

    if expected.stdout.is_none() {
        compare(
            "stdout",
            truth.stdout.clone(),
            watched.stdout.trim().to_owned(),
        );
    }

    let wanted = Wanted {
        id: expected.id.clone().filter(|id| id != "none"),
        line: expected.line,
        labels: expected.labels.clone(),
    };
    problems.extend(not_found.judge(program, &wanted, &watched.findings));
    let first = watched.findings.first();
    if let Some((finding, wanted)) = first.zip(truth.first_refused_call.as_ref()) {
        let got = finding.call.as_ref().map_or_else(
            || "none".to_owned(),
            |call| format!("{} by {}", call.code, call.function),
        );
        let wanted = format!("{} by {}", wanted.code, wanted.api);
        if got != wanted {
            problems.push(format!("refused call: {got}, not {wanted}"));
        }
    }
    problems
}

/// The table of all programs, and its sum in the last line.
fn score(
    name: &str,
    truths: &[Truth],
    expected: &BTreeMap<String, Expected>,
    verdicts: &[Option<Vec<String>>],
) -> String {
    let mut table = String::new();
    let (mut judged, mut alike) = (0, 0);
    for (truth, verdict) in truths.iter().zip(verdicts) {
        let expected = &expected[&truth.case];
        let case = &truth.case;
        match verdict {
            None => {
                let reason = expected.left_out.as_deref().unwrap_or_default();
                let _ = writeln!(table, "{case:26} left out: {reason}");
            }
            Some(problems) if problems.is_empty() => {
                judged += 1;
                alike += 1;
                let id = expected.id.as_deref().unwrap_or("none");
                let unjudged = expected.stdout.as_ref().map_or_else(String::new, |reason| {
                    format!("  (its output is not judged: it {reason})")
                });
                let _ = writeln!(table, "{case:26} ok  {id:5}{unjudged}");
            }
            Some(problems) => {
                judged += 1;
                let _ = writeln!(table, "{case:26} DIFFERS  {}", problems.join("; "));
            }
        }
    }
    let left_out = truths.len() - judged;
    let _ = writeln!(
        table,
        "{name}: {alike} of {judged} behave as on the hardware, {left_out} left out"
    );
    table
}
