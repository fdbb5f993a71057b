//! How the files of the crates may depend on each other: layers inside of a crate, and circles of files.

mod circles;
mod names;
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use source::Crate;

/// Crates whose folders are layers, from the lowest: each may name those before it.
const LAYERS: &[(&str, &[&str])] = &[(
    "cgsan",
    &[
        "cli", "output", "traces", "program", "reports", "commands", "main",
    ],
)];

/// Crates with circles of files: how many files the largest has. None may grow, and a crate that is not named has none.
const CIRCLES: &[(&str, usize)] = &[
    ("attach", 2),
    ("catalogue", 2),
    ("conformance", 2),
    ("diagnose", 16),
    ("export", 3),
    ("files", 2),
    ("frames", 2),
    ("graphs", 2),
    ("inject", 14),
    ("lint", 22),
    ("lsp", 2),
    ("model", 16),
    ("observe", 13),
    ("perf", 2),
    ("threads", 2),
    ("timeline", 2),
    ("trace", 5),
    ("vgpu", 33),
];

#[test]
fn layers_name_only_those_below_them() {
    for (name, layers) in LAYERS {
        let height = |layer: &str| {
            let at = layers.iter().position(|it| *it == layer);
            at.unwrap_or_else(|| panic!("`{layer}` is no layer of {name}"))
        };
        let arrows = Crate::read(&crates().join(name)).arrows();
        let up = arrows
            .iter()
            .filter(|(from, to)| height(top(from)) < height(top(to)));
        let up: Vec<String> = up.map(|(from, to)| format!("{from} names {to}")).collect();
        assert_eq!(up, Vec::<String>::new(), "{name}: {}", layers.join(" < "));
    }
}

#[test]
fn circles_of_files_do_not_grow() {
    let mut wrong = Vec::new();
    for folder in folders_in(&crates()) {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let arrows = Crate::read(&folder).arrows();
        let largest = circles::of(&arrows).into_iter().max_by_key(BTreeSet::len);
        let largest = largest.unwrap_or_default();
        let allowed = CIRCLES.iter().find(|(it, _)| *it == name);
        let allowed = allowed.map_or(0, |(_, files)| *files);
        if largest.len() != allowed {
            let files: Vec<&str> = largest.iter().map(String::as_str).collect();
            wrong.push(format!(
                "{name}: the largest circle has {} files, not {allowed}: {}",
                files.len(),
                files.join(", ")
            ));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
}

/// The module at the top of the crate that a module is in.
fn top(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

fn folders_in(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = folder.read_dir().expect("the folder can be read");
    let paths = entries.map(|it| it.expect("its entries can be read").path());
    paths.filter(|it| it.join("src").is_dir()).collect()
}
