//! What each capture recorded, to be shown: its streams, its nodes, and what happened on the way.
//!
//! | file | what |
//! |---|---|
//! | `nodes` | the nodes, with the operators and lines that enqueued them |
//! | `events` | forks, waits, refusals and exceptions, in order |
//! | `named` | streams and lines, each once |

mod events;
mod named;
mod nodes;

pub(crate) use nodes::kind;

use cgsan_finding::{CapturedGraph, GraphShape, Outcome};
use cgsan_model::CaptureMode;
use cgsan_trace::Trace;

use crate::activity::Activity;
use crate::history::{CaptureRun, History};
use crate::process;
use named::Named;

/// The captures of the process that a trace is of, in the order in which they began; of a trace that was narrowed, those of the
/// part.
pub fn graphs(trace: &Trace) -> Vec<CapturedGraph> {
    let history = History::new(trace);
    let activity = Activity::new(&history);
    of(&history, &activity)
}

/// The same, of what is known of the process.
pub(crate) fn of(history: &History<'_>, activity: &Activity<'_>) -> Vec<CapturedGraph> {
    let trace = history.trace;
    let mut events = events::of_captures(history);
    let captures = history.captures.iter().enumerate();
    captures
        .filter(|(_, run)| run.began.position >= trace.part_begins())
        .map(|(capture, run)| {
            let mut named = Named::new(history, run.origin);
            let happened = events.remove(&capture).unwrap_or_default();
            let events = happened.iter().map(|it| it.named(&mut named)).collect();
            let nodes = nodes::of(history, activity, run, &mut named);
            CapturedGraph {
                process: process::of(trace, 1),
                graph: capture + 1,
                location: history.location_of(run.began),
                mode: mode(run.mode),
                outcome: outcome(run),
                replays: activity.graphs[capture].replays as u64,
                shape: cgsan_graphs::shape(&nodes),
                nodes,
                events,
                streams: named.streams,
                places: named.places,
            }
        })
        .collect()
}

/// How much of what a capture recorded can run at once; `None` if that is nothing.
pub(crate) fn shape(
    history: &History<'_>,
    activity: &Activity<'_>,
    run: &CaptureRun<'_>,
) -> Option<GraphShape> {
    let mut named = Named::new(history, run.origin);
    cgsan_graphs::shape(&nodes::of(history, activity, run, &mut named))
}

/// A capture's mode as PyTorch names it.
pub(crate) fn mode(mode: CaptureMode) -> &'static str {
    match mode {
        CaptureMode::Global => "global",
        CaptureMode::ThreadLocal => "thread_local",
        CaptureMode::Relaxed => "relaxed",
    }
}

/// How a capture ended.
pub(crate) fn outcome(run: &CaptureRun<'_>) -> Outcome {
    match run.ended {
        None => Outcome::Unfinished,
        Some(ended) if ended.failed() => Outcome::Failed,
        Some(_) => Outcome::Captured,
    }
}
