//! Replays that may run before their inputs are written.

use cgsan_finding::Note;

use crate::activity::{Activity, Unordered};
use crate::history::{History, stack};

/// A note for each such input of a graph.
pub(crate) fn notes(history: &History<'_>, activity: &Activity<'_>) -> Vec<Note> {
    let unordered = activity.unordered.iter();
    unordered.map(|it| note(history, activity, it)).collect()
}

fn note(history: &History<'_>, activity: &Activity<'_>, unordered: &Unordered) -> Note {
    let at = |operation: usize| {
        let operation = &activity.operations[operation];
        let stack = operation.stack.map(|frame| history.trace.stack(frame));
        match stack.and_then(|stack| stack::user_location(&stack)) {
            Some(place) => format!(
                "`{}` ({}:{})",
                operation.name,
                place.file.display(),
                place.line
            ),
            None => format!("`{}`", operation.name),
        }
    };
    let text = format!(
        "nothing orders this replay after {}, on another stream, which writes what {} reads in the graph: it may read the old \
         data; have its stream wait, `stream.wait_stream(other)`",
        at(unordered.writer),
        at(unordered.reader)
    );
    let replay = &activity.replays[unordered.replay];
    Note::new(text, history.location_at(replay.position))
}
