//! What a run with `--verify` compared.

use cgsan_finding::Note;
use cgsan_finding::{Location, NoteLevel};
use cgsan_trace::{AgentEvent, StackFrame, Verified, VerifiedGraph};

use crate::history::{History, stack};

/// What differs, what could not be judged, and how much was compared.
pub(super) fn notes(history: &History<'_>) -> Vec<Note> {
    let events = history.trace.agent_events();
    events
        .filter_map(|(_, event)| match event {
            AgentEvent::Verification {
                callables,
                others,
                stack,
                graphs,
            } => Some((callables, *others, stack, graphs.as_deref())),
            _ => None,
        })
        .flat_map(|(callables, others, stack, graphs)| {
            let mut notes: Vec<Note> = callables.iter().filter_map(judged).collect();
            let others = not_compared(others, stack);
            let is_about_graphs = others.is_some() || graphs.is_some_and(|it| !it.is_empty());
            if !callables.is_empty() || !is_about_graphs {
                notes.push(compared(callables));
            }
            notes.extend(of_graphs(graphs.unwrap_or_default()));
            notes.extend(others);
            notes
        })
        .collect()
}

/// What a callable's calls leave that eager runs do not, or why that is not known.
fn judged(callable: &Verified) -> Option<Note> {
    let text = callable.message.clone()?;
    let level = if callable.differs {
        NoteLevel::Error
    } else {
        NoteLevel::Note
    };
    Some(Note {
        level,
        ..Note::new(text, stack::user_location(&callable.stack))
    })
}

fn compared(callables: &[Verified]) -> Note {
    let compared = callables.iter().filter(|it| it.calls > 0).count();
    let calls: u64 = callables.iter().map(|it| it.calls).sum();
    Note::new(
        format!(
            "`--verify` compared {compared} of {} graphed callables with eager runs, at {calls} calls",
            callables.len()
        ),
        None,
    )
}

/// How much was compared of other graphs, and why not of others: one note for those of a place of which the same is to be said.
fn of_graphs(graphs: &[VerifiedGraph]) -> Vec<Note> {
    let mut places: Vec<(Option<Location>, Option<&str>, Vec<u64>)> = Vec::new();
    for graph in graphs {
        let location = stack::user_location(&graph.stack);
        let reason = graph.reason.as_deref();
        let known = places
            .iter_mut()
            .find(|it| it.0 == location && it.1 == reason);
        match known {
            Some((_, _, replays)) => replays.push(graph.replays),
            None => places.push((location, reason, vec![graph.replays])),
        }
    }
    let note = |(location, reason, replays): (_, Option<&str>, Vec<u64>)| {
        let (graphs, their) = match replays.len() {
            1 => ("the graph captured here".to_owned(), "its"),
            count => (format!("{count} graphs captured here"), "their"),
        };
        let text = if let Some(reason) = reason {
            format!("`--verify` did not compare {graphs} with eager runs: {reason}")
        } else {
            let count = in_words(replays.iter().sum(), "replay");
            format!(
                "`--verify` compared {graphs} with eager runs of {their} captured code, at {count}"
            )
        };
        Note::new(text, location)
    };
    places.into_iter().map(note).collect()
}

/// That there are captures of which nothing more is known.
fn not_compared(others: u64, stack: &[StackFrame]) -> Option<Note> {
    (others > 0).then(|| {
        Note::new(
            format!("captures that `--verify` did not compare: {others}"),
            stack::user_location(stack),
        )
    })
}

fn in_words(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
