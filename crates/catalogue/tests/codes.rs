//! The result codes are those of the model, and were recorded as often as `catalogue/counts.toml` says.
//!
//! With `CGSAN_COUNT=1` in the environment the file is written instead.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cgsan_catalogue::codes;
use cgsan_model::Code;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How often each code was seen.
type Counts = BTreeMap<i64, u32>;

/// The codes of the first refused calls of the recorded programs, and how many programs there are.
fn programs() -> (Counts, u32) {
    let mut counts = Counts::new();
    let mut programs = 0;
    for file in ["truth.json", "more/truth.json"] {
        let text = fs::read_to_string(root().join("tests/truth").join(file)).expect("it is there");
        let results: Vec<Value> = serde_json::from_str(&text).expect("it is JSON");
        for result in results {
            programs += 1;
            if let Some(code) = result["first_refused_call"]["code"].as_i64() {
                *counts.entry(code).or_default() += 1;
            }
        }
    }
    (counts, programs)
}

/// The results of the calls of a recording: probes have theirs in `rc`, programs in the fifth place of each operation. An
/// operation whose turn came when it had nothing to call is noted as `nop`.
fn calls_of(record: &Value) -> Vec<i64> {
    if let Some(operations) = record["ops"].as_array() {
        let code = |operation: &Value| operation[4].as_i64().expect("a result is a number");
        let calls = operations.iter().filter(|operation| operation[1] != "nop");
        return calls.map(code).collect();
    }
    record["rc"].as_i64().into_iter().collect()
}

fn recordings() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["tests/truth/conformance", "recorder/recordings"]
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("it is there"))
        .map(|file| file.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    files.sort();
    files
}

/// The codes of the recorded calls, and how many calls there are.
fn calls() -> (Counts, u32) {
    let mut counts = Counts::new();
    let mut calls = 0;
    for path in recordings() {
        let file = fs::File::open(&path).expect("it can be read");
        let mut lines = String::new();
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut lines)
            .expect("the recordings are compressed text");
        for line in lines.lines() {
            let record = serde_json::from_str(line).expect("a line is JSON");
            for code in calls_of(&record) {
                calls += 1;
                *counts.entry(code).or_default() += 1;
            }
        }
    }
    (counts, calls)
}

/// The file's content as it has to be.
fn content() -> String {
    let (in_programs, programs) = programs();
    let (in_calls, calls) = calls();
    let mut content = format!(
        "# How often each result code was recorded: as the result of the first refused call of a program (of tests/truth/truth.json \
         and\n# tests/truth/more/truth.json), and of a call (of tests/truth/conformance and recorder/recordings).\n# Written by \
         `CGSAN_COUNT=1 cargo test -p cgsan-catalogue --test codes`.\n\nprograms = {programs}\ncalls = {calls}\n\n[codes]\n"
    );
    for known in codes() {
        let count = |counts: &Counts| counts.get(&i64::from(known.code)).copied().unwrap_or(0);
        let _ = writeln!(
            content,
            "{} = {{ programs = {}, calls = {} }}",
            known.code,
            count(&in_programs),
            count(&in_calls)
        );
    }
    content
}

#[test]
fn codes_were_recorded_as_often_as_is_said() {
    let file = root().join("catalogue/counts.toml");
    if std::env::var_os("CGSAN_COUNT").is_some() {
        fs::write(file, content()).expect("it can be written");
        return;
    }
    let kept = fs::read_to_string(file).expect("it is in the repository");
    assert_eq!(
        kept,
        content(),
        "run `CGSAN_COUNT=1 cargo test -p cgsan-catalogue --test codes`"
    );
}

#[test]
fn every_recorded_failure_is_explained() {
    let (in_programs, _) = programs();
    let (in_calls, _) = calls();
    for code in in_programs.keys().chain(in_calls.keys()) {
        let known = codes().iter().any(|known| i64::from(known.code) == *code);
        assert!(known || *code == 0, "{code} has no meaning in codes.toml");
    }
}

#[test]
fn the_model_calls_the_codes_the_same() {
    for code in codes() {
        let modelled = Code(code.code);
        if let Some(name) = modelled.runtime_name() {
            assert_eq!(name, code.runtime);
            assert_eq!(modelled.driver_name(), Some(code.driver));
            assert_eq!(modelled.text(), Some(code.text));
        }
    }
}
