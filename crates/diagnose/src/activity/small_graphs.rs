//! Steps that are many small graphs, one right after the other.

use cgsan_model::{Call, Stream, ThreadId};
use cgsan_trace::TensorRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Activity;
use super::memory::BlockId;
use super::operation::tensors;
use crate::history::{History, step};

/// Graphs that are replayed one after the other, each time in the same order and with nothing in between but copies that hand the
/// results of one on to the next.
#[derive(Debug)]
pub(crate) struct SmallGraphs {
    /// Their captures, in the order of their replays: indices into [`History::captures`].
    pub(crate) graphs: Vec<usize>,
    /// How many nodes the graph in the middle of them has, by size.
    pub(crate) nodes: usize,
    /// How often the sequence was seen.
    pub(crate) times: usize,
    /// How many copies hand something on.
    pub(crate) copies: usize,
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
    let mut sequences: FxHashMap<Sequence, (usize, usize)> = FxHashMap::default();
    for turn in turns(history, activity, running) {
        let sequence = Sequence {
            copied: copied(activity, &turn.copies),
            graphs: turn.graphs,
        };
        let (_, times) = sequences.entry(sequence).or_insert((turn.position, 0));
        *times += 1;
    }
    let mut found: Vec<SmallGraphs> = sequences
        .into_iter()
        .map(|(Sequence { graphs, copied }, (position, times))| {
            let mut nodes: Vec<usize> = graphs
                .iter()
                .map(|graph| history.captures[*graph].nodes_at.len())
                .collect();
            nodes.sort_unstable();
            SmallGraphs {
                nodes: nodes[nodes.len() / 2],
                graphs,
                times,
                copies: copied.len(),
                position,
            }
        })
        .collect();
    found.sort_by_key(|it| it.position);
    found
}

/// What makes two turns the same: a copy of another size each time is nothing that one graph could hold.
#[derive(PartialEq, Eq, Hash)]
struct Sequence {
    graphs: Vec<usize>,
    copied: Vec<Vec<Option<(u64, u64)>>>,
}

/// Where the tensors of some copies lie.
fn copied(activity: &Activity<'_>, copies: &[usize]) -> Vec<Vec<Option<(u64, u64)>>> {
    let tensors_of = |copy: &usize| tensors(activity.operations[*copy].arguments);
    copies
        .iter()
        .map(|copy| tensors_of(copy).map(TensorRecord::range).collect())
        .collect()
}

/// Replays of one thread on one stream, of which each is of another graph, with no wait and no other work in between but copies of
/// what one of these graphs wrote into what the next one reads.
struct Turn {
    graphs: Vec<usize>,
    /// The copies, as operators.
    copies: Vec<usize>,
    stream: Stream,
    /// Where the first replay stands in the trace, and the last one so far.
    position: usize,
    last: usize,
}

fn turns(history: &History<'_>, activity: &Activity<'_>, running: &[Option<usize>]) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut open: FxHashMap<ThreadId, Turn> = FxHashMap::default();
    let ends = ends(history, activity, running);
    let mut touched = Touched::default();
    for replay in &activity.replays {
        let Some(step) = step::at(history.trace, replay.position) else {
            continue;
        };
        let Call::GraphLaunch { stream, .. } = step.record.call else {
            continue;
        };
        let goes_on = open
            .get_mut(&step.thread)
            .filter(|turn| turn.stream == stream && !turn.graphs.contains(&replay.graph));
        let added = goes_on.and_then(|turn| {
            let ends = ends.get(&step.thread).map_or(&[][..], Vec::as_slice);
            let between = between(ends, turn.last, replay.position);
            let copies = touched.handed_on(activity, turn, between, replay.graph)?;
            turn.copies.extend(copies);
            turn.graphs.push(replay.graph);
            turn.last = replay.position;
            Some(())
        });
        if added.is_none() {
            let turn = Turn {
                graphs: vec![replay.graph],
                copies: Vec::new(),
                stream,
                position: replay.position,
                last: replay.position,
            };
            turns.extend(open.insert(step.thread, turn));
        }
    }
    turns.extend(open.into_values());
    turns
}

/// What graphs read and write, once it was asked for.
#[derive(Default)]
struct Touched {
    inputs: FxHashMap<usize, FxHashSet<BlockId>>,
    written: FxHashMap<usize, FxHashSet<BlockId>>,
}

impl Touched {
    /// The copies among what may end a turn before the replay of a graph; `None` if something there is no copy that hands on to this graph
    /// what one before it wrote.
    fn handed_on(
        &mut self,
        activity: &Activity<'_>,
        turn: &Turn,
        between: &[End],
        next: usize,
    ) -> Option<Vec<usize>> {
        let copies = between.iter().map(|end| {
            let copy = end.copy?;
            let operation = &activity.operations[copy];
            let is_there = operation.stream.is_none_or(|stream| stream == turn.stream);
            let mut touched = operation.touched.iter();
            let hands_on = touched.all(|(block, writes)| {
                if *writes {
                    self.reads(activity, next, *block)
                } else {
                    let mut before = turn.graphs.iter();
                    before.any(|graph| self.writes(activity, *graph, *block))
                }
            });
            (is_there && hands_on).then_some(copy)
        });
        copies.collect()
    }

    fn reads(&mut self, activity: &Activity<'_>, graph: usize, block: BlockId) -> bool {
        let inputs = self.inputs.entry(graph);
        let inputs = inputs.or_insert_with(|| activity.inputs_of(graph));
        inputs.contains(&block)
    }

    fn writes(&mut self, activity: &Activity<'_>, graph: usize, block: BlockId) -> bool {
        let written = self.written.entry(graph).or_insert_with(|| {
            let accesses = activity.graphs[graph].accesses.iter();
            let writes = accesses.filter(|access| access.does.writes());
            writes.map(|access| access.block).collect()
        });
        written.contains(&block)
    }
}

/// Something that a graph of several replays would have to hold, or could not: other work, or a wait.
struct End {
    position: usize,
    /// The operator, if it copies on the device.
    copy: Option<usize>,
}

/// What lies between two places of the trace.
fn between(ends: &[End], from: usize, to: usize) -> &[End] {
    let before = |position: usize| ends.partition_point(|end| end.position < position);
    &ends[before(from)..before(to)]
}

/// What each thread did that may end a turn, in order.
fn ends(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
) -> FxHashMap<ThreadId, Vec<End>> {
    let mut ends: FxHashMap<ThreadId, Vec<End>> = FxHashMap::default();
    // Where each thread copies: what happens inside a copy is the copy.
    let mut copies: FxHashMap<ThreadId, Vec<(usize, usize)>> = FxHashMap::default();
    for (index, (operation, capture)) in activity.operations.iter().zip(running).enumerate() {
        if capture.is_some() || !operation.may_work() {
            continue;
        }
        let own = copies.entry(operation.thread).or_default();
        if is_inside(own, operation.position) {
            continue;
        }
        let copy = operation.is_copy_on_device().then_some(index);
        if copy.is_some() {
            own.push((operation.position, operation.end));
        }
        let position = operation.position;
        let end = End { position, copy };
        ends.entry(operation.thread).or_default().push(end);
    }
    let all = 0..history.trace.entries().len();
    for step in step::steps(history.trace, all) {
        let copies = copies.get(&step.thread).map_or(&[][..], Vec::as_slice);
        let is_end = match step.record.call {
            Call::Work { .. } => !is_inside(copies, step.position),
            Call::SynchronousWork { .. }
            | Call::StreamSynchronize { .. }
            | Call::EventSynchronize { .. }
            | Call::DeviceSynchronize { .. }
            | Call::StreamQuery { .. }
            | Call::EventQuery { .. }
            | Call::EventRecord { .. }
            | Call::StreamWaitEvent { .. } => true,
            ref other => other.begins_capture(),
        };
        if is_end {
            let position = step.position;
            let end = End {
                position,
                copy: None,
            };
            ends.entry(step.thread).or_default().push(end);
        }
    }
    for ends in ends.values_mut() {
        ends.sort_unstable_by_key(|end| end.position);
    }
    ends
}

/// Whether a place of the trace lies in one of these ranges, which are in order.
fn is_inside(ranges: &[(usize, usize)], position: usize) -> bool {
    let after = ranges.partition_point(|(begin, _)| *begin < position);
    let before = after.checked_sub(1).map(|it| ranges[it]);
    before.is_some_and(|(_, end)| position <= end)
}
