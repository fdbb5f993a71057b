//! What `torch.compile` said of captures that it did not make, or made again.

use cgsan_finding::{Location, Note};
use cgsan_trace::{AgentEvent, StackFrame};

use crate::history::{History, stack};

/// So many are shown one by one.
const SHOWN: usize = 5;

/// Captures of one line that are made again for one reason, from which on they are no part of getting ready.
const MANY: usize = 3;

/// Why a function is captured again: how PyTorch begins to say it (`CheckInvariantStatus`, PyTorch 2.6 to 2.15), and what that means.
const REASONS: [(&str, &str); 3] = [
    (
        "static input data pointer changed",
        "an input that has its memory for good, such as a parameter, lies elsewhere than when it was captured",
    ),
    (
        "cudagraph managed tensor data pointer changed",
        "an input that is the output of an earlier graph lies elsewhere than when it was captured",
    ),
    (
        "expected dead indices before graph are live",
        "outputs of earlier graphs are alive that were not when it was captured",
    ),
];

/// A note for each different thing that it said of a line of the program.
pub(super) fn notes(history: &History<'_>) -> Vec<Note> {
    of_events(history.trace.agent_events().map(|(_, event)| event))
}

/// The same of events, wherever they come from; those of other kinds are passed over.
pub(crate) fn of_events<'a>(events: impl Iterator<Item = &'a AgentEvent>) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let mut again: Vec<(Option<Location>, &str, usize)> = Vec::new();
    for event in events {
        match event {
            AgentEvent::Compiled {
                skipped,
                message,
                stack,
            } => {
                let note = Note::new(text(*skipped, message), location(message, stack));
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            AgentEvent::RecordedAgain { reason, stack } => {
                let (location, reason) = (location(reason, stack), meaning(reason));
                let known = again
                    .iter_mut()
                    .find(|(at, why, _)| (at, *why) == (&location, reason));
                match known {
                    Some((_, _, times)) => *times += 1,
                    None => again.push((location, reason, 1)),
                }
            }
            _ => {}
        }
    }
    let again = again.into_iter().filter(|(_, _, times)| *times >= MANY);
    notes.extend(again.map(|(location, reason, times)| {
        let text = format!(
            "torch.compile captured this {times} more times, each a graph of its own that takes longer than many replays: {reason}"
        );
        Note::new(text, location)
    }));
    let more = notes.len().saturating_sub(SHOWN);
    notes.truncate(SHOWN);
    if more > 0 {
        let text = format!("torch.compile reported {more} more such captures");
        notes.push(Note::new(text, None));
    }
    notes
}

fn text(skipped: bool, message: &str) -> String {
    if skipped {
        let reason = message.strip_prefix("skipping cudagraphs due to ");
        let reason = reason.unwrap_or(message).lines().next().unwrap_or_default();
        let reason = reason
            .split_once(" Found from")
            .map_or(reason, |(it, _)| it);
        let reason = reason.trim_end_matches(['.', ' ']);
        return format!(
            "torch.compile captures no graph here, so the compiled function runs without one: {reason}"
        );
    }
    // The advice that follows is in PyTorch's own warning.
    let sentences: Vec<&str> = message.split_inclusive(". ").take(3).collect();
    let said = sentences.concat();
    format!("torch.compile warns: {}", said.trim_end_matches(['.', ' ']))
}

/// What PyTorch's reason for capturing again means; its first line if that is not known.
fn meaning(reason: &str) -> &str {
    let known = REASONS.iter().find(|(begin, _)| reason.starts_with(begin));
    known.map_or_else(
        || {
            reason
                .lines()
                .next()
                .unwrap_or_default()
                .trim_end_matches('.')
        },
        |(_, meaning)| meaning,
    )
}

/// The line that PyTorch names, which is the innermost of the stack traces in its message, or else the one that called the
/// compiled function.
fn location(message: &str, stack: &[StackFrame]) -> Option<Location> {
    let named = message.lines().rev().find_map(named_line);
    named.or_else(|| stack::user_location(stack))
}

/// The place in a line of a Python stack trace: `File "train.py", line 7, in step`.
fn named_line(text: &str) -> Option<Location> {
    let text = text.split_once("stack trace: ").map_or(text, |(_, it)| it);
    let rest = text.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some(Location {
        file: file.into(),
        line: line.trim_end().parse().ok()?,
        span: None,
        cell: None,
        function: function.trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUTATED: &str = "skipping cudagraphs due to mutated inputs (1 instances). Found from : \n   \
        File \"/work/step.py\", line 3, in step\n    state.add_(1)\n";

    #[test]
    fn a_skipped_capture_has_pytorchs_reason_and_the_line_that_it_names() {
        assert_eq!(
            text(true, MUTATED),
            "torch.compile captures no graph here, so the compiled function runs without one: mutated inputs (1 instances)"
        );
        let place = location(MUTATED, &[]).expect("a line is named");
        assert_eq!(
            (place.file_name().as_str(), place.line),
            ("/work/step.py", 3)
        );
        assert_eq!(place.function, "step");
    }

    #[test]
    fn without_a_named_line_it_is_the_one_that_called() {
        let frame = |file: &str| StackFrame {
            file: file.to_owned(),
            function: "f".to_owned(),
            line: 5,
        };
        let stack = [
            frame("/v/lib/python3.11/site-packages/torch/_inductor/cudagraph_utils.py"),
            frame("train.py"),
        ];
        let place = location("skipping cudagraphs due to bisector", &stack);
        assert_eq!(place.expect("a line").file_name(), "train.py");
    }

    #[test]
    fn captures_made_again_are_counted_by_reason_and_line() {
        let again = |address: u64| AgentEvent::RecordedAgain {
            reason: format!(
                "static input data pointer changed.\ninput name: primals_2. data pointer changed from 512 to {address}. \
                 input stack trace:   File \"model.py\", line 4, in forward\n    return x * self.weight\n"
            ),
            stack: vec![],
        };
        let events: Vec<AgentEvent> = (0..3).map(again).collect();
        assert_eq!(of_events(events[..2].iter()), []);
        let notes = of_events(events.iter());
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].text.contains("captured this 3 more times"));
        assert!(notes[0].text.ends_with("than when it was captured"));
        assert_eq!(notes[0].location.as_ref().map(|it| it.line), Some(4));
    }

    #[test]
    fn a_warning_is_passed_on_without_its_advice() {
        let warning = "CUDAGraph supports dynamic shapes. Too many add overhead. We have observed 9 distinct sizes. \
            Please consider the following options.";
        assert_eq!(
            text(false, warning),
            "torch.compile warns: CUDAGraph supports dynamic shapes. Too many add overhead. We have observed 9 distinct sizes"
        );
    }
}
