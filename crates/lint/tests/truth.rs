//! The programs that ran on real GPUs: what source can show of them is found, on its line, and nothing else is.
//!
//! `truth.toml` lists, by program, what is to be found, and which failures of a run are missed, with the reason. Other programs
//! are to be silent.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::{Project, Settings, lint};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    id: String,
    line: u32,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(root().join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has no programs");
    files
}

/// The ids and lines that are found in one file.
fn found(path: &Path) -> Vec<(String, u32)> {
    let mut project = Project::new([path.to_owned()]);
    let outcome = lint(&mut project, &Settings::default());
    assert_eq!(outcome.errors, [], "{}", path.display());
    outcome
        .findings
        .iter()
        .filter_map(|it| Some((it.id.to_owned(), it.location.as_ref()?.line)))
        .collect()
}

/// `truth.toml`: what is found, and why what is not, by section and program.
#[derive(Debug, Deserialize)]
struct Truth {
    missed: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(flatten)]
    found: BTreeMap<String, BTreeMap<String, Vec<Expected>>>,
}

impl Truth {
    fn load() -> Truth {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth.toml");
        let text = fs::read_to_string(path).expect("the expectations are there");
        toml::from_str(&text).expect("the expectations are TOML")
    }
}

/// The sections of `truth.toml`: their programs, and what a run of these shows.
const SECTIONS: [(&str, &str, &str); 3] = [
    ("cases", "tests/truth/cases", "tests/truth/expected.toml"),
    (
        "more",
        "tests/truth/more/cases",
        "tests/truth/more/expected.toml",
    ),
    ("programs", "tests/programs", "tests/programs/expected.toml"),
];

/// Prints the numbers of `docs/measurements/lint.md`: `cargo test -p cgsan-lint --test truth -- --nocapture`.
#[test]
fn each_failure_that_a_run_shows_is_found_or_missed_for_a_reason() {
    let truth = Truth::load();
    let mut wrong = Vec::new();
    for (section, _, shown) in SECTIONS {
        let shown = fs::read_to_string(root().join(shown)).expect("it is there");
        let shown: toml::Table = shown.parse().expect("it is TOML");
        let mut missed = truth.missed.get(section).cloned().unwrap_or_default();
        let (mut failing, mut same, mut other) = (0, 0, 0);
        for (name, facts) in &shown {
            let id = facts.get("id").and_then(toml::Value::as_str);
            let Some(id) = id.filter(|id| *id != "none" && facts.get("left_out").is_none()) else {
                continue;
            };
            failing += 1;
            let line = facts.get("line").and_then(toml::Value::as_integer);
            let found = truth.found[section].get(name);
            let is_it = |it: &Expected| it.id == id && Some(i64::from(it.line)) == line;
            match (found, missed.remove(name)) {
                (Some(found), None) if found.iter().any(is_it) => same += 1,
                (Some(_), None) => other += 1,
                (None, Some(why)) if !why.is_empty() => {}
                (Some(_), Some(_)) => wrong.push(format!("{name}: listed as missed, and found")),
                (None, _) => wrong.push(format!("{name}: {id} is missed without a reason")),
            }
        }
        println!(
            "{section}: {} programs, {failing} fail; found on the line {same}, otherwise {other}, not {}",
            shown.len(),
            failing - same - other
        );
        wrong.extend(missed.keys().map(|name| format!("{name}: nothing to miss")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_source_shows_of_the_recorded_programs_is_found_and_nothing_else() {
    let expected = Truth::load().found;
    let mut wrong = Vec::new();
    for (section, folder, _) in SECTIONS {
        for path in programs(folder) {
            let name = path
                .file_stem()
                .expect("it has a name")
                .to_string_lossy()
                .into_owned();
            let wanted: Vec<_> = expected[section]
                .get(&name)
                .into_iter()
                .flatten()
                .map(|it| (it.id.clone(), it.line))
                .collect();
            let got = found(&path);
            if got != wanted {
                wrong.push(format!("{name}: expected {wanted:?}, found {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is found in the programs of `examples/` otherwise than they are marked, by their paths there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    elsewhere: BTreeMap<String, Expected>,
    without_rule: BTreeMap<String, String>,
    missed: BTreeMap<String, String>,
    false_alarms: BTreeMap<String, FalseAlarm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FalseAlarm {
    id: String,
    line: u32,
    why: String,
}

/// What the marks of a program want to be found.
fn marked(program: &Path) -> Vec<(String, u32)> {
    let text = fs::read_to_string(program).expect("it can be read");
    let mark = |(line, number): (&str, u32)| {
        let id = line
            .split("# cgsan: CG")
            .nth(1)?
            .split_whitespace()
            .next()?;
        Some((format!("CG{id}"), number))
    };
    text.lines().zip(1..).filter_map(mark).collect()
}

/// Whether the linter knows a failure mode.
fn has_rule(id: &str) -> bool {
    cgsan_lint::RULES.iter().any(|rule| rule.id == id)
}

/// The programs of `examples/` that are judged, by their paths there: those that fail, and those that must be silent.
fn examples() -> BTreeMap<String, PathBuf> {
    let is_judged = |name: &str| {
        ["fails.py", "fixed.py", "silent.py"].contains(&name)
            || name.starts_with("lookalike")
            || name.starts_with("variant_")
    };
    let mut judged = BTreeMap::new();
    for entry in fs::read_dir(root().join("examples")).expect("the examples are there") {
        let folder = entry.expect("it can be read").path();
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let is_program = path.extension().is_some_and(|it| it == "py");
            if is_program && is_judged(&name) {
                let folder = folder.file_name().expect("a name").to_string_lossy();
                judged.insert(format!("{folder}/{name}"), path.clone());
            }
        }
    }
    judged
}

#[test]
fn each_example_is_told_from_its_repaired_twin_and_its_look_alike() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples.toml"))
            .expect("the list is there");
    let known: Examples = toml::from_str(&text).expect("the list is TOML");
    let examples = examples();
    let mut wrong = Vec::new();
    for (name, path) in &examples {
        let marked = marked(path);
        let elsewhere = known.elsewhere.get(name);
        let with_rule = marked.iter().filter(|(id, _)| has_rule(id));
        let wanted: Vec<(String, u32)> = match elsewhere {
            Some(elsewhere) => vec![(elsewhere.id.clone(), elsewhere.line)],
            None => with_rule.cloned().collect(),
        };
        let mut got = found(path);
        let alarm = known.false_alarms.get(name);
        if let Some(alarm) = alarm {
            let place = (alarm.id.clone(), alarm.line);
            match got.iter().position(|it| *it == place) {
                Some(index) => drop(got.remove(index)),
                None => wrong.push(format!("{name}: no longer a false alarm")),
            }
        }
        let is_missed = known.missed.contains_key(name);
        if (elsewhere.is_some() || is_missed) && marked.is_empty() {
            wrong.push(format!("{name}: nothing is marked in it"));
        }
        if is_missed && wanted.is_empty() {
            wrong.push(format!(
                "{name}: without a rule for the id, it is not listed as missed"
            ));
        }
        if elsewhere.is_some() && (is_missed || wanted == marked) {
            wrong.push(format!("{name}: listed as found elsewhere, and is not"));
        }
        if is_missed && got.is_empty() {
            continue;
        }
        if is_missed {
            wrong.push(format!("{name}: listed as missed, and found {got:?}"));
        } else if got != wanted {
            wrong.push(format!(
                "{name}: expected {wanted:?}, found {got:?}; mend the linter or the program, or list it in crates/lint/tests/examples.toml: [elsewhere], [missed] or [false_alarms]"
            ));
        }
    }
    let reasons = known.missed.iter();
    let alarms = known.false_alarms.iter().map(|(name, it)| (name, &it.why));
    for (name, why) in reasons.chain(alarms) {
        if why.is_empty() || !examples.contains_key(name) {
            wrong.push(format!("{name}: listed without a reason, or not there"));
        }
    }
    for (id, why) in &known.without_rule {
        if why.is_empty() || has_rule(id) {
            wrong.push(format!("{id}: has a rule, or no reason for having none"));
        }
    }
    for name in known.elsewhere.keys() {
        if !examples.contains_key(name) {
            wrong.push(format!("{name}: listed, and not there"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
