//! Graphs that are never replayed, though what they captured goes on running eagerly.

use cgsan_model::ThreadId;
use cgsan_trace::CodeId;
use rustc_hash::FxHashMap;

use super::Activity;
use super::region::running_captures;
use crate::history::History;

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
    let is_unused = |graph: &usize| {
        let run = &history.captures[*graph];
        activity.graphs[*graph].replays == 0
            && run.ended.is_some_and(|ended| !ended.failed())
            && !history.is_of_inductor(run)
    };
    let graphs: Vec<usize> = (0..activity.graphs.len()).filter(is_unused).collect();
    if graphs.is_empty() {
        return Vec::new();
    }
    let works = Works::of(history, activity);
    let replayed: Vec<Vec<Step<'_>>> = (0..activity.graphs.len())
        .filter(|graph| activity.graphs[*graph].replays > 0)
        .map(|graph| steps(history, activity, &works.captured[graph]))
        .collect();
    let of_graph = |graph: usize| {
        let run = &history.captures[graph];
        let captured = &works.captured[graph];
        let wanted = steps(history, activity, captured);
        // A capture of the same that is replayed stands in for it.
        if wanted.is_empty() || replayed.contains(&wanted) {
            return None;
        }
        let (eager, of_thread) = works.eager.get(&run.thread())?;
        let ended = run.ended?.position;
        let after = eager.partition_point(|it| activity.operations[*it].position <= ended);
        let calls = occurrences(&of_thread[after..], &wanted);
        let inputs = activity.inputs_of(graph);
        let on_its_tensors = calls.into_iter().map(|at| after + at).filter(|start| {
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
    graphs.into_iter().filter_map(of_graph).collect()
}

/// The outermost operators that work, as far as their names tell.
struct Works<'t> {
    /// Those that each capture's own thread called in it.
    captured: Vec<Vec<usize>>,
    /// Those that each thread called eagerly, and what steps they are.
    eager: FxHashMap<ThreadId, (Vec<usize>, Vec<Step<'t>>)>,
}

impl<'t> Works<'t> {
    fn of(history: &History<'t>, activity: &Activity<'t>) -> Works<'t> {
        let mut captured = vec![Vec::new(); activity.graphs.len()];
        let mut eager: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
        let running = running_captures(history, activity);
        for (index, operation) in activity.operations.iter().enumerate() {
            let is_compared = operation.may_work() && operation.is_seen_eagerly(history.trace);
            if operation.parent.is_some() || !is_compared {
                continue;
            }
            match running[index] {
                Some(graph) => captured[graph].push(index),
                None => eager.entry(operation.thread).or_default().push(index),
            }
        }
        let eager = eager.into_iter().map(|(thread, operations)| {
            let steps = steps(history, activity, &operations);
            (thread, (operations, steps))
        });
        Works {
            captured,
            eager: eager.collect(),
        }
    }
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
