//! The programs of `tests/values/`, which check numbers of the virtual GPU by themselves.

mod support;

use support::marked::Wanted;
use support::watch_values;

/// Runs a program with values, and returns what cgsan said of the run as a whole.
fn check(name: &str) -> Vec<support::Note> {
    let program = support::root().join("tests/values").join(name);
    let watched = watch_values(&support::python(), &program).expect("it runs");
    let mut problems = watched.did_not_end_well();
    problems.extend(Wanted::of(&program).problems(&program, &watched.findings));
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    watched.notes
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn operators_are_computed_eagerly_and_at_replays() {
    let notes = check("computed.py");
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_replay_computes_with_what_was_captured() {
    check("stale_input.py");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_not_computed_is_named_with_its_line() {
    let notes = check("not_computed.py");
    let named = |operator: &str| {
        let note = notes.iter().find(|note| note.text.starts_with(operator));
        note.unwrap_or_else(|| panic!("no note on {operator} in {notes:?}"))
    };
    let program = support::root().join("tests/values/not_computed.py");
    assert_eq!(named("aten._cudnn_rnn.default").line_in(&program), Some(8));
}
