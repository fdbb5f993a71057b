//! CG111, CG112, CG114: threads that do not capture.

use cgsan_model::{Call, CaptureMode, EventId, Restricted};

use crate::support::{DEVICE, LEGACY, MAIN, ORIGIN, Program};

/// A capture at line 15 in `mode`, during which `other` runs.
fn capture_beside(mode: CaptureMode, other: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.at(&["train.py:12 <module>"]).record_event(LEGACY);
    program.at(&["train.py:15 <module>"]).begin_graph(mode);
    other(&mut program);
    program.thread(MAIN.0, "MainThread");
    program.at(&["train.py:18 <module>"]).launch(ORIGIN);
    program.at(&["train.py:15 <module>"]).end_graph();
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
