//! Which operators were not computed, where a program asked for values, and which failed on the device.

use cgsan_finding::Note;
use cgsan_trace::AgentEvent;

use crate::history::{History, stack};

/// A note for each such operator.
pub(super) fn notes(history: &History<'_>) -> Vec<Note> {
    let events = history.trace.agent_events();
    events
        .filter_map(|(_, event)| match event {
            AgentEvent::NotComputed {
                operator,
                reason,
                stack,
                stays,
            } => {
                let results = if stays == &Some(true) {
                    "what it writes stays as it was"
                } else {
                    "its results are not-a-number, or the least integer"
                };
                let text = format!("{operator} is not computed: {results} ({reason})");
                Some(Note::new(text, stack::user_location(stack)))
            }
            AgentEvent::DeviceFailed {
                operator,
                reason,
                stack,
                code,
            } => {
                let (failed, result) = match code {
                    Some(700) => (
                        format!("{operator} accesses memory that is not there"),
                        "700 (an illegal memory access)",
                    ),
                    _ => (
                        format!("the kernel of {operator} failed an assertion"),
                        "710 (device-side assert triggered)",
                    ),
                };
                let text = format!(
                    "{failed} ({reason}): as on a GPU, no call can use the device any more once one has returned {result}"
                );
                Some(Note::new(text, stack::user_location(stack)))
            }
            _ => None,
        })
        .collect()
}
