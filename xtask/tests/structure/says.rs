//! The sentences of findings that the catalogue holds: each is said by a rule of the diagnosis and by one of the linter.

use std::fs;
use std::path::{Path, PathBuf};

use super::words::gather;

/// Where the rules of both are.
const SAYING: [&str; 2] = ["crates/diagnose/src", "crates/lint/src"];

#[test]
fn a_sentence_of_the_catalogue_is_said_of_runs_and_of_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rules = SAYING.map(|folder| all_text(&root.join(folder)));
    let mut sentences = 0;
    let mut unsaid = Vec::new();
    for name in names(&root.join("catalogue")) {
        sentences += 1;
        for (folder, text) in SAYING.iter().zip(&rules) {
            if !is_named(text, &name) {
                unsaid.push(format!("{name} is not said in {folder}"));
            }
        }
    }
    assert!(sentences > 100, "{sentences}");
    assert!(
        unsaid.is_empty(),
        "what one of them alone says stands in its rule: {unsaid:#?}"
    );
}

/// What the sentences are called in Rust, such as `cg110::MOVE_OUT`.
fn names(catalogue: &Path) -> Vec<String> {
    let mut files = Vec::new();
    gather(catalogue, &mut files);
    files.retain(|it| it.extension().is_some_and(|it| it == "toml"));
    files.sort();
    files.iter().flat_map(names_of).collect()
}

fn names_of(file: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a text");
    let entry: toml::Table = text.parse().expect("TOML");
    let (Some(id), Some(says)) = (
        entry.get("id").and_then(|it| it.as_str()),
        entry.get("says").and_then(|it| it.as_table()),
    ) else {
        return Vec::new();
    };
    let id = id.to_ascii_lowercase();
    let name = |(name, sentence): (&String, &toml::Value)| {
        let sentence = sentence.as_str().expect("a sentence").trim();
        assert!(!sentence.ends_with('.'), "{id}.{name}: a full stop");
        if sentence.contains('{') {
            format!("{id}::{name}(")
        } else {
            format!("{id}::{}", name.to_ascii_uppercase())
        }
    };
    says.iter().map(name).collect()
}

/// Whether a text has the name, and not only a longer one that begins so.
fn is_named(text: &str, name: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(name)
        .any(|(at, _)| name.ends_with('(') || !goes_on(&text[at + name.len()..]))
}

fn all_text(folder: &Path) -> String {
    let mut files = Vec::new();
    gather(folder, &mut files);
    let texts = files
        .iter()
        .map(|file| fs::read_to_string(file).expect("a text"));
    texts.collect()
}
