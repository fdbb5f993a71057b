//! The words of this project: those that NVIDIA's and PyTorch's documentation use, one for one thing.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that no text has, in code or in print, and what is written instead. Capital letters count for nothing.
const INSTEAD: &[(&str, &str)] = &[
    ("of which nothing is known", "unknown"),
    ("or is no trace", "is not a trace file"),
    ("that is no trace", "not a trace file"),
    ("file is no python", "invalid Python syntax"),
    ("what is no python", "invalid Python syntax"),
    ("is no python program", "is not a Python program"),
    ("let go of", "released"),
    ("from turn to turn", "in each iteration"),
    ("a line a finding", "one line per finding"),
    ("the first call to be", "the first refused call"),
    ("was refused here, the first", "was refused first"),
    ("number of the device", "a device value"),
    ("would have answered otherwise", "disagreed with the driver"),
    ("words that fit anything", "a generic message"),
    ("while one types", "as you type"),
    ("was missed; mended", "was missed, fixed"),
    ("ranks that part", "ranks that diverge"),
    ("hascircle", "HasCycle"),
    (
        "of which it cannot be part",
        "say what cannot be part of what",
    ),
    (
        "no moment that the host could ask",
        "say what the host cannot wait for",
    ),
    ("takes the time that it takes", "say which time is meant"),
    ("so they tell of no race", "say that no race was found"),
    ("has not what", "does not have what"),
];

/// Where texts are: folders, and files of the root.
const PLACES: &[&str] = &[
    "catalogue",
    "crates",
    "docs",
    "python",
    "tests",
    "xtask/src",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
];

/// Texts of others: what they wrote stays.
const OF_OTHERS: &[&str] = &[
    "crates/explain/tests",
    "docs/measurements/explain",
    "tests/truth",
];

#[test]
fn texts_use_the_words_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for place in PLACES {
        gather(&root.join(place), &mut files);
    }
    assert!(files.len() > 1000, "{}", files.len());
    let mut found = Vec::new();
    for file in files {
        let name = file
            .strip_prefix(&root)
            .unwrap_or(&file)
            .display()
            .to_string();
        if OF_OTHERS.iter().any(|it| name.starts_with(it)) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        for (number, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            for (phrase, instead) in INSTEAD {
                if line.contains(phrase) {
                    found.push(format!("{name}:{}: `{phrase}`: {instead}", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The sources and pages below a folder, or the file itself.
pub(crate) fn gather(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in path.read_dir().expect("the folder can be read").flatten() {
            gather(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|it| {
        ["rs", "py", "toml", "md", "snap"]
            .iter()
            .any(|kind| it == *kind)
    }) {
        files.push(path.to_owned());
    }
}
