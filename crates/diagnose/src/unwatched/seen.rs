//! What the agent saw while calls were not watched: captures and exceptions.

use std::fmt::Write as _;

use cgsan_finding::{CaptureInfo, Consequence, Location, ThreadInfo};
use cgsan_model::ThreadId;
use cgsan_trace::{AgentEvent, Record, StackFrame, Trace};

use crate::history::stack;

/// An exception that the agent reported, once.
pub(super) struct Thrown<'t> {
    pub(super) position: usize,
    pub(super) thread: ThreadId,
    pub(super) type_name: &'t str,
    pub(super) message: &'t str,
    /// Innermost frame first.
    pub(super) stack: Vec<StackFrame>,
}

impl<'t> Thrown<'t> {
    pub(super) fn all_from(trace: &'t Trace, from: usize) -> Vec<Thrown<'t>> {
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
    pub(super) fn text(&self) -> String {
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

    pub(super) fn location(&self) -> Option<Location> {
        stack::user_location(&self.stack)
    }

    pub(super) fn consequence(&self) -> Consequence {
        let headline = self.message.lines().next().unwrap_or_default();
        Consequence {
            id: None,
            text: format!("{}: {headline}", self.type_name),
            location: self.location(),
        }
    }
}

/// A capture that the agent saw begin.
pub(super) struct Capture<'t> {
    pub(super) position: usize,
    pub(super) began_by: ThreadId,
    /// The thread, as the driver's log names it.
    pub(super) thread: u64,
    pub(super) mode: Option<&'t str>,
    pub(super) location: Option<Location>,
}

impl<'t> Capture<'t> {
    pub(super) fn last_between(trace: &'t Trace, from: usize, to: usize) -> Option<Capture<'t>> {
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
                location: stack::user_location(
                    &stack.map(|id| trace.stack(id)).unwrap_or_default(),
                ),
            })
        });
        captures.next_back()
    }

    pub(super) fn info(&self, trace: &Trace) -> CaptureInfo {
        CaptureInfo {
            file: self.location.as_ref().map(Location::file_name),
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

pub(super) fn thread(trace: &Trace, thread: ThreadId, position: usize) -> ThreadInfo {
    ThreadInfo {
        id: thread.0,
        name: trace.thread_name_at(thread, position).map(str::to_owned),
    }
}
