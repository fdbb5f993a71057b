//! Which operators were not computed, where a program asked for values.

use cgsan_trace::AgentEvent;

use crate::Note;
use crate::history::{History, stack};

/// A note for each operator.
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
            _ => None,
        })
        .collect()
}
