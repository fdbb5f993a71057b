//! The larger programs of `tests/replays/`: the correct ones are left alone, and what is planted in the others is found.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::marked::{NotFound, Wanted};
use support::watch;

/// The programs of a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut programs: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "{} is empty", folder.display());
    programs
}

fn folder() -> PathBuf {
    support::root().join("tests/replays")
}

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    for program in programs(&folder().join("planted")) {
        let name = program.file_stem().expect("a name").to_string_lossy();
        let id = name.split('_').next();
        assert_eq!(Wanted::of(&program).id.as_deref(), id, "{name}");
    }
    for program in programs(&folder()) {
        assert_eq!(Wanted::of(&program).id, None, "{}", program.display());
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn planted_faults_are_found_and_correct_programs_left_alone() {
    let python = support::python();
    let not_found = NotFound::load();
    let mut all = programs(&folder());
    all.extend(programs(&folder().join("planted")));
    let problems: Vec<String> = support::in_parallel(&all, |program| {
        let problems = match watch(&python, program) {
            Err(problem) => vec![problem],
            Ok(watched) => {
                let mut problems = watched.did_not_end_well();
                let wanted = Wanted::of(program);
                problems.extend(not_found.judge(program, &wanted, &watched.findings));
                problems
            }
        };
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        problems
            .into_iter()
            .map(|problem| format!("{name}: {problem}"))
            .collect::<Vec<_>>()
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
