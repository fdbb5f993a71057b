//! What a person is told of how a process ended.

use cgsan_diagnose::diagnose;
use cgsan_trace::{Trace, format, read_records};

use crate::support::Program;

/// What is said of a program whose process did not come to its end.
fn told(program: &mut Program) -> String {
    let mut records = read_records(&program.bytes()).expect("a trace");
    records.pop();
    let trace = Trace::parse(&format::encode_all(&records)).expect("a trace");
    let notes = diagnose(&trace).notes.into_iter();
    notes.map(|note| note.text).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_interrupt_is_told_apart_from_a_kill() {
    let killed = told(&mut Program::new());
    assert!(
        killed.contains("was killed or left without cleaning up"),
        "{killed}"
    );
    let interrupted = told(Program::new().uncaught("KeyboardInterrupt", ""));
    assert!(
        interrupted.contains("was interrupted (Ctrl-C"),
        "{interrupted}"
    );
    assert!(!interrupted.contains("killed"), "{interrupted}");
    let failed = told(Program::new().uncaught("ValueError", "wrong"));
    assert!(failed.contains("was killed"), "{failed}");
}
