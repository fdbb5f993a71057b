//! CG101, CG110: the capturing thread waits or asks.

use cgsan_model::{Call, CaptureMode, Code, CopyKind, EventId, GraphId, HostMemory, NodeKind};
use cgsan_trace::{Entry, Record};

use crate::support::{DEVICE, LEGACY, ORIGIN, Program, SIDE, observed};

const REFUSED: &str = "CUDA error: operation not permitted when stream is capturing";

#[test]
fn item_in_a_capture() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).launch(ORIGIN);
    program.line(6).item(ORIGIN);
    program.in_flight("torch.AcceleratorError", REFUSED);
    program.line(4).end_graph();
    program.uncaught("torch.AcceleratorError", REFUSED);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_refusal_on_a_real_gpu_counts_also_once_its_caller_is_named() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(6).item(ORIGIN);
    program.in_flight("torch.AcceleratorError", REFUSED);
    let mut trace = program.trace();
    let is_refused =
        |entry: &Entry| matches!(&entry.record, Record::Call(it) if !it.result.is_success());
    let refused = trace
        .entries()
        .iter()
        .position(is_refused)
        .expect("it was refused");
    trace.name_caller(refused, Some("cudaStreamSynchronize"), None);
    let ids: Vec<&str> = cgsan_diagnose::diagnose(&trace)
        .findings
        .iter()
        .map(|it| it.id)
        .collect();
    assert_eq!(ids, ["CG101"]);
}

#[test]
fn item_in_a_capture_into_a_graph_of_the_program() {
    let graph = GraphId(0x900);
    let mut program = Program::new();
    program.line(3);
    program.call(Call::GraphCreate { graph });
    program.line(4).call(Call::StreamBeginCaptureToGraph {
        stream: ORIGIN,
        graph,
        dependencies: Vec::new(),
        mode: CaptureMode::Global,
    });
    program.line(6).item(ORIGIN);
    program.in_flight("torch.AcceleratorError", REFUSED);
    assert_eq!(program.ids(), ["CG101"]);
}

#[test]
fn item_after_the_capture_is_no_failure() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).launch(ORIGIN);
    program.line(4).end_graph();
    program.line(6).item(LEGACY);
    assert!(program.ids().is_empty());
}

#[test]
fn synchronize_in_a_capture() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Relaxed);
    program.at(&["train.py:6 step", "torch/cuda/__init__.py:1160 synchronize"]);
    program.call(Call::DeviceSynchronize { device: DEVICE });
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_capture_that_outlives_a_refused_wait_shows_only_the_first() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(6).item(ORIGIN);
    program.line(7).item(ORIGIN);
    program.line(8).launch(ORIGIN);
    program.line(4).end_graph();
    let report = program.diagnose();
    let lines: Vec<_> = report
        .findings
        .iter()
        .map(|it| it.location.as_ref().unwrap().line)
        .collect();
    assert_eq!(lines, [6]);
    let codes = observed(&report.findings[0]).consequences.iter();
    assert_eq!(codes.filter(|it| it.id == Some("CG190")).count(), 3);
}

#[test]
fn the_same_line_in_a_loop_is_found_once() {
    let mut program = Program::new();
    for _ in 0..3 {
        program.line(4).begin_graph(CaptureMode::Global);
        program.line(6).item(ORIGIN);
        program.line(4).end_graph();
    }
    assert_eq!(program.ids(), ["CG101"]);
}

#[test]
fn query_in_a_capture() {
    let mut program = Program::new();
    program.line(5).begin_graph(CaptureMode::ThreadLocal);
    program.at(&[
        "train.py:7 <module>",
        "torch/cuda/streams.py:95 Stream.query",
    ]);
    program.call(Call::StreamQuery { stream: SIDE });
    program.line(5).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn query_of_another_stream_in_a_relaxed_capture_is_no_failure() {
    let mut program = Program::new();
    program.line(5).begin_graph(CaptureMode::Relaxed);
    program.line(7).call(Call::StreamQuery { stream: SIDE });
    program.line(5).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn timing_with_events_of_a_capture() {
    let mut program = Program::new();
    program.line(5).begin_graph(CaptureMode::Global);
    let start = program.line(6).record_event(ORIGIN);
    program.launch(ORIGIN);
    let end = program.line(7).record_event(ORIGIN);
    program.line(5).end_graph();
    program.line(8);
    program.call(Call::EventElapsedTime { start, end });
    assert_eq!(program.last, Code::INVALID_VALUE);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_invalid_use_of_an_ordinary_event_is_no_failure_of_a_capture() {
    let mut program = Program::new();
    program.line(8);
    let (start, end) = (EventId(70), EventId(71));
    program.call_returning(Call::EventElapsedTime { start, end }, Code::INVALID_HANDLE);
    assert!(program.ids().is_empty());
}

/// What `.to("cuda")` does in a capture before PyTorch 2.11.
fn copy_from_the_host(memory: HostMemory) -> Vec<&'static str> {
    let mut program = Program::capturing(&["train.py:5 <module>"], |it| {
        it.call(Call::Work {
            stream: ORIGIN,
            node: NodeKind::Memcpy {
                kind: CopyKind::HostToDevice(memory),
                dst: 1,
                src: 2,
                bytes: 16,
            },
        });
        it.call(Call::StreamSynchronize { stream: ORIGIN });
    });
    program.ids()
}

#[test]
fn waiting_for_a_copy_from_unpinned_memory() {
    assert_eq!(copy_from_the_host(HostMemory::Pageable), ["CG102"]);
}

#[test]
fn waiting_for_a_copy_from_pinned_memory() {
    assert_eq!(copy_from_the_host(HostMemory::Pinned), ["CG101"]);
}

#[test]
fn a_distribution_checks_its_arguments() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .at(&[
            "train.py:6 <module>",
            "torch/distributions/categorical.py:75 Categorical.__init__",
            "torch/distributions/distribution.py:70 Distribution.__init__",
        ])
        .item(ORIGIN);
    program.line(4).end_graph();
    let report = program.diagnose();
    let finding = &report.findings[0];
    assert_eq!(finding.id, "CG101");
    assert!(
        finding.help[0].contains("validate_args=False"),
        "{finding:?}"
    );
}
