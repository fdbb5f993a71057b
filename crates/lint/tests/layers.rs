//! The linter is made of layers, and what each may know of the others is written down here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, and those below each that it may name. `docs/architecture/linter.md` says what they are.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("interp", &["source"]),
    ("torch", &["source", "interp"]),
    ("draft", &["source"]),
    ("rules", &["source", "interp", "torch", "draft"]),
    ("fixes", &["source", "draft"]),
    (
        "linter",
        &["source", "interp", "torch", "draft", "rules", "fixes"],
    ),
];

/// The modules at the top of the crate that a layer is made of, where it has not the module's name.
const PARTS: &[(&str, &[&str])] = &[
    (
        "source",
        &[
            "captures", "entries", "finding", "imports", "notebook", "packages", "project",
            "settings", "site", "syntax",
        ],
    ),
    ("linter", &["apply", "comments", "repair"]),
];

#[test]
fn what_a_layer_may_name_is_below_it() {
    for (at, (layer, may_name)) in LAYERS.iter().enumerate() {
        let below = |it: &&str| LAYERS[..at].iter().any(|(lower, _)| lower == it);
        assert!(may_name.iter().all(below), "{layer}");
    }
}

#[test]
fn each_layer_names_only_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in files_below(&source) {
        let below = file.strip_prefix(&source).expect("it is below the folder");
        let module = below.iter().next().expect("it has a name");
        let module = Path::new(module).with_extension("");
        let module = module.to_str().expect("modules have plain names");
        // It only lists the modules and what of them is public.
        if module == "lib" {
            continue;
        }
        let (layer, may_name) = layer_of(module);
        let text = fs::read_to_string(&file).expect("the source can be read");
        for named in modules_named(program_of(&text)) {
            let (other, _) = layer_of(named);
            if other != layer && !may_name.contains(&other) {
                wrong.push(format!("{}: {layer} may not name {named}", below.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The folders that extend the interpreter: its own, and the one with the library's share of its state.
const EXTENDING: [&str; 2] = ["interp", "torch/state"];

#[test]
fn the_interpreter_is_extended_where_its_state_is() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in files_below(&source) {
        let text = fs::read_to_string(&file).expect("the source can be read");
        let extends = text
            .lines()
            .any(|it| it.starts_with("impl") && it.contains(" Interp<") && !it.contains(" for "));
        let may = EXTENDING.iter().any(|it| file.starts_with(source.join(it)));
        assert!(!extends || may, "{}", file.display());
    }
}

/// What the interpreter has no word for: a library brings it along.
const OF_LIBRARIES: [&str; 16] = [
    "autograd",
    "backward",
    "captur",
    "cuda",
    "device",
    "gpu",
    "gradient",
    "graph",
    "kernel",
    "module",
    "optimizer",
    "pinned",
    "replay",
    "stream",
    "tensor",
    "torch",
];

/// Words that are Python's, too.
const OF_PYTHON: [(&str, &str); 1] = [("module", "a file that is imported")];

#[test]
fn the_interpreter_has_no_words_of_a_library() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interp");
    let is_of_python = |word: &str| OF_PYTHON.iter().any(|(it, _)| word.starts_with(it));
    let mut wrong = Vec::new();
    let mut seen_of_python = BTreeSet::new();
    for file in files_below(&own) {
        let text = fs::read_to_string(&file).expect("the source can be read");
        for (line, text) in (1..).zip(program_of(&text).lines()) {
            for word in words(text) {
                if is_of_python(&word) {
                    seen_of_python.insert(word);
                } else if OF_LIBRARIES.iter().any(|it| word.starts_with(it)) {
                    wrong.push(format!("{}:{line}: {word}", file.display()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    for (word, _) in OF_PYTHON {
        assert!(seen_of_python.contains(word), "nothing says `{word}`");
    }
}

#[test]
fn what_the_interpreter_holds_of_a_library_is_its_parameter() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interp");
    for file in files_below(&own) {
        let text = fs::read_to_string(&file).expect("the source can be read");
        let is_open = |it: &str| it.contains("dyn Semantics") || it.contains("dyn Library");
        let implements = |it: &str| it.contains(" Library for ") || it.contains(" Semantics for ");
        let found = text.lines().find(|it| is_open(it) || implements(it));
        assert_eq!(found, None, "{}", file.display());
    }
}

/// The words of a line, in small letters: those of comments, and those that names are made of.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in line.chars() {
        let begins = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|it| !it.is_empty());
    words
}

/// The layer that a module is part of, and those that it may name.
fn layer_of(module: &str) -> (&'static str, &'static [&'static str]) {
    let part_of = PARTS.iter().find(|(_, parts)| parts.contains(&module));
    let name = part_of.map_or(module, |(layer, _)| layer);
    *LAYERS
        .iter()
        .find(|(layer, _)| *layer == name)
        .unwrap_or_else(|| panic!("`{module}` is part of no layer"))
}

/// What is no test.
fn program_of(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

/// The modules at the top of the crate that a file names.
fn modules_named(text: &str) -> BTreeSet<&str> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    assert!(
        !text.contains("super::super::"),
        "paths to other modules begin with `crate::`"
    );
    let mut named = BTreeSet::new();
    for path in text.split("crate::").skip(1) {
        assert!(
            !path.starts_with('{'),
            "a path names one module: crate::{path:.40}"
        );
        let end = path.find(|it| !is_name(it)).unwrap_or(path.len());
        named.insert(&path[..end]);
    }
    named
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
