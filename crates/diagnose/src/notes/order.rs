//! Replays and eager operators on other streams that may run at the same time, though one writes what the other reads.

use cgsan_finding::{Location, Note};

use crate::activity::{Activity, Race, Unordered};
use crate::history::{History, stack};

/// A note for each such piece of memory of a graph.
pub(crate) fn notes(history: &History<'_>, activity: &Activity<'_>) -> Vec<Note> {
    let unordered = activity.unordered.iter();
    unordered.map(|it| note(history, activity, it)).collect()
}

fn note(history: &History<'_>, activity: &Activity<'_>, unordered: &Unordered) -> Note {
    let location = |operation: usize| {
        let stack = activity.operations[operation].stack;
        stack::user_location(&history.trace.stack(stack?))
    };
    let named = |operation: usize| {
        let name = activity.operations[operation].called();
        format!("`{name}`{}", in_brackets(location(operation).as_ref()))
    };
    let replayed = history.location_at(activity.replays[unordered.replay].position);
    let at = in_brackets(replayed.as_ref());
    let (writer, reader) = (named(unordered.writer), named(unordered.reader));
    let (text, place) = match unordered.race {
        Race::InputNotWritten => (
            format!(
                "nothing orders this replay after {writer}, on another stream, which writes what {reader} reads in the graph: it \
                 may read the old data"
            ),
            replayed,
        ),
        Race::InputOverwritten => (
            format!(
                "nothing orders {writer} after the replay before it{at}, on another stream, in which {reader} reads what it writes: \
                 that may read the new data"
            ),
            location(unordered.writer),
        ),
        Race::ResultNotWritten => (
            format!(
                "nothing orders {reader} after the replay before it{at}, on another stream, in which {writer} writes what it reads: \
                 it may read the old data"
            ),
            location(unordered.reader),
        ),
    };
    Note::new(
        format!("{text}; have its stream wait, `stream.wait_stream(other)`"),
        place,
    )
}

/// A place behind what stands there.
fn in_brackets(place: Option<&Location>) -> String {
    place.map_or_else(String::new, |place| {
        format!(" ({}:{})", place.file.display(), place.line)
    })
}
