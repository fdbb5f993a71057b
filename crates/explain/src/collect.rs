//! Puts incidents together from lines that come one by one, each writer's lines for themselves.

use std::collections::BTreeMap;

use crate::anchors::Anchors;
use crate::driver_log::{self, Record};
use crate::incident::{Block, Incident};
use crate::line::{self, Writer};

/// Lines that an exception's message may go on for: PyTorch's hints, and the gap before a chained traceback.
const LONGEST_MESSAGE: u32 = 24;

/// Lines that belong to the line of a log: the warning's source line, the remark after it.
const AFTER_A_LINE: u32 = 2;

/// Writers that are followed at once.
const MOST_WRITERS: usize = 1024;

/// Refused calls of a driver's log that are kept.
const MOST_REFUSALS: usize = 64;

/// The incidents that are being put together.
#[derive(Default)]
pub struct Collector {
    open: BTreeMap<Writer, Open>,
    driver_log: DriverLog,
}

/// An incident that is not over.
struct Open {
    incident: Incident,
    phase: Phase,
}

/// What is expected next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Frames of a traceback, then its exception.
    Frames,
    /// Frames of a stack that no exception ends.
    Stack,
    /// Lines of a message, at most so many more.
    Message(u32),
    /// Another traceback, which the one before it led to.
    Chained,
    /// The traceback that is the reason of the one before it.
    Reason,
}

/// The refused calls of a driver's log: all of them are one incident.
#[derive(Default)]
struct DriverLog {
    line: u64,
    said: Vec<String>,
    refusals: Vec<(i32, Block)>,
}

impl Collector {
    /// Whether an incident is open, so that every line counts.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The number of the first line of the open incident, if it is the only one.
    pub fn alone(&self) -> Option<u64> {
        let mut open = self.open.values();
        let first = open.next()?.incident.line;
        open.next().is_none().then_some(first)
    }

    /// Drops every open incident.
    pub fn forget(&mut self) {
        self.open.clear();
    }

    /// Takes the next line, and hands out the incidents that it ends.
    pub fn take(&mut self, number: u64, raw: &str, anchors: &Anchors, ended: &mut Vec<Incident>) {
        if let Some(record) = driver_log::parse(raw) {
            self.driver_log.take(number, record);
            return;
        }
        let line = line::parse(raw);
        let text = line.text.as_ref();
        if let Some(pieces) = unescaped(text) {
            for piece in pieces {
                self.take_text(number, line.writer, &piece, anchors, ended);
            }
        } else {
            self.take_text(number, line.writer, text, anchors, ended);
        }
    }

    /// Ends every incident. The driver's log, of which there is one, is the last.
    pub fn finish(&mut self, ended: &mut Vec<Incident>) -> Option<Incident> {
        ended.extend(
            std::mem::take(&mut self.open)
                .into_values()
                .map(|open| open.incident),
        );
        ended.sort_by_key(|incident| incident.line);
        std::mem::take(&mut self.driver_log).incident()
    }

    fn take_text(
        &mut self,
        number: u64,
        writer: Writer,
        text: &str,
        anchors: &Anchors,
        ended: &mut Vec<Incident>,
    ) {
        let text = grouped(text);
        if let Some(open) = self.open.get_mut(&writer) {
            if open.take(text) {
                return;
            }
            ended.extend(self.open.remove(&writer).map(|open| open.incident));
        }
        if self.open.len() < MOST_WRITERS && anchors.are_in(text) {
            self.open.insert(writer, Open::begin(number, writer, text));
        }
    }
}

impl Open {
    /// The incident that a line begins.
    fn begin(number: u64, writer: Writer, text: &str) -> Open {
        let mut incident = Incident::new(writer, number);
        let phase = if let Some(at) = text.find(TRACEBACK) {
            if !text[..at].trim().is_empty() {
                incident.error(text[..at].trim());
            }
            Phase::Frames
        } else if is_stack(text) {
            incident.error(text);
            Phase::Stack
        } else {
            incident.error(text);
            Phase::Message(if goes_on(text) {
                LONGEST_MESSAGE
            } else {
                AFTER_A_LINE
            })
        };
        Open { incident, phase }
    }

    /// Takes a line that belongs to the incident; `false` if it does not.
    fn take(&mut self, text: &str) -> bool {
        if text.contains(TRACEBACK) {
            return self.take_traceback(text);
        }
        if is_link(text) {
            self.phase = Phase::Chained;
            return true;
        }
        if text.contains("terminated with the following error") {
            self.phase = Phase::Reason;
            return true;
        }
        match self.phase {
            Phase::Frames => self.take_frame(text),
            Phase::Stack => self.take_stack(text),
            Phase::Message(left) => self.take_message(text, left),
            Phase::Chained | Phase::Reason => text.trim().is_empty(),
        }
    }

    fn take_traceback(&mut self, text: &str) -> bool {
        if text.contains("Original Traceback") {
            self.phase = Phase::Frames;
            return true;
        }
        match self.phase {
            Phase::Chained => self.incident.blocks.push(Block::default()),
            Phase::Reason => self.incident.blocks = vec![Block::default()],
            // A log that names the exception before its traceback, as `logger.exception` and threads do.
            Phase::Message(_) if !self.incident.has_code() => {}
            _ => return false,
        }
        self.phase = Phase::Frames;
        true
    }

    fn take_frame(&mut self, text: &str) -> bool {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return true;
        }
        if text.starts_with([' ', '\t']) {
            if trimmed.starts_with("File \"") {
                self.incident.frame(trimmed);
            } else if !is_marker(trimmed) {
                self.incident.code(text);
            }
            return true;
        }
        if is_record(text) {
            return false;
        }
        self.incident.error(text);
        self.phase = Phase::Message(LONGEST_MESSAGE);
        true
    }

    fn take_stack(&mut self, text: &str) -> bool {
        let trimmed = text.trim();
        if trimmed.starts_with("File \"") {
            self.incident.frame(trimmed);
            return true;
        }
        trimmed.is_empty() || is_stack(text)
    }

    fn take_message(&mut self, text: &str, left: u32) -> bool {
        if is_frame_of_code(text) {
            self.incident.call(text.trim());
            return true;
        }
        if is_stack(text) && !text.starts_with("Exception raised from") {
            self.incident.error(text);
            self.phase = Phase::Stack;
            return true;
        }
        if is_record(text) || left == 0 || self.incident.has_code() && is_of_thread(text) {
            return false;
        }
        if !text.trim().is_empty() {
            if text.starts_with("  ") && !goes_on(text) {
                self.incident.code(text);
            } else {
                self.incident.error(text);
            }
        }
        self.phase = Phase::Message(if goes_on(text) {
            LONGEST_MESSAGE
        } else {
            left - 1
        });
        true
    }
}

impl DriverLog {
    fn take(&mut self, number: u64, record: Record<'_>) {
        match record {
            Record::Said { function, text } => {
                if self.said.len() < 8 {
                    self.said.extend(function.map(str::to_owned));
                    self.said.push(text.to_owned());
                }
            }
            Record::Returned(refusal) => {
                let said = std::mem::take(&mut self.said);
                if refusal.is_harmless() || self.refusals.len() >= MOST_REFUSALS {
                    return;
                }
                if self.refusals.is_empty() {
                    self.line = number;
                }
                let mut errors = said;
                errors.push(format!(
                    "Returning {} ({}) from {}",
                    refusal.code, refusal.name, refusal.function
                ));
                let block = Block {
                    errors,
                    calls: vec![refusal.function.to_owned()],
                    code: Vec::new(),
                };
                self.refusals.push((refusal.code, block));
            }
        }
    }

    /// The first call that was refused on account of a capture is the cause; without one, the first that failed.
    fn incident(mut self) -> Option<Incident> {
        if self.refusals.is_empty() {
            if self.said.is_empty() {
                return None;
            }
            // A log without results: what the driver said is all there is.
            let block = Block {
                calls: self.said.clone(),
                errors: self.said,
                code: Vec::new(),
            };
            self.refusals.push((0, block));
        }
        let cause = self
            .refusals
            .iter()
            .position(|(code, _)| (900..=910).contains(code))
            .unwrap_or(0);
        let blocks = self.refusals.drain(cause..).map(|(_, block)| block);
        Some(Incident {
            blocks: blocks.collect(),
            line: self.line,
            ..Incident::default()
        })
    }
}

const TRACEBACK: &str = "Traceback (most recent call last)";

fn is_link(text: &str) -> bool {
    text.contains("During handling of the above exception")
        || text.contains("direct cause of the following exception")
}

/// Whether a stack without an exception follows, as `faulthandler` prints it.
fn is_stack(text: &str) -> bool {
    text.contains("(most recent call first)")
}

/// A line under a source line that marks a part of it.
fn is_marker(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '^' | '~' | ' '))
}

/// A frame of a C++ exception, or of a native stack.
fn is_frame_of_code(text: &str) -> bool {
    text.trim_start().starts_with("frame #")
}

/// Whether the traceback of another thread follows.
fn is_of_thread(text: &str) -> bool {
    text.starts_with("Exception in thread ")
}

/// Whether the message goes on after this line.
fn goes_on(text: &str) -> bool {
    const BEGINNINGS: [&str; 7] = [
        "CUDA error",
        "what():",
        "Exception raised from",
        "terminate called",
        "Exception in thread",
        "Timeout (",
        "Fatal Python error",
    ];
    BEGINNINGS.iter().any(|beginning| text.contains(beginning))
}

/// Whether a line is a record of a log, and so no part of the message before it: `W1121 00:07:28.293`, `[E1121 …`,
/// `2026-11-21 05:06:16`, `INFO`.
pub fn is_record(text: &str) -> bool {
    let text = text.strip_prefix('[').unwrap_or(text);
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| {
        bytes.len() >= to && bytes[from..to].iter().all(u8::is_ascii_digit)
    };
    let glog = matches!(bytes.first(), Some(b'I' | b'W' | b'E' | b'F')) && digits(1, 5);
    let dated = digits(0, 4) && bytes.get(4) == Some(&b'-') && digits(5, 7);
    let level = ["INFO", "WARNING", "DEBUG"];
    glog || dated || level.iter().any(|level| text.starts_with(level))
}

/// The line of an exception group without its margin.
fn grouped(text: &str) -> &str {
    text.trim_start().strip_prefix("| ").unwrap_or(text)
}

/// The lines of a traceback that was written as one, with its line breaks escaped, as logs in JSON have it.
fn unescaped(text: &str) -> Option<Vec<String>> {
    let at = text.find(TRACEBACK)?;
    let tail = &text[at + TRACEBACK.len()..];
    if !tail.contains("\\n") {
        return None;
    }
    let lines = text.split("\\n");
    Some(lines.map(|line| line.replace("\\\"", "\"")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The incidents of a text, in the order of their first lines.
    fn incidents(text: &str) -> Vec<Incident> {
        let anchors = Anchors::new();
        let mut collector = Collector::default();
        let mut ended = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            collector.take(number, line, &anchors, &mut ended);
        }
        let log = collector.finish(&mut ended);
        ended.extend(log);
        ended
    }

    fn errors(incident: &Incident) -> Vec<&[String]> {
        incident
            .blocks
            .iter()
            .map(|block| &block.errors[..])
            .collect()
    }

    #[test]
    fn chained_exceptions_are_blocks_of_one_incident() {
        let text = "\
Traceback (most recent call last):
  File \"a.py\", line 2, in <module>
    f()
    ^^^
ValueError: first

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"a.py\", line 4, in <module>
    g()
RuntimeError: second
";
        let incidents = incidents(text);
        assert_eq!(incidents.len(), 1);
        assert_eq!(
            errors(&incidents[0]),
            [["ValueError: first"], ["RuntimeError: second"]]
        );
        assert_eq!(
            incidents[0].blocks[0].code,
            ["File \"a.py\", line 2, in <module>", "    f()"]
        );
        assert_eq!(incidents[0].script.as_deref(), Some("a.py"));
    }

    #[test]
    fn ranks_are_told_apart_line_by_line() {
        let text = "\
[rank1]: Traceback (most recent call last):
[rank0]: Traceback (most recent call last):
[rank1]:   File \"a.py\", line 1, in f
[rank0]:   File \"a.py\", line 2, in g
[rank0]: KeyError: zero
[rank1]: ValueError: one
";
        let incidents = incidents(text);
        let writers: Vec<Writer> = incidents.iter().map(|incident| incident.writer).collect();
        assert_eq!(writers, [Writer::Rank(1), Writer::Rank(0)]);
        assert_eq!(errors(&incidents[0]), [["ValueError: one"]]);
        assert_eq!(errors(&incidents[1]), [["KeyError: zero"]]);
    }

    #[test]
    fn the_reason_that_a_spawned_process_gives_is_the_cause() {
        let text = "\
Traceback (most recent call last):
  File \"a.py\", line 9, in <module>
    spawn(f)
ProcessRaisedException:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File \"a.py\", line 3, in f
    x.item()
RuntimeError: inner
";
        let incidents = incidents(text);
        assert_eq!(incidents.len(), 1);
        assert_eq!(errors(&incidents[0]), [["RuntimeError: inner"]]);
    }

    #[test]
    fn the_exception_of_a_thread_is_an_incident_of_its_own() {
        let text = "\
Traceback (most recent call last):
  File \"a.py\", line 2, in <module>
    f()
ValueError: main
Exception in thread Thread-3 (evict):
Traceback (most recent call last):
  File \"a.py\", line 4, in evict
    g()
RuntimeError: thread
";
        let incidents = incidents(text);
        let first: Vec<&String> = incidents
            .iter()
            .map(|incident| &incident.blocks[0].errors[0])
            .collect();
        assert_eq!(
            first,
            ["ValueError: main", "Exception in thread Thread-3 (evict):"]
        );
    }

    #[test]
    fn a_stack_without_an_exception_is_an_incident() {
        let text = "\
Timeout (0:00:25)!
Thread 0x00007f25505c7140 (most recent call first):
  File \"a.py\", line 9 in <module>
E1121 00:08:09.534000 667 api.py:986] failed
";
        let incidents = incidents(text);
        assert_eq!(incidents.len(), 1);
        assert_eq!(
            incidents[0].blocks[0].code,
            ["File \"a.py\", line 9 in <module>"]
        );
    }

    #[test]
    fn a_drivers_log_begins_with_the_call_that_a_capture_refused() {
        let text = "\
[1.0][2][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2
[1.1][2][CUDA][E] Capture sequence contains a fork
[1.1][2][CUDA][E] Returning 904 (CUDA_ERROR_STREAM_CAPTURE_UNJOINED) from cuStreamEndCapture
";
        let incidents = incidents(text);
        assert_eq!(incidents[0].blocks.len(), 1);
        assert_eq!(incidents[0].blocks[0].calls, ["cuStreamEndCapture"]);
        assert_eq!(
            incidents[0].blocks[0].errors[0],
            "Capture sequence contains a fork"
        );
    }
}
