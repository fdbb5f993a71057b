//! Copies into the inputs of a graph that move as much memory as its replay, or more.

use cgsan_model::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Activity;
use super::memory::BlockId;
use super::operation::{Operation, Touch, tensors};
use crate::history::History;

/// A graph whose inputs are copied on the device before each replay.
#[derive(Debug)]
pub(crate) struct InputCopies {
    /// The capture: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// The first copy.
    pub(crate) copy: usize,
    /// How many replays it was seen at.
    pub(crate) replays: usize,
    /// How many bytes are read and written by the copies before a replay, at least.
    pub(crate) copied: u64,
    /// How many bytes the replay reads and writes.
    pub(crate) replayed: u64,
}

/// What operators are called that do more with a byte than read or write it once: parts of their names.
const TAKE_LONGER: &[&str] = &[
    "attention",
    "cdist",
    "cholesky",
    "conv",
    "cum",
    "eig",
    "fft",
    "gru",
    "histc",
    "inverse",
    "kthvalue",
    "linalg",
    "lstm",
    "matmul",
    "median",
    "mode",
    "multinomial",
    "quantile",
    "rnn",
    "solve",
    "sort",
    "svd",
    "topk",
    "unique",
];

/// All such graphs whose copies move as much as the replay, or more, in the order of their captures.
/// `running` has the capture that each operator ran in.
pub(crate) fn input_copies(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
) -> Vec<InputCopies> {
    let mut replayed = traffic_of_graphs(activity, running);
    replayed.retain(|graph, _| !history.is_of_inductor(&history.captures[*graph]));
    if replayed.is_empty() {
        return Vec::new();
    }
    let before = copies_before_replays(history, activity, running, &replayed);
    let mut found: Vec<InputCopies> = before
        .into_iter()
        .filter_map(|(graph, seen)| {
            let copied = seen.iter().map(|(bytes, _)| *bytes).min()?;
            let (_, copy) = *seen.first()?;
            let replayed = replayed[&graph];
            (copied > 0 && copied >= replayed).then_some(InputCopies {
                graph,
                copy: copy?,
                replays: seen.len(),
                copied,
                replayed,
            })
        })
        .collect();
    found.sort_by_key(|it| it.graph);
    found
}

/// How many bytes the operators of each graph read and write, where each does so once.
fn traffic_of_graphs(activity: &Activity<'_>, running: &[Option<usize>]) -> FxHashMap<usize, u64> {
    let mut traffic: FxHashMap<usize, Option<u64>> = FxHashMap::default();
    for (operation, graph) in activity.operations.iter().zip(running) {
        let Some(graph) = graph.filter(|_| operation.parent.is_none() && operation.may_work())
        else {
            continue;
        };
        let bytes = traffic_of(operation);
        let sum = traffic.entry(graph).or_insert(Some(0));
        *sum = sum
            .zip(bytes)
            .and_then(|(sum, bytes)| sum.checked_add(bytes));
    }
    let known = traffic
        .into_iter()
        .filter_map(|(graph, bytes)| Some((graph, bytes?)));
    known
        .filter(|(graph, _)| activity.graphs[*graph].replays > 0)
        .collect()
}

/// How many bytes an operator reads and writes; `None` where it may take longer than that.
fn traffic_of(operation: &Operation<'_>) -> Option<u64> {
    let takes_longer = || TAKE_LONGER.iter().any(|part| operation.name.contains(part));
    if operation.is_kernel() || operation.is_matrix_product() || takes_longer() {
        return None;
    }
    // Tensors of several sizes are what a product, or a gather, is made of.
    let mut sizes: Vec<u64> = tensors(operation.given())
        .filter_map(|tensor| Some(tensor.range()?.1))
        .filter(|bytes| *bytes > LARGEST_SCALAR)
        .collect();
    sizes.dedup();
    if sizes.len() > 1 {
        return None;
    }
    bytes(&operation.touches())
}

/// Bytes of an element of any dtype, at most.
const LARGEST_SCALAR: u64 = 16;

/// How many bytes these take, each of which is read once and written once at most.
fn bytes(touches: &[Touch<'_>]) -> Option<u64> {
    let mut seen = FxHashSet::default();
    touches
        .iter()
        .map(|touch| {
            let (start, bytes) = touch.tensor.range()?;
            let is_new = seen.insert((start, bytes, touch.writes));
            Some(if is_new { bytes } else { 0 })
        })
        .try_fold(0, |sum: u64, bytes| sum.checked_add(bytes?))
}

/// Of each replay of a graph: how many bytes the copies into its inputs move that its thread makes right before, and the first copy.
type Seen = FxHashMap<usize, Vec<(u64, Option<usize>)>>;

fn copies_before_replays(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
    graphs: &FxHashMap<usize, u64>,
) -> Seen {
    let inputs: FxHashMap<usize, FxHashSet<BlockId>> = graphs
        .keys()
        .map(|graph| (*graph, activity.inputs_of(*graph)))
        .collect();
    let mut seen = Seen::default();
    let mut since_replay: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    let mut operations = activity.operations.iter().enumerate().peekable();
    for replay in &activity.replays {
        while let Some((index, operation)) =
            operations.next_if(|(_, operation)| operation.position < replay.position)
        {
            if running[index].is_none() && is_copy_on_device(operation) {
                since_replay
                    .entry(operation.thread)
                    .or_default()
                    .push(index);
            }
        }
        let thread = history.trace.entries()[replay.position].thread;
        let copies = since_replay.remove(&thread).unwrap_or_default();
        if let Some(inputs) = inputs.get(&replay.graph) {
            let of_replay = copies_into(activity, &copies, inputs);
            seen.entry(replay.graph).or_default().push(of_replay);
        }
    }
    seen
}

/// What the copies into some blocks move, and the first of them.
fn copies_into(
    activity: &Activity<'_>,
    copies: &[usize],
    inputs: &FxHashSet<BlockId>,
) -> (u64, Option<usize>) {
    let is_into = |copy: &&usize| {
        let touched = &activity.operations[**copy].touched;
        touched
            .iter()
            .any(|(block, writes)| *writes && inputs.contains(block))
    };
    let into: Vec<usize> = copies.iter().filter(is_into).copied().collect();
    let moved = into
        .iter()
        .filter_map(|copy| bytes(&activity.operations[*copy].touches()));
    (moved.sum(), into.first().copied())
}

/// Whether it copies from tensors of a device to tensors of a device.
fn is_copy_on_device(operation: &Operation<'_>) -> bool {
    matches!(operation.name, "copy_" | "_foreach_copy_")
        && tensors(operation.arguments).all(|tensor| tensor.on_gpu)
}
