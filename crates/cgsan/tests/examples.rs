//! The programs of `examples/`: each failing one is explained by its id at its marked line, and fails as it did on real
//! hardware; its repaired twin and its look-alike end well, and cgsan says nothing about them.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use support::exception::{first_exception, mask};
use support::{Watched, watch};

/// What stands before a mark: the id of the finding that must point to the line, or [`LABEL`].
const MARK: &str = "# cgsan: ";

/// The mark of a line that the finding must explain itself with.
const LABEL: &str = "label";

/// What a failing program did on real hardware: an entry of `hardware.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hardware {
    error: String,
    lines: Vec<u32>,
    call: Option<String>,
    #[serde(default)]
    masked: bool,
}

/// A folder of `examples/`, with the id that it is named after.
struct Example {
    name: String,
    id: String,
    folder: PathBuf,
}

impl Example {
    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn has(&self, name: &str) -> bool {
        self.program(name).exists()
    }

    /// Whether it has programs to be judged by a rule, and not the catalogue's fixes and dead ends alone.
    fn is_judged(&self) -> bool {
        ["fails.py", "fixed.py", "lookalike.py"]
            .iter()
            .any(|program| self.has(program))
    }
}

#[test]
fn every_example_has_a_repaired_twin_and_a_lookalike_and_one_marked_line() {
    let hardware = hardware();
    for example in examples() {
        let name = &example.name;
        if example.has("silent.py") {
            assert!(!example.has("fails.py"), "{name} both fails and is silent");
            continue;
        }
        if !example.is_judged() {
            continue;
        }
        assert!(example.has("fixed.py"), "{name} has no fixed.py");
        assert!(example.has("lookalike.py"), "{name} has no lookalike.py");
        let ids: Vec<String> = marks(&example.program("fails.py"))
            .into_iter()
            .map(|(_, mark)| mark)
            .filter(|mark| mark != LABEL)
            .collect();
        assert_eq!(ids, [&*example.id], "the marks of {name}/fails.py");
        assert!(
            hardware.contains_key(name),
            "hardware.toml has no entry for {name}"
        );
    }
}

#[test]
fn every_failure_mode_that_a_run_finds_has_an_example_or_a_reason() {
    let readme =
        fs::read_to_string(folder().join("README.md")).expect("examples/README.md can be read");
    let examples = examples();
    let found = cgsan_catalogue::entries().iter().map(|entry| entry.id);
    for id in found.filter(|id| cgsan_diagnose::detects(id)) {
        assert!(
            examples.iter().any(|example| example.id == id)
                || readme.contains(&format!("| {id} |")),
            "{id} has neither a folder in examples/ nor a reason in examples/README.md"
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn failing_examples_are_explained_and_the_others_are_left_alone() {
    let python = support::python();
    let hardware = hardware();
    let examples = examples();
    let programs: Vec<(&Example, &str)> = examples
        .iter()
        .flat_map(|example| {
            ["fails.py", "fixed.py", "lookalike.py", "silent.py"]
                .into_iter()
                .filter(|program| example.has(program))
                .map(move |program| (example, program))
        })
        .collect();
    let problems: Vec<String> = support::in_parallel(&programs, |(example, name)| {
        let program = example.program(name);
        let problems = match watch(&python, &program) {
            Err(problem) => vec![problem],
            Ok(watched) if *name == "fails.py" => {
                explained(example, &hardware[&example.name], &program, &watched)
            }
            Ok(watched) => left_alone(&watched),
        };
        problems
            .into_iter()
            .map(|problem| format!("{}/{name}: {problem}", example.name))
            .collect::<Vec<_>>()
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// What is wrong with a failing program's end or with what was found in it.
fn explained(
    example: &Example,
    hardware: &Hardware,
    program: &Path,
    watched: &Watched,
) -> Vec<String> {
    let mut problems = Vec::new();
    if watched.exit == Some(0) {
        problems.push("ended well".to_owned());
    }
    let exception = first_exception(&watched.stderr, program);
    let (error, lines) = exception.map_or_else(Default::default, |it| (it.text, it.lines));
    let mask = |text: &str| {
        if hardware.masked {
            mask(text)
        } else {
            text.to_owned()
        }
    };
    if mask(&error) != mask(&hardware.error) {
        problems.push(format!("died of `{error}`, not of `{}`", hardware.error));
    }
    if lines != hardware.lines {
        problems.push(format!(
            "its traceback has lines {lines:?}, not {:?}",
            hardware.lines
        ));
    }
    let [finding] = &watched.findings[..] else {
        let found: Vec<&str> = watched
            .findings
            .iter()
            .map(|finding| &*finding.id)
            .collect();
        problems.push(format!("found {found:?}, not {} alone", example.id));
        return problems;
    };
    if finding.id != example.id {
        problems.push(format!("found {}, not {}", finding.id, example.id));
    }
    let (labels, causes): (Vec<_>, Vec<_>) = marks(program)
        .into_iter()
        .partition(|(_, mark)| mark == LABEL);
    if causes.first().map(|(line, _)| *line) != finding.line_in(program) {
        problems.push(format!(
            "points to {:?}, not to the marked line",
            finding.location
        ));
    }
    let labels: Vec<u32> = labels.into_iter().map(|(line, _)| line).collect();
    for line in finding.unlabelled(&labels, program) {
        problems.push(format!("has no label at line {line}"));
    }
    if let Some(wanted) = &hardware.call {
        let call = finding.call.as_ref();
        let call = call.map_or_else(String::new, |call| {
            format!("{} by {}", call.code, call.function)
        });
        if call != *wanted {
            problems.push(format!(
                "names `{call}` as the refused call, not `{wanted}`"
            ));
        }
    }
    problems
}

/// What is wrong with a sound program's end, or was found in it although nothing is there.
fn left_alone(watched: &Watched) -> Vec<String> {
    let mut problems = Vec::new();
    if watched.exit != Some(0) {
        problems.push(format!("ended with {:?}: {}", watched.exit, watched.stderr));
    }
    for finding in &watched.findings {
        problems.push(format!("found {} at {:?}", finding.id, finding.location));
    }
    problems
}

/// The marked lines of a program, counted from 1, each with its id.
fn marks(program: &Path) -> Vec<(u32, String)> {
    let source = fs::read_to_string(program)
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    (1..)
        .zip(source.lines())
        .filter_map(|(number, line)| Some((number, line.split_once(MARK)?.1.trim().to_owned())))
        .collect()
}

fn folder() -> PathBuf {
    support::root().join("examples")
}

/// The examples, by name.
fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = fs::read_dir(folder())
        .expect("examples/ can be read")
        .filter_map(|entry| {
            let entry = entry.expect("examples/ can be read");
            let name = entry.file_name().into_string().expect("names are text");
            let (id, _) = name
                .split_once('_')
                .filter(|(id, _)| id.starts_with("cg"))?;
            Some(Example {
                id: id.to_uppercase(),
                folder: entry.path(),
                name,
            })
        })
        // A folder without either holds only the catalogue's programs.
        .filter(|example| example.has("fails.py") || example.has("silent.py"))
        .collect();
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    examples
}

fn hardware() -> BTreeMap<String, Hardware> {
    let text =
        fs::read_to_string(folder().join("hardware.toml")).expect("hardware.toml can be read");
    toml::from_str(&text).expect("hardware.toml is as documented")
}
