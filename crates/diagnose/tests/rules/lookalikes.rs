//! What looks like a failed capture and is none, and what cannot be decided.

use cgsan_model::{Call, CaptureMode, Code, GraphId, Restricted};
use cgsan_trace::Record;

use crate::support::{DEVICE, ORIGIN, Program, SIDE};

#[test]
fn a_failed_call_outside_captures() {
    let mut program = Program::new();
    program.line(3);
    program.call_returning(Call::Restricted(Restricted::Malloc), Code::OUT_OF_MEMORY);
    program.throw("N3c1016OutOfMemoryErrorE", "CUDA out of memory.");
    program.uncaught("torch.OutOfMemoryError", "CUDA out of memory.");
    assert!(program.ids().is_empty());
}

#[test]
fn an_exception_of_the_program_in_a_capture() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).launch(ORIGIN);
    program.line(6).in_flight("ValueError", "no such key");
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_exception_of_the_program_that_skips_a_join() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).wait_stream(SIDE, ORIGIN);
    program.launch(SIDE);
    program.line(6).in_flight("KeyError", "'scale'");
    program.line(4).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn a_wrong_shape_in_a_capture() {
    let message =
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0";
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .line(6)
        .refuse(message)
        .in_flight("RuntimeError", message);
    program.line(4).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn a_wait_during_the_warm_up() {
    let mut program = Program::new();
    program.line(3).item(SIDE);
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).launch(ORIGIN);
    program.line(4).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn a_refused_call_of_a_kind_without_a_rule() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).call(Call::Restricted(Restricted::Profiler));
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_capture_whose_first_refusal_was_not_recorded() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(4).call_returning(
        Call::StreamEndCapture {
            stream: ORIGIN,
            graph: GraphId(9),
        },
        Code::STREAM_CAPTURE_INVALIDATED,
    );
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_recorded_refusal_that_the_model_would_not_make() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Relaxed);
    program.line(5).call_returning(
        Call::StreamQuery { stream: SIDE },
        Code::STREAM_CAPTURE_UNSUPPORTED,
    );
    program.line(4).call_returning(
        Call::StreamEndCapture {
            stream: ORIGIN,
            graph: GraphId(9),
        },
        Code::STREAM_CAPTURE_INVALIDATED,
    );
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG110");
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.text.contains("defect of cgsan"))
    );
}

#[test]
fn a_value_that_nothing_computed_is_noted_with_the_option_that_computes_it() {
    let mut program = Program::on_virtual_gpu();
    program.push(Record::ComputedValueRead { stack: None });
    let report = program.diagnose();
    assert!(report.findings.is_empty());
    assert!(report.notes[0].text.contains("`--no-values`"));
}

#[test]
fn an_empty_program() {
    let report = Program::new().diagnose();
    assert!(report.findings.is_empty() && report.notes.is_empty());
    let mut program = Program::new();
    program.call(Call::DeviceSynchronize { device: DEVICE });
    assert!(program.ids().is_empty());
}
