//! The programs of `tests/verify/`, which say by themselves whether `cgsan.verify` says what it should.

mod support;

use std::path::PathBuf;

use support::{Watched, watch, watch_values};

fn program(name: &str) -> PathBuf {
    support::root().join("tests/verify").join(name)
}

fn ids(watched: &Watched) -> Vec<&str> {
    watched.findings.iter().map(|it| &*it.id).collect()
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn wrong_replays_are_found_with_their_operator_and_cause_and_right_ones_are_not() {
    let watched = watch_values(&support::python(), &program("cases.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stdout);
    // What was verified is not judged once more.
    assert_eq!(ids(&watched), [""; 0]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_message_names_line_and_cause_and_a_failing_capture_is_explained() {
    let watched = watch_values(&support::python(), &program("message.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    assert_eq!(ids(&watched), ["CG101"]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn without_values_nothing_is_verified() {
    let watched = watch(&support::python(), &program("without_values.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
}
