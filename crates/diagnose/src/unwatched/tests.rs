//! What is found where the calls were not watched.

use cgsan_model::{Call, Code, ThreadId};
use cgsan_trace::{CallRecord, Entry, ProcessInfo, StringId, format};
use serde_json::{Value, json};

use super::*;

/// The number that both the agent and the log have for the capturing thread.
const OWN: u64 = 140_537_879_277_888;

/// What the agent leaves of a program that is not watched: a capture that exceptions end.
fn trace(messages: &[&str]) -> Trace {
    let frame = |file: &str, line| json!({"file": file, "function": "f", "line": line});
    let traceback = json!([
        frame("train.py", 6),
        frame("/lib/python3.12/site-packages/torch/_tensor.py", 9)
    ]);
    let exceptions = messages
        .iter()
        .map(|message| exception("torch.AcceleratorError", message, &traceback));
    trace_of(exceptions.collect(), OWN)
}

fn exception(type_name: &str, message: &str, traceback: &Value) -> Value {
    json!({
        "event": "exception", "type_name": type_name, "message": message, "uncaught": false,
        "traceback": traceback,
    })
}

fn trace_of(exceptions: Vec<Value>, thread: u64) -> Trace {
    trace_behind(Vec::new(), exceptions, thread)
}

fn trace_behind(before: Vec<Record>, exceptions: Vec<Value>, thread: u64) -> Trace {
    let begins = json!({"event": "capture_begins", "mode": "global", "thread": thread});
    let events = [vec![begins], exceptions].concat();
    let mut records = vec![Record::Process(ProcessInfo::default())];
    records.extend(before);
    records.extend(events.iter().map(|event| Record::Agent {
        event: serde_json::from_value(event.clone()).expect("an event of the agent"),
        stack: None,
    }));
    let entries: Vec<Entry> = records
        .into_iter()
        .map(|record| Entry {
            time_ns: 0,
            thread: ThreadId(7),
            record,
        })
        .collect();
    Trace::parse(&format::encode_all(&entries)).expect("a trace")
}

fn log(thread: u64, function: &str) -> String {
    format!(
        "[00:35:28.360][{thread}][CUDA][E] API call conflicts with a stream capture sequence initiated from another \
         thread\n\
         [00:35:28.360][{thread}][CUDA][E] Returning 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) from {function}\n\
         [00:35:28.360][{OWN}][CUDA][E] Capture was invalidated by a prior API call\n\
         [00:35:28.360][{OWN}][CUDA][E] Returning 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) from cuStreamEndCapture\n"
    )
}

const BROKEN: &str = "CUDA error: operation failed due to a previous error during capture";
const REFUSED: &str = "CUDA error: operation not permitted when stream is capturing";

#[test]
fn recorded_exceptions_and_logs_lead_to_the_failure_modes_that_were_expected() {
    let recorded = include_str!("../../../../tests/truth/h100_torch2.11_cu130.jsonl");
    let expected = include_str!("../../../../tests/truth/expected.toml");
    let expected: toml::Table = expected.parse().expect("TOML");
    let mut missed = Vec::new();
    let mut wrong = Vec::new();
    for line in recorded.lines() {
        let run: Value = serde_json::from_str(line).expect("JSON");
        let case = run["case"].as_str().unwrap_or_default();
        let id = expected.get(case).and_then(|it| it.get("id")?.as_str());
        let exceptions = printed(run["stderr"].as_str().unwrap_or_default());
        let Some(id) = id.filter(|id| *id != "none" && !exceptions.is_empty()) else {
            continue;
        };
        let log = run["cuda_log"].as_str().unwrap_or_default();
        // In the log the capturing thread is the one that ends the capture.
        let ended = driver_log::refusals(log).find(|it| it.function == "cuStreamEndCapture");
        let own = ended.and_then(|it| it.thread).unwrap_or(OWN);
        match finding(&trace_of(exceptions, own), log) {
            Some(finding) if finding.id == id => {}
            Some(finding) => wrong.push(format!("{case}: {}", finding.id)),
            None => missed.push(case.to_owned()),
        }
    }
    assert_eq!(missed, [""; 0]);
    // Which of two kinds of nodes is on the wrong stream, what waited, and what was freed, neither the exception nor the log
    // tells.
    let told_as = [
        "c15_ddp: CG108",
        "c32_nested_capture: CG101",
        "m04_oom_capture: CG128",
    ];
    assert_eq!(wrong, told_as);
}

/// The exceptions that an interpreter printed.
fn printed(stderr: &str) -> Vec<Value> {
    let tracebacks = stderr.split("Traceback (most recent call last):").skip(1);
    let exceptions = tracebacks.filter_map(|traceback| {
        let is_frame = |line: &&str| line.is_empty() || line.starts_with(' ');
        let frames = traceback.lines().take_while(is_frame).filter_map(frame);
        let frames: Vec<Value> = frames.collect();
        let mut error = traceback.lines().skip_while(is_frame);
        let (type_name, message) = error.next()?.split_once(": ")?;
        let rest = error.take_while(|line| !line.contains("another exception occurred"));
        let message: Vec<&str> = std::iter::once(message).chain(rest).collect();
        Some(exception(type_name, &message.join("\n"), &json!(frames)))
    });
    exceptions.collect()
}

/// A line of a traceback that names a place.
fn frame(line: &str) -> Option<Value> {
    let (file, rest) = line
        .trim()
        .strip_prefix("File \"")?
        .split_once("\", line ")?;
    let (number, function) = rest.split_once(", in ")?;
    let number: u32 = number.parse().ok()?;
    Some(json!({"file": file, "function": function, "line": number}))
}

#[test]
fn the_exception_and_the_log_make_one_finding() {
    let finding =
        finding(&trace(&[REFUSED, BROKEN]), &log(OWN, "cuStreamSynchronize")).expect("one");
    assert_eq!(finding.id, "CG101");
    assert_eq!(finding.confidence, Confidence::Likely);
    let observed = finding.observed().expect("it ran");
    let location = finding.location.as_ref().expect("a line");
    assert_eq!(
        (location.file_name().as_str(), location.line),
        ("train.py", 6)
    );
    let call = observed.call.as_ref().expect("a call");
    assert_eq!(
        (call.function.as_str(), call.code),
        ("cuStreamSynchronize", 900)
    );
    assert_eq!(observed.thread.as_ref().map(|it| it.id), Some(7));
    assert_eq!(observed.capture.as_ref().map(|it| it.mode), Some("global"));
    assert_eq!(observed.consequences.len(), 2);
    assert!(finding.notes[0].contains("not watched"));
}

#[test]
fn what_another_thread_broke_is_found_in_the_log() {
    let trace = trace(&[BROKEN]);
    let finding = finding(&trace, &log(1, "cuMemHostAlloc")).expect("one");
    assert_eq!(finding.id, "CG112");
    assert_eq!(finding.observed().and_then(|it| it.thread.clone()), None);
}

#[test]
fn without_a_log_the_exception_is_no_more_than_possible() {
    let message = "Offset increment outside graph capture encountered unexpectedly.";
    let finding = finding(&trace(&[message]), "").expect("one");
    assert_eq!(finding.confidence, Confidence::Possible);
    assert_eq!(finding.observed().and_then(|it| it.call.clone()), None);
}

#[test]
fn what_fails_once_a_profiler_has_taken_over_is_found() {
    let call = Record::Call(CallRecord {
        function: StringId(0),
        runtime: None,
        library: None,
        call: Call::Unrestricted,
        result: Code::SUCCESS,
        stack: None,
        native: None,
        autograd_sequence: None,
    });
    let name = Record::String {
        id: StringId(0),
        text: "cuCtxGetCurrent".to_owned(),
    };
    let gap = Record::Watched { on: false };
    let behind = |before: &[&Record]| {
        let before = before.iter().map(|record| (*record).clone()).collect();
        let message = "Offset increment outside graph capture encountered unexpectedly.";
        let exceptions = vec![exception("RuntimeError", message, &json!([]))];
        finding(&trace_behind(before, exceptions, OWN), "")
    };
    let found = behind(&[&name, &call, &gap]).expect("one");
    assert_eq!(found.confidence, Confidence::Possible);
    assert!(behind(&[&name, &call]).is_none());
    let again = Record::Watched { on: true };
    assert!(behind(&[&name, &call, &gap, &again, &call]).is_none());
}

#[test]
fn an_exception_of_the_program_is_no_finding() {
    assert!(finding(&trace(&["the learning rate must be positive"]), "").is_none());
}
