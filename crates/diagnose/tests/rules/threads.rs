//! CG111, CG112, CG114, CG122: threads that do not capture.

use cgsan_model::{Call, CaptureMode, EventId, Restricted};

use crate::support::{DEVICE, LEGACY, MAIN, ORIGIN, Program, observed};

/// A capture at line 15 in `mode`, during which `other` runs.
fn capture_beside(mode: CaptureMode, other: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.line(12).record_event(LEGACY);
    program.line(15).begin_graph(mode);
    other(&mut program);
    program.thread(MAIN.0, "MainThread");
    program.line(18).launch(ORIGIN);
    program.line(15).end_graph();
    program
}

fn query_in_a_worker(program: &mut Program) {
    program.thread(101, "Thread-1 (worker)").at(&[
        "/usr/lib/python3.11/threading.py:1002 Thread._bootstrap",
        "train.py:6 worker",
        "torch/cuda/streams.py:230 Event.query",
    ]);
    program.call(Call::EventQuery { event: EventId(1) });
}

fn pin_in_a_loader(program: &mut Program) {
    program.thread(102, "Thread-2 (_pin_memory_loop)").at(&[
        "/usr/lib/python3.11/threading.py:1002 Thread._bootstrap",
        "torch/utils/data/_utils/pin_memory.py:50 _pin_memory_loop",
    ]);
    program.call(Call::Restricted(Restricted::HostAlloc));
}

#[test]
fn a_worker_queries_an_event_during_a_global_capture() {
    let mut program = capture_beside(CaptureMode::Global, query_in_a_worker);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_worker_queries_an_event_during_a_thread_local_capture() {
    let mut program = capture_beside(CaptureMode::ThreadLocal, query_in_a_worker);
    assert!(program.ids().is_empty());
}

#[test]
fn a_loader_pins_memory_during_a_global_capture() {
    let mut program = capture_beside(CaptureMode::Global, pin_in_a_loader);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_loader_pins_memory_during_a_thread_local_capture() {
    let mut program = capture_beside(CaptureMode::ThreadLocal, pin_in_a_loader);
    assert!(program.ids().is_empty());
}

#[test]
fn a_worker_waits_for_the_device_in_any_mode() {
    let mut program = capture_beside(CaptureMode::ThreadLocal, |program| {
        program.thread(101, "logger").at(&["train.py:6 log"]);
        program.call(Call::DeviceSynchronize { device: DEVICE });
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG111");
    let help = report.findings[0].help.join(" ");
    assert!(!help.contains("thread_local"), "{help}");
}

#[test]
fn the_nccl_watchdog_queries_an_event() {
    let mut program = capture_beside(CaptureMode::Global, |program| {
        program.thread(103, "pt_nccl_watchdg").native();
        program.call(Call::EventQuery { event: EventId(1) });
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn one_call_that_breaks_two_captures_is_one_finding() {
    let mut program = capture_beside(CaptureMode::Global, |program| {
        program.thread(104, "second").at(&["train.py:30 second"]);
        program.call(Call::StreamBeginCapture {
            stream: crate::support::SIDE,
            mode: CaptureMode::Global,
        });
        query_in_a_worker(program);
    });
    let report = program.diagnose();
    assert_eq!(report.findings.len(), 1);
    assert!(
        report.findings[0]
            .notes
            .iter()
            .any(|note| note.contains("train.py:30"))
    );
}

#[test]
fn a_thread_of_a_library_waits_for_captured_work() {
    let mut program = capture_beside(CaptureMode::Relaxed, |program| {
        program.at(&["train.py:16 reduce"]).launch(ORIGIN);
        program.thread(104, "pt_gloo_runloop").native();
        program.call(Call::StreamSynchronize { stream: ORIGIN });
    });
    let report = program.diagnose();
    let finding = &report.findings[0];
    assert_eq!(finding.id, "CG111");
    assert_eq!(finding.location.as_ref().map(|place| place.line), Some(16));
    assert!(!finding.help.join(" ").contains("thread_local"));
}

#[test]
fn two_threads_capture_at_once() {
    let mut program = capture_beside(CaptureMode::ThreadLocal, |program| {
        program.thread(101, "Thread-1 (build)").at(&[
            "train.py:6 build",
            "torch/cuda/graphs.py:250 graph.__enter__",
        ]);
        program.call(Call::DeviceSynchronize { device: DEVICE });
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG122");
    assert!(report.findings[0].help.join(" ").contains("lock"));
}

/// The frames of `with torch.cuda.graph(…):` at a line of a thread's function, as far as the capture's begin.
const BEGIN_IN_THREAD: [&str; 4] = [
    "/usr/lib/python3.11/threading.py:1002 Thread._bootstrap",
    "train.py:9 worker",
    "torch/cuda/graphs.py:250 graph.__enter__",
    "torch/cuda/graphs.py:110 CUDAGraph.capture_begin",
];

/// Another thread begins a capture on the stream of `torch.cuda.graph` while one runs there.
fn begin_in_a_worker(program: &mut Program) {
    program
        .thread(101, "Thread-1 (worker)")
        .at(&BEGIN_IN_THREAD);
    program.call(Call::StreamBeginCapture {
        stream: ORIGIN,
        mode: CaptureMode::Relaxed,
    });
    let message = "CUDA error: the operation cannot be performed in the present state";
    program
        .throw("N3c1016AcceleratorErrorE", message)
        .uncaught("torch.AcceleratorError", message);
}

#[test]
fn a_second_thread_begins_on_the_stream_that_captures() {
    let mut program = capture_beside(CaptureMode::Relaxed, begin_in_a_worker);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_second_thread_is_refused_by_pytorch_before_it_asks_cuda() {
    let mut program = capture_beside(CaptureMode::ThreadLocal, |program| {
        let message =
            "Cannot register the state during capturing stage. during CUDA graph capture.";
        program
            .thread(101, "Thread-1 (worker)")
            .at(&BEGIN_IN_THREAD)
            .refuse(message)
            .uncaught("RuntimeError", message);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_begin_that_is_refused_twice_and_caught() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5);
    for _ in 0..2 {
        program.call(Call::StreamBeginCapture {
            stream: ORIGIN,
            mode: CaptureMode::Global,
        });
    }
    program.line(4).end_graph();
    let report = program.diagnose();
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|it| (it.id, observed(it).count))
        .collect();
    assert_eq!(found, [("CG122", 2)]);
}

#[test]
fn threads_that_capture_one_after_the_other() {
    let mut program = Program::new();
    for id in [101, 102] {
        program
            .thread(id, "Thread (worker)")
            .at(&["train.py:9 worker"])
            .begin_graph(CaptureMode::Global)
            .launch(ORIGIN)
            .end_graph();
    }
    assert!(program.ids().is_empty());
}
