//! Programs that were written before anybody looked at how the rules find things: what is found of the mistakes in
//! `unseen/mistakes`, and nothing in the correct look-alikes of `unseen/correct`.
//!
//! `unseen.toml` lists the mistakes that are found and those that are not, so that its lengths are the figures of
//! `docs/measurements/lint.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::{Project, Settings, lint};
use serde::Deserialize;

/// The mistakes, by the names of their programs.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Mistakes {
    /// Those of which the marked id is found.
    found: Vec<String>,
    /// Those of which another id is found, and which.
    found_as: BTreeMap<String, Vec<String>>,
    /// Those of which nothing is found.
    missed: Vec<String>,
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let mut programs: Vec<_> = fs::read_dir(tests().join("unseen").join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    programs.sort();
    programs
}

/// The ids that are found in a program, in order.
fn found(path: &Path) -> Vec<String> {
    let mut project = Project::new([path.to_owned()]);
    let outcome = lint(&mut project, &Settings::default());
    assert_eq!(outcome.errors, [], "{}", path.display());
    let ids = outcome.findings.iter().map(|it| it.id.to_owned());
    ids.collect()
}

fn name(path: &Path) -> String {
    let stem = path.file_stem().expect("it has a name");
    stem.to_string_lossy().into_owned()
}

fn marked(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("it can be read");
    let (_, mark) = text.split_once("# cgsan: ").expect("it marks its mistake");
    mark.chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

#[test]
fn nothing_is_found_in_correct_programs() {
    let programs = programs("correct");
    assert_eq!(programs.len(), 20);
    for path in programs {
        assert_eq!(found(&path), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn the_mistakes_are_found_that_are_listed() {
    let list = fs::read_to_string(tests().join("unseen.toml")).expect("the list is there");
    let listed: Mistakes = toml::from_str(&list).expect("the list is TOML");
    let programs = programs("mistakes");
    assert_eq!(programs.len(), 30);
    let mut mistakes = Mistakes::default();
    for path in programs {
        let (name, found) = (name(&path), found(&path));
        if found == [marked(&path)] {
            mistakes.found.push(name);
        } else if found.is_empty() {
            mistakes.missed.push(name);
        } else {
            mistakes.found_as.insert(name, found);
        }
    }
    assert_eq!(mistakes, listed);
}
