//! Results of two replays that a program compares, and that are the same memory.

use super::Pass;
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

impl Pass<'_, '_> {
    /// An eager operator has ended: whether it took the difference of two results of a graph that are one.
    pub(super) fn subtracted_from_itself(&mut self, index: usize) {
        let Some(address) = given_twice(&self.activity.operations[index]) else {
            return;
        };
        let Some(block) = self.activity.memory.at(address) else {
            return;
        };
        let Some(graph) = self.written_by_replays_of(block) else {
            return;
        };
        if !self.is_detached(address, graph, index) {
            let operation = index;
            let harm = Harm::SubtractedFromItself { operation, block };
            let replay = self
                .activity
                .replays
                .iter()
                .rposition(|it| it.graph == graph);
            self.found(graph, replay, harm);
        }
    }

    /// The graph that was replayed more than once and writes a block.
    fn written_by_replays_of(&self, block: BlockId) -> Option<usize> {
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

/// The address of a tensor of several elements that an operator takes the difference of with itself.
fn given_twice(operation: &Operation<'_>) -> Option<u64> {
    if !DIFFERENCES.contains(&operation.name) {
        return None;
    }
    let given: Vec<_> = tensors(operation.given()).take(2).collect();
    let [one, other] = given[..] else {
        return None;
    };
    let is_same =
        one.address == other.address && one.offset == other.offset && one.sizes == other.sizes;
    (is_same && one.on_gpu && one.dtype == other.dtype).then_some(one.address)
}
