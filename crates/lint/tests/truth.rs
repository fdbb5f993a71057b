//! The programs that ran on real GPUs: what source can show of them is found, on its line, and nothing else is.
//!
//! `truth.toml` lists, by program, what is to be found. Programs that it does not list are to be silent.

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
        .map(|it| (it.id.to_owned(), it.location.start.line))
        .collect()
}

#[test]
fn what_source_shows_of_the_recorded_programs_is_found_and_nothing_else() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth.toml"))
        .expect("the expectations are there");
    let expected: BTreeMap<String, BTreeMap<String, Vec<Expected>>> =
        toml::from_str(&text).expect("the expectations are TOML");
    let folders = [
        ("cases", "tests/truth/cases"),
        ("more", "tests/truth/more/cases"),
        ("programs", "tests/programs"),
    ];
    let mut wrong = Vec::new();
    for (section, folder) in folders {
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

/// Ids that only a run can show.
const NOT_OF_SOURCE: [&str; 1] = ["CG128"];

#[test]
fn each_example_is_told_from_its_repaired_twin_and_its_look_alike() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root().join("examples")).expect("the examples are there") {
        let folder = entry.expect("it can be read").path();
        let fails = folder.join("fails.py");
        if let Ok(text) = fs::read_to_string(&fails) {
            let wanted: Vec<_> = text
                .lines()
                .zip(1..)
                .filter_map(|(line, number)| {
                    let id = line
                        .split("# cgsan: CG")
                        .nth(1)?
                        .split_whitespace()
                        .next()?;
                    Some((format!("CG{id}"), number))
                })
                .filter(|(id, _)| !NOT_OF_SOURCE.contains(&id.as_str()))
                .collect();
            let got = found(&fails);
            if got != wanted {
                wrong.push(format!(
                    "{}: expected {wanted:?}, found {got:?}",
                    fails.display()
                ));
            }
        }
        for quiet in ["fixed.py", "lookalike.py", "silent.py"] {
            let path = folder.join(quiet);
            if path.is_file() && !found(&path).is_empty() {
                wrong.push(format!("{}: found {:?}", path.display(), found(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
