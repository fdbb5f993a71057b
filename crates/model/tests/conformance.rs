//! The model against recordings of a real driver: every call must get the recorded answer.

use std::path::{Path, PathBuf};

use cgsan_conformance::{Recording, Report, Subject, check, read};

/// The recordings that the project was given, and those that its own recorder made.
const FOLDERS: [&str; 2] = ["../../tests/truth/conformance", "../../recorder/recordings"];

#[test]
fn every_recorded_call_gets_the_recorded_answer() {
    let mut all = Report::default();
    for path in recordings() {
        let recording = read(&path).unwrap_or_else(|error| panic!("{error}"));
        let report = check(&recording);
        println!("{}: {}", path.display(), report.summary());
        assert!(report.agrees(), "{}:\n{report}", path.display());
        assert!(report.not_judged.is_empty(), "{}: {report}", path.display());
        all.absorb(report);
    }
    println!("{}", all.summary());
    assert!(all.score(Subject::Graphs).total > 0);
}

/// A runner that finds nothing to complain of would be no proof if it never did.
#[test]
fn a_wrong_answer_is_found_and_shortened() {
    let path = root().join(FOLDERS[0]).join("fuzz.jsonl.gz");
    let mut recording = read(&path).unwrap_or_else(|error| panic!("{error}"));
    let Recording::Programs { programs, .. } = &mut recording else {
        panic!("{} holds programs", path.display());
    };
    let broken = programs
        .iter_mut()
        .flat_map(|program| &mut program.ops)
        .find(|op| op.code == 901)
        .expect("a call on a broken capture");
    broken.code = 0;

    let report = check(&recording);
    assert!(!report.agrees());
    let found: Vec<_> = report.disagreements().collect();
    let [disagreement] = found.as_slice() else {
        panic!("{report}");
    };
    assert_eq!(disagreement.subject, Subject::Codes);
    assert!(disagreement.model.starts_with("901"), "{disagreement}");
    assert!(
        (3..=4).contains(&disagreement.program.len()),
        "begin, break, call: {disagreement}"
    );
}

#[test]
fn an_unknown_operation_is_not_judged() {
    let path = root().join(FOLDERS[0]).join("fuzz.jsonl.gz");
    let mut recording = read(&path).unwrap_or_else(|error| panic!("{error}"));
    if let Recording::Programs { programs, .. } = &mut recording {
        programs.truncate(1);
        programs[0].ops.truncate(2);
        programs[0].ops[0].name = "a call of next year".to_owned();
        programs[0].ops[1].a0 = 77;
    }
    let report = check(&recording);
    assert_eq!(report.not_judged.values().sum::<usize>(), 2);
    assert!(!report.agrees(), "nothing was compared: {report}");
}

fn recordings() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|folder| {
            root()
                .join(folder)
                .read_dir()
                .expect("a folder of recordings")
        })
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    paths
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
