//! Results of several replays that a program puts together, and that are the same memory.

use cgsan_trace::{Argument, TensorRecord};

use super::Pass;
use crate::activity::harm::Harm;
use crate::activity::operation::{Operation, tensors};

impl Pass<'_, '_> {
    /// An eager operator has ended: whether it, or the one that the program called, was given one part of a graph's output several times,
    /// as often as it was looked at anew, each time behind another replay. A tensor that is doubled on purpose is looked at once.
    pub(super) fn given_as_several(&mut self, index: usize) {
        let outermost = self.outermost(index);
        let operation = &self.activity.operations[outermost];
        let Some((tensor, count)) = given_alike(operation) else {
            return;
        };
        let Some(block) = self.activity.memory.at(tensor.address) else {
            return;
        };
        let Some(graph) = self.written_by_replays_of(block) else {
            return;
        };
        if self.looks_since_replays(outermost, graph, tensor) < count {
            return;
        }
        let harm = Harm::GivenAsSeveral {
            operation: outermost,
            block,
        };
        let replay = self.last_replay_of(graph);
        self.found(graph, replay, harm);
    }

    /// The operator that the program called, of one that others may have called.
    fn outermost(&self, index: usize) -> usize {
        let parent = |index: &usize| self.activity.operations[*index].parent;
        std::iter::successors(Some(index), parent)
            .last()
            .unwrap_or(index)
    }

    /// Behind how many of the last replays, one after the other, a view of a graph's output was made that is `tensor`, and was not put
    /// together with others yet.
    fn looks_since_replays(&self, before: usize, graph: usize, tensor: &TensorRecord) -> usize {
        let replays = self.activity.replays.iter().rev();
        let mut replays = replays
            .filter(|it| it.graph == graph)
            .map(|it| it.position)
            .peekable();
        let (mut count, mut was_looked_at) = (0, false);
        for operation in self.activity.operations[..before].iter().rev() {
            while replays
                .next_if(|replay| operation.position < *replay)
                .is_some()
            {
                if !was_looked_at {
                    return count;
                }
                (count, was_looked_at) = (count + 1, false);
            }
            if replays.peek().is_none() {
                return count;
            }
            if lists(operation).any(|list| list.iter().any(|it| is_at(it, tensor))) {
                return count;
            }
            was_looked_at |= is_look(operation, tensor);
        }
        count
    }
}

/// Whether an operator gave `tensor` as a view of what it was given.
fn is_look(operation: &Operation<'_>, tensor: &TensorRecord) -> bool {
    let mut given = tensors(operation.given());
    let mut results = tensors(operation.results);
    results.any(|it| is_same(it, tensor)) && given.any(|it| it.address == tensor.address)
}

/// The tensor that a list of an operator consists of, and how many times it is in it.
fn given_alike<'t>(operation: &Operation<'t>) -> Option<(&'t TensorRecord, usize)> {
    let list = lists(operation).next()?;
    let Some(Argument::Tensor(first)) = list.first() else {
        return None;
    };
    let are_alike = list
        .iter()
        .all(|it| matches!(it, Argument::Tensor(it) if is_same(it, first)));
    (list.len() > 1 && first.on_gpu && are_alike).then_some((first, list.len()))
}

fn lists<'t>(operation: &Operation<'t>) -> impl Iterator<Item = &'t [Argument]> {
    operation.arguments.iter().filter_map(|it| match it {
        Argument::List(list) => Some(list.as_slice()),
        _ => None,
    })
}

fn is_at(argument: &Argument, tensor: &TensorRecord) -> bool {
    matches!(argument, Argument::Tensor(it) if it.address == tensor.address)
}

/// Whether two tensors are one: the same part of a storage, in the same form.
pub(super) fn is_same(one: &TensorRecord, other: &TensorRecord) -> bool {
    let place = |it: &TensorRecord| (it.address, it.offset, it.dtype);
    place(one) == place(other) && one.sizes == other.sizes
}
