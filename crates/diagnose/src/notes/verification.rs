//! What a run with `--verify` compared.

use cgsan_finding::NoteLevel;
use cgsan_trace::{AgentEvent, StackFrame, Verified};

use crate::Note;
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
            } => Some((callables, *others, stack)),
            _ => None,
        })
        .flat_map(|(callables, others, stack)| {
            let mut notes: Vec<Note> = callables.iter().filter_map(judged).collect();
            notes.push(compared(callables));
            notes.extend(not_compared(others, stack));
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

/// That there are graphs whose code cannot be run again.
fn not_compared(others: u64, stack: &[StackFrame]) -> Option<Note> {
    (others > 0).then(|| {
        Note::new(
            format!(
                "captures that `--verify` does not compare: {others}; the body of a `with torch.cuda.graph(…)` block \
                 cannot be run again, but a function can: `cgsan.verify(fn, *inputs)`"
            ),
            stack::user_location(stack),
        )
    })
}
