//! Processes whose calls to CUDA could not be watched: what the driver's own log and the agent tell together.
//!
//! The agent knows where a capture began, and the exception with its Python stack; the log has the first call that was
//! refused, and its thread. Both as one text are what `cgsan explain` is good at.

use std::fmt::Write as _;
use std::path::Path;

use cgsan_diagnose::{
    CallInfo, CaptureInfo, Confidence, Consequence, Finding, Label, LabelRole, Location, Process,
    Report, ThreadInfo, user_location,
};
use cgsan_model::ThreadId;
use cgsan_trace::{AgentEvent, Record, StackFrame, Trace};

use crate::driver_log::{self, Logged};
use crate::recording::Recording;

/// How strongly the text must speak for a failure mode, of 100.
const STRONG: u8 = 60;

/// How many of the catalogue's fixes are shown.
const HELP: usize = 2;

/// What a finding says of its origin.
const FROM_BOTH: &str = "calls to CUDA were not watched: this was put together from the exception and the driver's own log, and \
                         is not known from the calls themselves. Which streams were in the capture, and what was done before \
                         it, is not known";
const FROM_THE_EXCEPTION: &str = "calls to CUDA were not watched: this was put together from the exception alone, and is not \
                                  known from the calls themselves. Which call was refused first, which streams were in the \
                                  capture, and what was done before it, is not known";

/// What went wrong in the processes whose calls were not watched, and of which `report` says nothing yet.
pub fn findings(report: &Report, recordings: &[Recording], run_directory: &Path) -> Vec<Finding> {
    let is_explained = |trace: &Trace| {
        let processes = report.findings.iter().flat_map(|it| &it.processes);
        processes
            .into_iter()
            .any(|process| process.pid == trace.process().pid)
    };
    recordings
        .iter()
        .map(|recording| &recording.trace)
        .filter(|trace| !is_explained(trace))
        .filter_map(|trace| {
            let log = driver_log::read(run_directory, trace.process().pid);
            finding(trace, &log)
        })
        .collect()
}

/// What went wrong first while a process's calls were not watched, as far as its trace and the driver's log tell. `None` if
/// the calls were watched, or nothing went wrong, or it is not clear what.
pub fn finding(trace: &Trace, log: &str) -> Option<Finding> {
    let from = unwatched_from(trace)?;
    let thrown = Thrown::all_from(trace, from);
    let first = thrown.first()?;
    let capture = Capture::last_between(trace, from, first.position);
    let refused = driver_log::refusals(log).find(|logged| logged.refusal.is_of_a_capture());
    let by_another = match (&capture, &refused) {
        (Some(capture), Some(refused)) => refused.thread.is_some_and(|it| it != capture.thread),
        _ => false,
    };
    // What another thread broke surfaces as an exception that says nothing of it.
    let text = if by_another {
        log.to_owned()
    } else {
        format!(
            "{}{log}",
            thrown.iter().map(Thrown::text).collect::<String>()
        )
    };
    let explanation = cgsan_explain::text(&text).ok()?;
    let best = explanation.candidates.first()?;
    let is_of_graphs = capture.is_some() || refused.is_some();
    if best.score < STRONG || !is_of_graphs {
        return None;
    }
    let location = first.location();
    let note = if log.is_empty() {
        FROM_THE_EXCEPTION
    } else {
        FROM_BOTH
    };
    Some(Finding {
        id: best.entry.id,
        title: best.entry.title.english.to_owned(),
        confidence: if refused.is_some() {
            Confidence::Likely
        } else {
            Confidence::Possible
        },
        call: refused.as_ref().map(call),
        thread: (!by_another).then(|| thread(trace, first.thread, first.position)),
        labels: labels(by_another, location.clone(), capture.as_ref()),
        capture: capture.map(|capture| capture.info(trace)),
        location,
        notes: vec![note.to_owned()],
        help: best
            .entry
            .fixes
            .iter()
            .take(HELP)
            .map(|fix| fix.title.english.to_owned())
            .collect(),
        consequences: thrown.iter().map(Thrown::consequence).collect(),
        stack: first.stack.iter().map(Location::from).collect(),
        native_stack: Vec::new(),
        of_replays: false,
        count: 1,
        processes: vec![Process::of(trace, 1)],
    })
}

/// Where the last calls that were not watched begin in a trace; `None` if the last ones were watched.
fn unwatched_from(trace: &Trace) -> Option<usize> {
    let last = |is_it: &dyn Fn(&Record) -> bool| {
        let mut entries = trace.entries().iter();
        entries.rposition(|entry| is_it(&entry.record))
    };
    let looked_away = last(&|record| *record == Record::Watched { on: false });
    match last(&|record| matches!(record, Record::Call(call) if !trace.is_aside(call))) {
        None => Some(0),
        Some(call) => looked_away.filter(|position| *position > call),
    }
}

/// An exception that the agent reported, once.
struct Thrown<'t> {
    position: usize,
    thread: ThreadId,
    type_name: &'t str,
    message: &'t str,
    /// Innermost frame first.
    stack: Vec<StackFrame>,
}

impl<'t> Thrown<'t> {
    fn all_from(trace: &'t Trace, from: usize) -> Vec<Thrown<'t>> {
        let mut all: Vec<Thrown<'_>> = Vec::new();
        for (position, event) in trace.agent_events().filter(|(at, _)| *at >= from) {
            let AgentEvent::Exception {
                type_name,
                message,
                traceback,
                ..
            } = event
            else {
                continue;
            };
            let stack: Vec<StackFrame> = traceback.iter().rev().cloned().collect();
            let is_known = |it: &Thrown<'_>| it.type_name == type_name && it.message == message;
            if !all.iter().any(is_known) {
                all.push(Thrown {
                    position,
                    thread: trace.entries()[position].thread,
                    type_name,
                    message,
                    stack,
                });
            }
        }
        all
    }

    /// As the interpreter prints it.
    fn text(&self) -> String {
        let mut text = "Traceback (most recent call last):\n".to_owned();
        for frame in self.stack.iter().rev() {
            let StackFrame {
                file,
                function,
                line,
            } = frame;
            // Writing into a string does not fail.
            let _ = writeln!(text, "  File \"{file}\", line {line}, in {function}");
        }
        let _ = writeln!(text, "{}: {}\n", self.type_name, self.message);
        text
    }

    fn location(&self) -> Option<Location> {
        user_location(&self.stack)
    }

    fn consequence(&self) -> Consequence {
        let headline = self.message.lines().next().unwrap_or_default();
        Consequence {
            id: None,
            text: format!("{}: {headline}", self.type_name),
            location: self.location(),
        }
    }
}

/// A capture that the agent saw begin.
struct Capture<'t> {
    position: usize,
    began_by: ThreadId,
    /// The thread, as the driver's log names it.
    thread: u64,
    mode: Option<&'t str>,
    location: Option<Location>,
}

impl<'t> Capture<'t> {
    fn last_between(trace: &'t Trace, from: usize, to: usize) -> Option<Capture<'t>> {
        let begins = trace
            .agent_events()
            .filter(|(at, _)| (from..to).contains(at));
        let mut captures = begins.filter_map(|(at, event)| {
            let AgentEvent::CaptureBegins { mode, thread } = event else {
                return None;
            };
            let entry = &trace.entries()[at];
            let Record::Agent { stack, .. } = entry.record else {
                return None;
            };
            Some(Capture {
                position: at,
                began_by: entry.thread,
                thread: *thread,
                mode: mode.as_deref(),
                location: user_location(&stack.map(|id| trace.stack(id)).unwrap_or_default()),
            })
        });
        captures.next_back()
    }

    fn info(&self, trace: &Trace) -> CaptureInfo {
        CaptureInfo {
            file: self.location.as_ref().map(|it| it.file.clone()),
            line: self.location.as_ref().map(|it| it.line),
            mode: match self.mode {
                Some("thread_local") => "thread_local",
                Some("relaxed") => "relaxed",
                _ => "global",
            },
            stream: "a stream that was not watched".to_owned(),
            thread: thread(trace, self.began_by, self.position),
        }
    }
}

fn thread(trace: &Trace, thread: ThreadId, position: usize) -> ThreadInfo {
    ThreadInfo {
        id: thread.0,
        name: trace.thread_name_at(thread, position).map(str::to_owned),
    }
}

fn call(logged: &Logged<'_>) -> CallInfo {
    CallInfo {
        function: logged.refusal.function.to_owned(),
        runtime_function: None,
        library_function: None,
        code: logged.refusal.code,
        name: logged.refusal.name.to_owned(),
        reason: logged.refusal.reason.map(str::to_owned),
    }
}

fn labels(
    by_another: bool,
    location: Option<Location>,
    capture: Option<&Capture<'_>>,
) -> Vec<Label> {
    let at = location.map(|location| Label {
        location,
        text: if by_another {
            "the exception came here; another thread made the refused call"
        } else {
            "the exception came here"
        }
        .to_owned(),
        role: LabelRole::Primary,
    });
    let began = capture.and_then(|capture| {
        Some(Label {
            location: capture.location.clone()?,
            text: "the capture began here".to_owned(),
            role: LabelRole::Secondary,
        })
    });
    at.into_iter().chain(began).collect()
}

#[cfg(test)]
mod tests {
    use cgsan_model::{Call, Code};
    use cgsan_trace::{CallRecord, Entry, ProcessInfo, StringId, format};
    use serde_json::{Value, json};

    use super::*;
    use crate::driver_log::refusals;

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
        let recorded = include_str!("../../../tests/truth/h100_torch2.11_cu130.jsonl");
        let expected = include_str!("../../../tests/truth/expected.toml");
        let expected: toml::Table = expected.parse().expect("TOML");
        let mut right = 0;
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
            let ended = refusals(log).find(|it| it.refusal.function == "cuStreamEndCapture");
            let own = ended.and_then(|it| it.thread).unwrap_or(OWN);
            match finding(&trace_of(exceptions, own), log) {
                Some(finding) if finding.id == id => right += 1,
                Some(finding) => wrong.push(format!("{case}: {}", finding.id)),
                None => {}
            }
        }
        assert!(right >= 24, "{right}");
        // Which of two kinds of nodes is on the wrong stream, and what waited, neither the exception nor the log tells.
        assert_eq!(wrong, ["c15_ddp: CG108", "c32_nested_capture: CG101"]);
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
        let location = finding.location.expect("a line");
        assert_eq!((location.file.as_str(), location.line), ("train.py", 6));
        let call = finding.call.expect("a call");
        assert_eq!(
            (call.function.as_str(), call.code),
            ("cuStreamSynchronize", 900)
        );
        assert_eq!(finding.thread.map(|it| it.id), Some(7));
        assert_eq!(finding.capture.map(|it| it.mode), Some("global"));
        assert_eq!(finding.consequences.len(), 2);
        assert!(finding.notes[0].contains("not watched"));
    }

    #[test]
    fn what_another_thread_broke_is_found_in_the_log() {
        let trace = trace(&[BROKEN]);
        let finding = finding(&trace, &log(1, "cuMemHostAlloc")).expect("one");
        assert_eq!(finding.id, "CG112");
        assert_eq!(finding.thread, None);
    }

    #[test]
    fn without_a_log_the_exception_is_no_more_than_possible() {
        let message = "Offset increment outside graph capture encountered unexpectedly.";
        let finding = finding(&trace(&[message]), "").expect("one");
        assert_eq!(finding.confidence, Confidence::Possible);
        assert_eq!(finding.call, None);
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
}
