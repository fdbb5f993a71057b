//! The programs of `tests/verify/`, which say by themselves whether `cgsan.verify` says what it should.

mod support;

use std::path::PathBuf;

use support::{Watched, watch, watch_verifying, watch_with};

fn program(name: &str) -> PathBuf {
    support::root().join("tests/verify").join(name)
}

fn ids(watched: &Watched) -> Vec<&str> {
    watched.findings.iter().map(|it| &*it.id).collect()
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn wrong_replays_are_found_with_their_operator_and_cause_and_right_ones_are_not() {
    let watched = watch(&support::python(), &program("cases.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stdout);
    // What was verified is not judged once more.
    assert_eq!(ids(&watched), [""; 0]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_message_names_line_and_cause_and_a_failing_capture_is_explained() {
    let watched = watch(&support::python(), &program("message.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    assert_eq!(ids(&watched), ["CG101"]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_function_without_work_is_refused_and_operators_are_watched_after_it() {
    let watched = watch(&support::python(), &program("first_use.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    let notes: Vec<&str> = watched.notes.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(notes, [""; 0]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn without_values_nothing_is_verified() {
    let watched = watch_with(
        &["--no-values"],
        &support::python(),
        &[],
        &program("without_values.py"),
    )
    .expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_not_computed_is_not_called_the_same() {
    let watched = watch(&support::python(), &program("not_computed.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn graphed_callables_are_compared_with_eager_runs_where_that_is_asked_for() {
    let program = program("graphed.py");
    let watched = watch_verifying(&support::python(), &program).expect("it runs");
    assert_eq!(watched.exit, Some(1), "{}", watched.stderr);
    // The rules see the mask that was bound anew; of the number, nothing shows without an eager run.
    assert_eq!(ids(&watched), ["CG203"]);
    let said = |begin: &str| {
        let mut notes = watched.notes.iter().filter(|it| it.text.starts_with(begin));
        match (notes.next(), notes.next()) {
            (Some(note), None) => note,
            _ => panic!("not one note begins with {begin:?}: {:?}", watched.notes),
        }
    };
    let scaled = said("call 3 of the graphed `Scaled`");
    assert!(scaled.text.ends_with("eager run 3 gave it 0.5 (CG205)"));
    assert_eq!(scaled.line_in(&program), Some(39));
    let masked = said("call 4 of the graphed `Masked`");
    assert!(
        masked
            .text
            .contains("the one that `self.mask` referred to at the capture (CG203)")
    );
    assert!(
        said("`--verify` compared 4 of 4")
            .text
            .contains("at 15 calls")
    );
    assert_eq!(
        said("`--verify` compared the graph captured here with eager runs of its captured code, at 1 replay")
            .line_in(&program),
        Some(54)
    );
    assert_eq!(watched.notes.len(), 4);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn other_graphs_are_compared_by_their_code_and_each_is_counted() {
    let program = program("with_blocks.py");
    let watched = watch_verifying(&support::python(), &program).expect("it runs");
    assert_eq!(watched.exit, Some(1), "{}", watched.stderr);
    assert_eq!(ids(&watched), ["CG205"]);
    let notes = watched
        .notes
        .iter()
        .map(|it| (&*it.text, it.line_in(&program)));
    let notes: Vec<(&str, Option<u32>)> = notes.collect();
    let compared =
        "`--verify` compared the graph captured here with eager runs of its captured code";
    let not_compared = "`--verify` did not compare the graph captured here with eager runs";
    let expected = [
        (format!("{compared}, at 4 replays"), Some(19)),
        (format!("{compared}, at 3 replays"), Some(25)),
        (
            format!("{not_compared}: no block of its code begins and ends the capture"),
            Some(30),
        ),
        (
            format!("{not_compared}: no replay of it was looked at"),
            Some(19),
        ),
    ];
    let expected: Vec<(&str, Option<u32>)> = expected
        .iter()
        .map(|(text, line)| (&**text, *line))
        .collect();
    assert_eq!(notes, expected);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_captured_graph_is_compared_with_what_its_code_would_do_now() {
    let watched = watch(&support::python(), &program("captured.py")).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    assert_eq!(ids(&watched), [""; 0]);
}
