//! What follows from a failure ends with it: later failures, of this thread or of another, have findings of their own.

use cgsan_finding::Report;
use cgsan_model::{Call, CaptureMode, GraphId, Stream};

use crate::support::{MAIN, ORIGIN, Program, SIDE, observed};

const ITEM: &str = "CUDA error: operation not permitted when stream is capturing";

const PASSED_ON: &str = "worker 0 failed: operation not permitted when stream is capturing";

/// A capture on a stream from this line on, in the function `f`, in which a value is read; its exception is caught.
fn fails(program: &mut Program, stream: Stream, line: u32) {
    begins(program, stream, line);
    reads(program, stream, line + 1);
    ends(program, stream, line);
}

fn begins(program: &mut Program, stream: Stream, line: u32) {
    let mode = CaptureMode::ThreadLocal;
    program.at(&[&format!("train.py:{line} f")]);
    program.call(Call::StreamBeginCapture { stream, mode });
}

fn reads(program: &mut Program, stream: Stream, line: u32) {
    program.at(&[&format!("train.py:{line} f")]).item(stream);
    program.in_flight("torch.AcceleratorError", ITEM);
}

fn ends(program: &mut Program, stream: Stream, line: u32) {
    program.at(&[&format!("train.py:{line} f")]);
    let graph = GraphId(u64::from(line));
    program.call(Call::StreamEndCapture { stream, graph });
}

/// For each finding its line, and the lines of what followed from it.
fn lines(report: &Report) -> Vec<(u32, Vec<u32>)> {
    let findings = report.findings.iter();
    findings
        .map(|finding| {
            let line = finding.location.as_ref().map_or(0, |it| it.line);
            let followed = observed(finding).consequences.iter();
            let followed = followed.map(|it| it.location.as_ref().map_or(0, |it| it.line));
            (line, followed.collect())
        })
        .collect()
}

#[test]
fn two_and_three_captures_of_a_thread_fail_apart() {
    let mut program = Program::new();
    fails(&mut program, ORIGIN, 10);
    fails(&mut program, ORIGIN, 20);
    let two = [(11, vec![11, 10]), (21, vec![21, 20])];
    assert_eq!(lines(&program.diagnose()), two);
    let mut program = Program::new();
    fails(&mut program, ORIGIN, 10);
    fails(&mut program, SIDE, 20);
    fails(&mut program, ORIGIN, 30);
    let three = [(11, vec![11, 10]), (21, vec![21, 20]), (31, vec![31, 30])];
    assert_eq!(lines(&program.diagnose()), three);
}

#[test]
fn a_capture_inside_another_fails_and_then_the_other() {
    let mut program = Program::new();
    begins(&mut program, ORIGIN, 10);
    fails(&mut program, SIDE, 20);
    reads(&mut program, ORIGIN, 12);
    ends(&mut program, ORIGIN, 10);
    let found = lines(&program.diagnose());
    let inner = found.iter().find(|(line, _)| *line == 21);
    let followed = inner.map(|(_, followed)| followed.as_slice());
    assert!(
        followed.is_some_and(|it| !it.contains(&12) && !it.contains(&10)),
        "{found:?}"
    );
}

#[test]
fn captures_of_two_threads_fail_apart() {
    let mut program = Program::new();
    begins(&mut program, ORIGIN, 10);
    program.thread(101, "Thread-1 (f)");
    begins(&mut program, SIDE, 20);
    program.thread(MAIN.0, "MainThread");
    reads(&mut program, ORIGIN, 11);
    program.thread(101, "Thread-1 (f)");
    reads(&mut program, SIDE, 21);
    ends(&mut program, SIDE, 20);
    program.thread(MAIN.0, "MainThread");
    ends(&mut program, ORIGIN, 10);
    let apart = [(11, vec![11, 10]), (21, vec![21, 20])];
    assert_eq!(lines(&program.diagnose()), apart);
}

#[test]
fn what_the_program_raises_of_its_own_afterwards_does_not_follow() {
    let mut program = Program::new();
    fails(&mut program, ORIGIN, 10);
    program.line(40);
    program.uncaught("ValueError", "the loss is not finite");
    assert_eq!(lines(&program.diagnose()), [(11, vec![11, 10])]);
}

#[test]
fn the_same_error_passed_on_follows_until_another_capture_has_failed() {
    let passed_on = |program: &mut Program| {
        program.thread(MAIN.0, "MainThread").line(40);
        program.uncaught("RuntimeError", PASSED_ON);
    };
    let mut program = Program::new();
    program.thread(101, "Thread-1 (f)");
    fails(&mut program, ORIGIN, 10);
    passed_on(&mut program);
    assert_eq!(lines(&program.diagnose()), [(11, vec![11, 10, 40])]);
    let mut program = Program::new();
    program.thread(101, "Thread-1 (f)");
    fails(&mut program, ORIGIN, 10);
    fails(&mut program, ORIGIN, 20);
    passed_on(&mut program);
    let last = [(11, vec![11, 10]), (21, vec![21, 20, 40])];
    assert_eq!(lines(&program.diagnose()), last);
}
