//! Recordings that the model contradicts: a defect of cgsan, told with the shortest program that shows it.

use cgsan_diagnose::{contradiction, diagnose};
use cgsan_model::{Call, CaptureMode, Code};
use cgsan_trace::{Record, Trace, format};

use crate::support::{MAIN, ORIGIN, Program, SIDE, describe};

/// A long program of two threads, in which the driver refuses a query that the model would answer.
fn contradicted() -> Program {
    let mut program = Program::new();
    program.line(3);
    for _ in 0..500 {
        program.launch(SIDE);
    }
    program.begin_graph(CaptureMode::Global).launch(ORIGIN);
    program.wait_stream(SIDE, ORIGIN);
    program.launch(SIDE).wait_stream(ORIGIN, SIDE);
    program.end_graph();
    let event = program.record_event(SIDE);
    program.line(9).begin_graph(CaptureMode::ThreadLocal);
    for _ in 0..500 {
        program.launch(ORIGIN);
    }
    program.thread(101, "Thread-1").at(&["train.py:20 poll"]);
    program.launch(SIDE);
    program.call_returning(Call::EventQuery { event }, Code::CAPTURED_EVENT);
    program.thread(MAIN.0, "MainThread");
    program.line(9).end_graph();
    program
}

/// An event is recorded outside captures, and refuses a query as if it were recorded in one since.
fn recorded_anew(between: &[Record]) -> Program {
    let mut program = Program::new();
    let event = program.line(4).record_event(SIDE);
    for record in between {
        program.push(record.clone());
    }
    program.line(9);
    program.call_returning(Call::EventQuery { event }, Code::CAPTURED_EVENT);
    program
}

#[test]
fn what_was_done_while_nobody_watched_is_no_contradiction() {
    assert!(contradiction(&recorded_anew(&[]).trace()).is_some());
    let unwatched = [Record::Watched { on: false }, Record::Watched { on: true }];
    let mut program = recorded_anew(&unwatched);
    assert_eq!(contradiction(&program.trace()), None);
    let report = program.diagnose();
    assert_eq!((report.findings.len(), report.notes.len()), (1, 0));
}

#[test]
fn a_capture_after_calls_that_nobody_watched_is_explained() {
    let mut program = Program::new();
    for on in [false, true] {
        program.push(Record::Watched { on });
    }
    program.line(9).begin_graph(CaptureMode::Global);
    program.line(10).item(ORIGIN);
    program.line(9).end_graph();
    assert_eq!(program.ids(), ["CG101"]);
}

#[test]
fn a_capture_after_a_gap_is_not_taken_for_one_before_it() {
    let mut program = Program::new();
    program.line(3).begin_graph(CaptureMode::Global);
    program.line(4).launch(ORIGIN);
    program.line(3).end_graph();
    for on in [false, true] {
        program.push(Record::Watched { on });
    }
    program.line(9).begin_graph(CaptureMode::Global);
    program.line(10).item(ORIGIN);
    program.line(9).end_graph();
    let report = program.diagnose();
    assert_eq!(report.findings.len(), 1);
    let labels = &report.findings[0].labels;
    assert!(
        labels.iter().all(|label| label.location.line >= 9),
        "{labels:?}"
    );
}

#[test]
fn a_contradiction_is_told_with_the_shortest_program() {
    let mut program = contradicted();
    let report = program.diagnose();
    let defects: Vec<&str> = report
        .notes
        .iter()
        .map(|note| note.text.as_str())
        .filter(|text| text.contains("defect of cgsan"))
        .collect();
    insta::assert_snapshot!(defects.join("\n"));
}

#[test]
fn where_records_were_skipped_the_reader_is_blamed_and_not_the_model() {
    let mut bytes = contradicted().bytes();
    // Time, thread, and a tag that no version has given out.
    let payload = [7, 42, 0x7f];
    bytes.extend_from_slice(&3_u32.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    let committed = (bytes.len() - format::HEADER_LENGTH) as u64;
    let place = format::COMMITTED_OFFSET..format::COMMITTED_OFFSET + 8;
    bytes[place].copy_from_slice(&committed.to_le_bytes());

    let report = diagnose(&Trace::parse(&bytes).expect("a trace"));
    let noted = |text: &str| report.notes.iter().any(|note| note.text.contains(text));
    assert!(noted("records skipped because a newer cgsan wrote them: 1"));
    assert!(!noted("defect of cgsan"));
}

#[test]
fn a_kept_program_is_shown_again() {
    let mut program = contradicted();
    let mut trace = program.trace();
    let found = contradiction(&trace).expect("the model contradicts the recording");
    assert_eq!(found.len(), 4);
    trace.kept_mut().contradiction = found;
    let mut bytes = program.bytes();
    format::append(&mut bytes, &trace.kept().entries()).expect("a trace");
    let kept = Trace::parse(&bytes).expect("a trace");
    assert!(kept.complete());
    assert_eq!(kept.kept(), trace.kept());
    assert_eq!(describe(&diagnose(&kept)), describe(&program.diagnose()));
}

#[test]
fn a_kept_program_that_is_none_is_ignored() {
    let mut program = contradicted();
    let mut trace = program.trace();
    for nonsense in [vec![usize::MAX], vec![0, 5, 3]] {
        trace.kept_mut().contradiction = nonsense;
        assert_eq!(describe(&diagnose(&trace)), describe(&program.diagnose()));
    }
}

#[test]
fn a_recording_that_the_model_agrees_with_has_none() {
    let mut program = Program::capturing(&["train.py:5 <module>"], |it| {
        it.launch(ORIGIN);
    });
    assert_eq!(contradiction(&program.trace()), None);
}
