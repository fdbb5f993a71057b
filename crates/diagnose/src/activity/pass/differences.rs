//! Results of two replays that a program compares or adds up, and that are the same memory.

use super::Pass;
use super::gathered::is_same;
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;
use crate::activity::operation::{Operation, tensors};

/// Operators that say how far two tensors are from each other: of a tensor and itself, nobody asks. That a tensor equals itself is
/// asked of numbers that may be none.
const DIFFERENCES: &[&str] = &[
    "dist",
    "huber_loss",
    "isclose",
    "l1_loss",
    "mse_loss",
    "rsub",
    "smooth_l1_loss",
    "sub",
    "sub_",
];

/// Operators that add to a sum in place. One that begins as the first result is that result.
const SUMS: &[&str] = &["_foreach_add_", "add_"];

impl Pass<'_, '_> {
    /// An eager operator has ended: whether it took the difference of two results of a graph that are one, or added one to the other.
    pub(super) fn given_itself(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        let is_sum = SUMS.contains(&operation.name);
        if !is_sum && !DIFFERENCES.contains(&operation.name) {
            return;
        }
        let Some(address) = given_twice(operation) else {
            return;
        };
        let Some(block) = self.activity.memory.at(address) else {
            return;
        };
        let Some(graph) = self.written_by_replays_of(block) else {
            return;
        };
        let is_meant = if is_sum {
            self.is_of_gradients(index)
        } else {
            self.is_detached(address, graph, index)
        };
        if !is_meant {
            let operation = index;
            let harm = if is_sum {
                Harm::AddedToItself { operation, block }
            } else {
                Harm::SubtractedFromItself { operation, block }
            };
            let replay = self.last_replay_of(graph);
            self.found(graph, replay, harm);
        }
    }

    /// Of all replays, the last one of a graph.
    pub(super) fn last_replay_of(&self, graph: usize) -> Option<usize> {
        let mut replays = self.activity.replays.iter();
        replays.rposition(|it| it.graph == graph)
    }

    /// Whether autograd adds to a gradient that is the memory of the graph, which is told by itself.
    fn is_of_gradients(&self, index: usize) -> bool {
        let mut found = self.activity.found.iter();
        self.activity.operations[index].stack.is_none()
            || found.any(|it| matches!(it.harm, Harm::GradientAliased { .. }))
    }

    /// The graph that was replayed more than once and writes a block.
    pub(super) fn written_by_replays_of(&self, block: BlockId) -> Option<usize> {
        let mut graphs = self.activity.graphs.iter();
        graphs.position(|graph| {
            let mut accesses = graph.accesses.iter();
            graph.replays > 1 && accesses.any(|it| it.does.writes() && it.block == block)
        })
    }

    /// Whether the program has taken a tensor out of autograd since the last replay: `x - x.detach()` is zero, and has a gradient.
    fn is_detached(&self, address: u64, graph: usize, index: usize) -> bool {
        let mut replays = self.activity.replays.iter().rev();
        let since = replays.find(|it| it.graph == graph).map(|it| it.position);
        let before = self.activity.operations[..index].iter().rev();
        before
            .take_while(|it| Some(it.position) > since)
            .any(|it| it.name == "detach" && it.handles(address))
    }
}

/// The address of a tensor that an operator is given twice, as both of its operands, or at one place of two lists.
fn given_twice(operation: &Operation<'_>) -> Option<u64> {
    let given: Vec<_> = tensors(operation.given()).collect();
    let second = given.get(given.len() / 2)?;
    let first = *given.first()?;
    let are_pairs = given.len() >= 2 && given.len().is_multiple_of(2);
    (are_pairs && first.on_gpu && is_same(first, second)).then_some(first.address)
}
