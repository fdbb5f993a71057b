//! The linter is made of layers, and what each may know of the others is written down here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, and those below each that it may name. `docs/architecture.md` says what they are.
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
            "captures", "entries", "finding", "imports", "notebook", "packages", "pattern",
            "project", "settings", "site", "syntax",
        ],
    ),
    ("linter", &["apply", "baseline", "repair", "suppression"]),
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

#[test]
fn the_interpreter_is_extended_in_its_own_folder_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let own = source.join("interp");
    for file in files_below(&source) {
        let text = fs::read_to_string(&file).expect("the source can be read");
        let extends = text
            .lines()
            .any(|it| it.starts_with("impl") && it.contains(" Interp<") && !it.contains(" for "));
        assert!(!extends || file.starts_with(&own), "{}", file.display());
    }
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
