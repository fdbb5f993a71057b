//! Steps that are many small graphs, one right after the other.

use cgsan_model::{Call, Stream, ThreadId};
use rustc_hash::FxHashMap;

use super::Activity;
use crate::history::{History, begins_capture, step};

/// Graphs that are replayed one after the other, each time in the same order and with nothing in between.
#[derive(Debug)]
pub(crate) struct SmallGraphs {
    /// Their captures, in the order of their replays: indices into [`History::captures`].
    pub(crate) graphs: Vec<usize>,
    /// How many nodes the graph in the middle of them has, by size.
    pub(crate) nodes: usize,
    /// How often the sequence was seen.
    pub(crate) times: usize,
    /// Where it was seen first in the trace.
    pub(crate) position: usize,
}

/// All such sequences, each with the graphs that it has, in the order in which they were seen first.
/// `running` has the capture that each operator ran in.
pub(crate) fn small_graphs(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
) -> Vec<SmallGraphs> {
    let replayed = activity.graphs.iter().filter(|graph| graph.replays > 0);
    if replayed.count() < 2 {
        return Vec::new();
    }
    let mut sequences: FxHashMap<Vec<usize>, (usize, usize)> = FxHashMap::default();
    for turn in turns(history, activity, running) {
        let (_, times) = sequences.entry(turn.graphs).or_insert((turn.position, 0));
        *times += 1;
    }
    let mut found: Vec<SmallGraphs> = sequences
        .into_iter()
        .map(|(graphs, (position, times))| {
            let mut nodes: Vec<usize> = graphs
                .iter()
                .map(|graph| history.captures[*graph].nodes_at.len())
                .collect();
            nodes.sort_unstable();
            SmallGraphs {
                nodes: nodes[nodes.len() / 2],
                graphs,
                times,
                position,
            }
        })
        .collect();
    found.sort_by_key(|it| it.position);
    found
}

/// Replays of one thread on one stream, of which each is of another graph, with no other work and no wait in between.
struct Turn {
    graphs: Vec<usize>,
    stream: Stream,
    /// Where the first replay stands in the trace, and the last one so far.
    position: usize,
    last: usize,
}

fn turns(history: &History<'_>, activity: &Activity<'_>, running: &[Option<usize>]) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut open: FxHashMap<ThreadId, Turn> = FxHashMap::default();
    let ends = ends(history, activity, running);
    for replay in &activity.replays {
        let Some(step) = step::at(history.trace, replay.position) else {
            continue;
        };
        let Call::GraphLaunch { stream, .. } = step.record.call else {
            continue;
        };
        let last_end = ends.get(&step.thread).map_or(0, |ends| {
            let before = ends.partition_point(|end| *end < replay.position);
            before.checked_sub(1).map_or(0, |last| ends[last])
        });
        let goes_on = open.get(&step.thread).is_some_and(|turn| {
            turn.stream == stream && turn.last > last_end && !turn.graphs.contains(&replay.graph)
        });
        if !goes_on {
            let turn = Turn {
                graphs: Vec::new(),
                stream,
                position: replay.position,
                last: 0,
            };
            turns.extend(open.insert(step.thread, turn));
        }
        if let Some(turn) = open.get_mut(&step.thread) {
            turn.graphs.push(replay.graph);
            turn.last = replay.position;
        }
    }
    turns.extend(open.into_values());
    turns
}

/// Where each thread did something that a graph of several of its replays would have to hold, or could not: enqueued other work, or
/// waited.
fn ends(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
) -> FxHashMap<ThreadId, Vec<usize>> {
    let mut ends: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    for (operation, capture) in activity.operations.iter().zip(running) {
        if capture.is_none() && operation.may_work() {
            ends.entry(operation.thread)
                .or_default()
                .push(operation.position);
        }
    }
    let all = 0..history.trace.entries().len();
    for step in step::steps(history.trace, all) {
        let is_end = match step.record.call {
            Call::Work { .. }
            | Call::SynchronousWork { .. }
            | Call::StreamSynchronize { .. }
            | Call::EventSynchronize { .. }
            | Call::DeviceSynchronize { .. }
            | Call::StreamQuery { .. }
            | Call::EventQuery { .. }
            | Call::EventRecord { .. }
            | Call::StreamWaitEvent { .. } => true,
            ref other => begins_capture(other),
        };
        if is_end {
            ends.entry(step.thread).or_default().push(step.position);
        }
    }
    for ends in ends.values_mut() {
        ends.sort_unstable();
    }
    ends
}
