//! Graphs that are never replayed, though what they captured goes on running eagerly.

use cgsan_trace::CodeId;
use rustc_hash::FxHashSet;

use super::memory::BlockId;
use super::{Activity, Operation};
use crate::history::{CaptureRun, History};

/// A graph without a replay, whose operators ran eagerly after its capture.
#[derive(Debug)]
pub(crate) struct Unused {
    /// The capture: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// Its first operator.
    pub(crate) captured: usize,
    /// The first operator of the first eager call.
    pub(crate) eager: usize,
    /// How many eager calls there were.
    pub(crate) times: usize,
}

/// What makes two operators the same step of a program: the name, the place that calls it, and the sizes that it works on.
#[derive(PartialEq)]
struct Step<'t> {
    name: &'t str,
    place: Option<(CodeId, u32)>,
    sizes: Vec<u64>,
}

/// All such graphs, in the order of their captures.
pub(crate) fn unused(history: &History<'_>, activity: &Activity<'_>) -> Vec<Unused> {
    let replayed: Vec<Vec<Step<'_>>> = (0..activity.graphs.len())
        .filter(|graph| activity.graphs[*graph].replays > 0)
        .map(|graph| steps(history, activity, &captured(history, activity, graph)))
        .collect();
    let of_graph = |graph: usize| {
        let run = &history.captures[graph];
        if activity.graphs[graph].replays > 0
            || run.ended_badly()
            || run.ended.is_none()
            || history.is_of_inductor(run)
        {
            return None;
        }
        let captured = captured(history, activity, graph);
        let wanted = steps(history, activity, &captured);
        // A capture of the same that is replayed stands in for it.
        if wanted.is_empty() || replayed.contains(&wanted) {
            return None;
        }
        let eager = after(history, activity, run);
        let calls = occurrences(&steps(history, activity, &eager), &wanted);
        let inputs = inputs(activity, graph);
        let on_its_tensors = calls.into_iter().filter(|start| {
            let operations = eager[*start..*start + wanted.len()].iter();
            let mut touched = operations.flat_map(|index| &activity.operations[*index].touched);
            touched.any(|(block, _)| inputs.contains(block))
        });
        let calls: Vec<usize> = on_its_tensors.collect();
        Some(Unused {
            graph,
            captured: captured[0],
            eager: eager[*calls.first()?],
            times: calls.len(),
        })
    };
    (0..activity.graphs.len()).filter_map(of_graph).collect()
}

/// The operators that a capture's own thread called in it.
fn captured(history: &History<'_>, activity: &Activity<'_>, graph: usize) -> Vec<usize> {
    let run = &history.captures[graph];
    works_of(activity, run, |operation| run.spans(operation.position))
}

/// The operators that the capture's thread called eagerly after it.
fn after(history: &History<'_>, activity: &Activity<'_>, run: &CaptureRun<'_>) -> Vec<usize> {
    let ended = run.ended.map_or(usize::MAX, |ended| ended.position);
    let later: Vec<&CaptureRun<'_>> = history
        .captures
        .iter()
        .filter(|other| other.thread() == run.thread() && other.began.position > ended)
        .collect();
    works_of(activity, run, |operation| {
        operation.position > ended && !later.iter().any(|other| other.spans(operation.position))
    })
}

/// The outermost operators of a capture's thread that work, as far as their names tell.
fn works_of(
    activity: &Activity<'_>,
    run: &CaptureRun<'_>,
    is_wanted: impl Fn(&Operation<'_>) -> bool,
) -> Vec<usize> {
    let operations = activity.operations.iter().enumerate();
    operations
        .filter(|(_, it)| {
            it.parent.is_none() && it.thread == run.thread() && it.may_work() && is_wanted(it)
        })
        .map(|(index, _)| index)
        .collect()
}

fn steps<'t>(
    history: &History<'t>,
    activity: &Activity<'t>,
    operations: &[usize],
) -> Vec<Step<'t>> {
    let step = |index: &usize| {
        let operation = &activity.operations[*index];
        let innermost = operation.stack.and_then(|it| history.trace.frame(it));
        Step {
            name: operation.name,
            place: innermost.map(|(_, code, line)| (code, line)),
            sizes: operation.sizes(),
        }
    };
    operations.iter().map(step).collect()
}

/// Where a sequence holds another one, each time behind the last.
fn occurrences<T: PartialEq>(sequence: &[T], wanted: &[T]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= sequence.len() {
        if sequence[at..].starts_with(wanted) {
            found.push(at);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    found
}

/// The blocks from outside of its capture that a graph reads.
fn inputs(activity: &Activity<'_>, graph: usize) -> FxHashSet<BlockId> {
    let first = activity.graphs[graph].first_accesses();
    first
        .filter(|access| !access.writes && activity.memory[access.block].capture != Some(graph))
        .map(|access| access.block)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_occurs_as_often_as_it_stands_there_whole() {
        assert_eq!(occurrences(&[1, 2, 1, 2, 1], &[1, 2]), [0, 2]);
        assert_eq!(occurrences(&[1, 1, 1, 2], &[1, 1]), [0]);
        assert_eq!(occurrences(&[3, 1, 2], &[1, 2]), [1]);
        assert_eq!(occurrences(&[1], &[1, 2]), [0; 0]);
    }
}
