//! Operators that capturing functions call themselves, beside those of the same name that ran eagerly.

use std::collections::BTreeMap;

use cgsan_trace::CodeId;
use rustc_hash::FxHashMap;

use super::frames::{Frames, Root};
use super::memory::BlockId;
use super::operation::tensors;
use super::region::{ByPlace, Call, Region};
use super::{Activity, Operation};
use crate::history::History;

/// Operators that the capturing function calls itself, each as a region of its own: it is compared with those of the same name
/// that another line of the function calls again and again on the same tensors.
pub(super) fn inline(
    history: &History<'_>,
    activity: &Activity<'_>,
    running: &[Option<usize>],
    first_replays: &[Option<usize>],
    roots: &[Option<Root>],
    frames: &mut Frames<'_>,
) -> Vec<Region> {
    let mut all: FxHashMap<Alike<'_>, Twins> = FxHashMap::default();
    for (index, operation) in activity.operations.iter().enumerate() {
        if !operation.is_seen_eagerly(history.trace) {
            continue;
        }
        let Some(stack) = operation.stack.filter(|_| operation.parent.is_none()) else {
            continue;
        };
        let Some((root, line)) = frames.own_line(stack) else {
            continue;
        };
        let capture = running[index];
        if capture.is_some_and(|graph| roots[graph] != Some(root)) {
            continue;
        }
        let tensors: Vec<_> = tensors(operation.arguments)
            .map(|it| (it.address, block_of(activity, operation, it.address)))
            .collect();
        if tensors.is_empty() {
            continue;
        }
        let alike = (root, frames.inside(stack), operation.name, tensors);
        let twins = all.entry(alike).or_default();
        match capture {
            Some(graph) => twins.captured.entry(graph).or_default().push(index),
            None => twins.eager.push((line, index)),
        }
    }
    let mut captured: Vec<(usize, usize, &Twins)> = Vec::new();
    for twins in all.values().filter(|it| !it.eager.is_empty()) {
        for (graph, operations) in &twins.captured {
            // Of several, which one an eager one stands for is not known.
            if let [only] = operations[..] {
                captured.push((only, *graph, twins));
            }
        }
    }
    captured.sort_unstable_by_key(|(index, ..)| *index);
    let mut regions = Vec::new();
    for (index, graph, twins) in captured {
        let Some(first_replay) = first_replays[graph] else {
            continue;
        };
        let began = history.captures[graph].began.position;
        let call = |index: usize| Call {
            operations: [index].into(),
        };
        let (mut before, mut after) = (ByPlace::default(), ByPlace::default());
        for (line, index) in &twins.eager {
            let position = activity.operations[*index].position;
            if position > first_replay {
                after.add(*line, &[call(*index)]);
            } else if position < began {
                before.add(*line, &[call(*index)]);
            }
        }
        let elsewhere = twins.captured.iter().filter(|(other, _)| **other != graph);
        let mut elsewhere: Vec<usize> = elsewhere.flat_map(|(_, all)| all).copied().collect();
        elsewhere.sort_unstable();
        regions.push(Region {
            graph,
            function: None,
            captured: vec![call(index)],
            // They work on the same tensors.
            before: before.eager(|line| (false, after.of(line))),
            after: after.calls(),
            elsewhere: elsewhere.into_iter().map(call).collect(),
        });
    }
    regions
}

/// Operators that are the same step of a program, in order.
#[derive(Default)]
struct Twins {
    /// Those that ran eagerly, with their lines.
    eager: Vec<(u32, usize)>,
    /// Those that captures recorded, by capture.
    captured: BTreeMap<usize, Vec<usize>>,
}

/// What makes two operators the same step of a program: the frame, the lines of libraries that it went through, the name and the
/// tensors.
type Alike<'t> = (
    Root,
    Vec<(CodeId, u32)>,
    &'t str,
    Vec<(u64, Option<BlockId>)>,
);

/// The block that an operator found at an address: later, another one may lie there.
fn block_of(activity: &Activity<'_>, operation: &Operation<'_>, address: u64) -> Option<BlockId> {
    let mut blocks = operation.touched.iter().map(|(block, _)| *block);
    blocks.find(|block| activity.memory[*block].overlaps(address, 1))
}
