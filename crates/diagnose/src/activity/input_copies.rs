//! Copies into the inputs of a graph that move as much memory as its replay, or more.

use cgsan_model::ThreadId;
use cgsan_trace::TensorRecord;
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

/// Operators that read and write each byte once, also where their tensors differ in size: reductions, joins, normalizations, and
/// elementwise ones, which repeat the smaller operand.
const LINEAR: &[&str] = &[
    "_log_softmax",
    "_softmax",
    "add",
    "add_",
    "addcdiv",
    "addcmul",
    "amax",
    "amin",
    "cat",
    "clamp",
    "div",
    "div_",
    "eq",
    "ge",
    "gt",
    "layer_norm",
    "le",
    "lerp",
    "log_softmax",
    "lt",
    "masked_fill",
    "maximum",
    "mean",
    "minimum",
    "mul",
    "mul_",
    "native_layer_norm",
    "ne",
    "rms_norm",
    "softmax",
    "stack",
    "sub",
    "sub_",
    "sum",
    "where",
];

/// Operators that read as much of their first argument as they write, where the others say.
const LOOKUPS: &[&str] = &["embedding", "gather", "index", "index_select", "take"];

/// A lookup of single elements reads whole sectors of memory: so many times the bytes that it is counted with, at most.
const SCATTERED: u64 = 4;

/// What the operators of a graph read and write.
#[derive(Clone, Copy, Default)]
struct Traffic {
    bytes: u64,
    looks_up: bool,
}

impl Traffic {
    fn and(self, other: Traffic) -> Option<Traffic> {
        Some(Traffic {
            bytes: self.bytes.checked_add(other.bytes)?,
            looks_up: self.looks_up || other.looks_up,
        })
    }

    /// Whether copies of so many bytes move as much, or more.
    fn is_less_than_copies_of(self, copied: u64) -> bool {
        let times = if self.looks_up { SCATTERED } else { 1 };
        self.bytes
            .checked_mul(times)
            .is_some_and(|bytes| copied >= bytes)
    }
}

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
            (copied > 0 && replayed.is_less_than_copies_of(copied)).then_some(InputCopies {
                graph,
                copy: copy?,
                replays: seen.len(),
                copied,
                replayed: replayed.bytes,
            })
        })
        .collect();
    found.sort_by_key(|it| it.graph);
    found
}

/// What the operators of each graph read and write, where each does so once.
fn traffic_of_graphs(
    activity: &Activity<'_>,
    running: &[Option<usize>],
) -> FxHashMap<usize, Traffic> {
    let mut traffic: FxHashMap<usize, Option<Traffic>> = FxHashMap::default();
    for (operation, graph) in activity.operations.iter().zip(running) {
        let Some(graph) = graph.filter(|_| operation.parent.is_none() && operation.may_work())
        else {
            continue;
        };
        let sum = traffic.entry(graph).or_insert(Some(Traffic::default()));
        *sum = sum
            .zip(traffic_of(operation))
            .and_then(|(sum, more)| sum.and(more));
    }
    let known = traffic
        .into_iter()
        .filter_map(|(graph, traffic)| Some((graph, traffic?)));
    known
        .filter(|(graph, _)| activity.graphs[*graph].replays > 0)
        .collect()
}

/// What an operator reads and writes; `None` where it may take longer than that.
fn traffic_of(operation: &Operation<'_>) -> Option<Traffic> {
    let takes_longer = || TAKE_LONGER.iter().any(|part| operation.name.contains(part));
    if operation.is_kernel() || operation.is_matrix_product() || takes_longer() {
        return None;
    }
    let looks_up = LOOKUPS.contains(&operation.name);
    let bytes = if looks_up {
        bytes_of_lookup(operation)
    } else if LINEAR.contains(&operation.name) || are_of_one_size(operation) {
        bytes(&operation.touches())
    } else {
        None
    };
    let bytes = bytes?;
    Some(Traffic { bytes, looks_up })
}

/// Whether all tensors that an operator is given, but for numbers, are of one size: those of a product are not.
fn are_of_one_size(operation: &Operation<'_>) -> bool {
    let ranges = tensors(operation.given()).filter_map(TensorRecord::range);
    let mut sizes = ranges
        .map(|(_, bytes)| bytes)
        .filter(|bytes| *bytes > LARGEST_SCALAR);
    let first = sizes.next();
    sizes.all(|bytes| Some(bytes) == first)
}

/// What a lookup moves: what it gives, once read and once written, and the places that it is given.
fn bytes_of_lookup(operation: &Operation<'_>) -> Option<u64> {
    let places = sum(tensors(operation.arguments.get(1..)?))?;
    let results = sum(operation.written()).filter(|bytes| *bytes > 0)?;
    results.checked_mul(2)?.checked_add(places)
}

fn sum<'t>(mut tensors: impl Iterator<Item = &'t TensorRecord>) -> Option<u64> {
    tensors.try_fold(0, |sum: u64, tensor| sum.checked_add(tensor.range()?.1))
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
            let is_new = seen.insert((start, bytes, touch.does));
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
    graphs: &FxHashMap<usize, Traffic>,
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
            if running[index].is_none() && operation.is_copy_on_device() {
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
