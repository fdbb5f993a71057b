//! CG105, CG106, CG107, CG125, CG126: streams and the paths between them.

use cgsan_model::{Call, CaptureMode, GraphId};

use crate::support::{DEEP, LEGACY, ORIGIN, Program, SIDE};

#[test]
fn a_side_stream_that_never_forked() {
    let mut program = Program::new();
    program.line(12).begin_graph(CaptureMode::Global);
    program.at(&["train.py:13 <module>", "train.py:7 f"]);
    program.allocate(SIDE);
    program.line(12).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_side_stream_with_work_that_is_joined_without_a_fork() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(7).launch(SIDE);
    program.line(8).wait_stream(ORIGIN, SIDE);
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_side_stream_that_forks_and_joins_is_no_failure() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).wait_stream(SIDE, ORIGIN);
    program.line(7).allocate(SIDE);
    program.launch(SIDE);
    program.line(8).wait_stream(ORIGIN, SIDE);
    program.line(4).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn streams_forked_from_each_other_and_never_joined() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).launch(ORIGIN);
    program.line(6).wait_stream(SIDE, ORIGIN);
    program.line(7).launch(SIDE);
    program
        .at(&["train.py:9 <module>", "layers.py:3 inner"])
        .wait_stream(DEEP, SIDE);
    program
        .at(&["train.py:9 <module>", "layers.py:4 inner"])
        .launch(DEEP);
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_wait_for_work_from_before_the_capture() {
    let mut program = Program::new();
    program.line(6).launch(SIDE);
    program.line(7).begin_graph(CaptureMode::Global);
    program.at(&[
        "train.py:9 <module>",
        "torch/cuda/streams.py:70 Stream.wait_stream",
    ]);
    program.wait_stream(ORIGIN, SIDE);
    program.line(7).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_wait_for_an_event_from_before_the_capture() {
    let mut program = Program::new();
    let event = program.line(6).record_event(SIDE);
    program.line(7).begin_graph(CaptureMode::Global);
    program.line(9).wait_event(ORIGIN, event);
    program.line(7).end_graph();
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG107");
    let labels = &report.findings[0].labels;
    assert!(labels.iter().any(|label| label.location.line == 6));
}

#[test]
fn the_same_wait_before_the_capture_is_no_failure() {
    let mut program = Program::new();
    let event = program.line(6).record_event(SIDE);
    program.line(7).wait_event(ORIGIN, event);
    program.line(8).begin_graph(CaptureMode::Global);
    program.line(9).launch(ORIGIN);
    program.line(8).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn the_default_stream_made_to_wait_for_the_capture() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(6).wait_stream(LEGACY, ORIGIN);
    program.line(4).end_graph();
    assert_eq!(program.ids(), ["CG105"]);
}

#[test]
fn the_default_stream_joined_with_work_that_was_not_captured() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(6).launch(LEGACY);
    program.line(7).wait_stream(ORIGIN, LEGACY);
    program.line(4).end_graph();
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG105");
    let help = report.findings[0].help.join(" ");
    assert!(!help.contains("fork the default stream"), "{help}");
}

#[test]
fn a_wait_that_would_merge_two_captures() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Relaxed);
    program.launch(ORIGIN);
    program.line(6).call(Call::StreamBeginCapture {
        stream: SIDE,
        mode: CaptureMode::Relaxed,
    });
    program.line(7).wait_stream(SIDE, ORIGIN);
    program.line(8).call(Call::StreamEndCapture {
        stream: SIDE,
        graph: GraphId(0x901),
    });
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_capture_ended_by_another_thread() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .thread(101, "finisher")
        .at(&["train.py:9 finish"])
        .end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_relaxed_capture_may_be_ended_by_another_thread() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Relaxed);
    program
        .thread(101, "finisher")
        .at(&["train.py:9 finish"])
        .end_graph();
    assert!(program.ids().is_empty());
}
