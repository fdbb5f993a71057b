//! What `torch.compile` said of captures that it did not make, or made again.

use cgsan_finding::{Location, Note};
use cgsan_trace::{AgentEvent, StackFrame};

use crate::history::{History, stack};

/// So many are shown one by one.
const SHOWN: usize = 5;

/// A note for each different thing that it said of a line of the program.
pub(super) fn notes(history: &History<'_>) -> Vec<Note> {
    of_events(history.trace.agent_events().map(|(_, event)| event))
}

/// The same of events, wherever they come from; those of other kinds are passed over.
pub(super) fn of_events<'a>(events: impl Iterator<Item = &'a AgentEvent>) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for event in events {
        let AgentEvent::Compiled {
            skipped,
            message,
            stack,
        } = event
        else {
            continue;
        };
        let note = Note::new(text(*skipped, message), location(message, stack));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let more = notes.len().saturating_sub(SHOWN);
    notes.truncate(SHOWN);
    if more > 0 {
        let text = format!("torch.compile spoke of {more} more captures in this way");
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

/// The line that PyTorch names, which is the innermost of the stack traces in its message, or else the one that called the
/// compiled function.
fn location(message: &str, stack: &[StackFrame]) -> Option<Location> {
    let named = message.lines().rev().find_map(named_line);
    named.or_else(|| stack::user_location(stack))
}

/// The place in a line of a Python stack trace: `File "train.py", line 7, in step`.
fn named_line(text: &str) -> Option<Location> {
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
    fn a_warning_is_passed_on_without_its_advice() {
        let warning = "CUDAGraph supports dynamic shapes. Too many add overhead. We have observed 9 distinct sizes. \
            Please consider the following options.";
        assert_eq!(
            text(false, warning),
            "torch.compile warns: CUDAGraph supports dynamic shapes. Too many add overhead. We have observed 9 distinct sizes"
        );
    }
}
