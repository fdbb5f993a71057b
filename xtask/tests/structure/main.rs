//! How the files of the crates may depend on each other: layers inside of a crate, and circles of files.

mod circles;
mod names;
mod says;
mod source;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use source::Crate;

/// Crates whose folders are layers, from the lowest: each may name those before it.
const LAYERS: &[(&str, &[&str])] = &[(
    "cgsan",
    &[
        "cli", "output", "traces", "program", "reports", "commands", "main",
    ],
)];

/// Rooms with circles of files: how many files the largest has. A room is a folder at the top of a crate, or the crate where a circle
/// goes beyond one. None may grow, and a room that is not named has none.
const CIRCLES: &[(&str, usize)] = &[
    ("attach", 2),
    ("catalogue", 2),
    ("conformance", 2),
    ("diagnose", 5),
    ("diagnose::activity", 16),
    ("diagnose::history", 3),
    ("diagnose::pools", 2),
    ("diagnose::ranks", 2),
    ("diagnose::summary", 2),
    ("export", 3),
    ("export::perfetto", 3),
    ("files", 2),
    ("frames", 2),
    ("graphs", 2),
    ("graphs::layout", 2),
    ("inject", 14),
    ("lint", 2),
    ("lint::interp", 22),
    ("lint::rules", 2),
    ("lint::torch", 15),
    ("lsp", 2),
    ("model::state", 2),
    ("observe", 13),
    ("perf::step", 2),
    ("threads", 2),
    ("timeline", 2),
    ("trace", 5),
    ("vgpu", 3),
    ("vgpu::libraries", 2),
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
    let mut largest: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in folders_in(&crates()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        for circle in circles::of(&Crate::read(&folder).arrows()) {
            let of_room = largest.entry(room(&name, &circle)).or_default();
            if circle.len() > of_room.len() {
                *of_room = circle;
            }
        }
    }
    let found: Vec<(&str, usize)> = largest
        .iter()
        .map(|(room, circle)| (room.as_str(), circle.len()))
        .collect();
    assert_eq!(found, CIRCLES, "{largest:#?}");
}

/// Where a circle is: `diagnose::activity`, or `vgpu`.
fn room(name: &str, circle: &BTreeSet<String>) -> String {
    let tops: BTreeSet<&str> = circle.iter().map(|it| top(it)).collect();
    match tops.first() {
        Some(only) if tops.len() == 1 => format!("{name}::{only}"),
        _ => name.to_owned(),
    }
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
