//! What fuzzing found, in `fuzzed/`: each file once made the linter panic, run without an end, or break a program.

use std::fs;
use std::path::Path;

use cgsan_lint::{Project, Settings, lint, repair};

#[test]
fn what_fuzzing_found_stays_repaired() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzzed");
    let settings = Settings {
        pedantic: true,
        ..Settings::default()
    };
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        eprintln!("{}", path.display());
        let mut project = Project::new([path.clone()]);
        let mut outcome = lint(&mut project, &settings);
        let was_python = outcome.errors.is_empty();
        repair(&mut project, &settings, &mut outcome, true);
        assert!(!was_python || outcome.errors.is_empty());
        assert!(repair(&mut project, &settings, &mut outcome, true).is_empty());
    }
}
