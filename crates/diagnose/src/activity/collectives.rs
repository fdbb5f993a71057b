//! Collectives: what the ranks of a process group do together.

use cgsan_trace::Argument;

use super::Activity;
use super::operation::{Operation, tensors};

/// Operators on process groups in which all ranks take part (`torch/csrc/distributed/c10d/Ops.cpp`, PyTorch 2.6 to 2.11).
const COLLECTIVES: &[&str] = &[
    "_allgather_base_",
    "_reduce_scatter_base_",
    "allgather_",
    "allgather_coalesced_",
    "allgather_into_tensor_coalesced_",
    "allreduce_",
    "allreduce_coalesced_",
    "alltoall_",
    "alltoall_base_",
    "barrier",
    "broadcast_",
    "gather_",
    "reduce_",
    "reduce_scatter_",
    "reduce_scatter_tensor_coalesced_",
    "scatter_",
];

/// Those between two ranks.
const BETWEEN_TWO: &[&str] = &["recv_", "recv_any_source_", "send"];

/// Whether an operator carries data between ranks by the host: a collective or a message with tensors, all of them the host's.
pub(crate) fn is_host_message(operation: &Operation<'_>) -> bool {
    let is_message = operation.name != "barrier"
        && (COLLECTIVES.binary_search(&operation.name).is_ok()
            || BETWEEN_TWO.contains(&operation.name));
    let mut given = tensors(operation.arguments).peekable();
    is_message && given.peek().is_some() && given.all(|tensor| !tensor.on_gpu)
}

/// A call of a collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collective<'a, 't> {
    pub(crate) operation: &'a Operation<'t>,
    /// The address of PyTorch's object of the process group.
    pub(crate) group: u64,
    /// The capture that recorded its work, by itself or through operators that it calls: an index into
    /// [`History::captures`](crate::history::History::captures).
    pub(crate) capture: Option<usize>,
}

impl<'t> Activity<'t> {
    /// The collectives that were called, in order, as far as their groups are known.
    pub(crate) fn collectives(&self) -> impl Iterator<Item = Collective<'_, 't>> {
        let operations = self.operations.iter().enumerate();
        operations.filter_map(|(index, operation)| {
            let is_collective = COLLECTIVES.binary_search(&operation.name).is_ok();
            let group = is_collective.then(|| group(operation))??;
            Some(Collective {
                operation,
                group,
                capture: self.capture_inside(index),
            })
        })
    }

    fn capture_inside(&self, index: usize) -> Option<usize> {
        let outer = &self.operations[index];
        let mut inside = self.operations[index..]
            .iter()
            .take_while(|it| it.position <= outer.end)
            .filter(|it| it.thread == outer.thread);
        inside.find_map(|it| it.capture)
    }
}

fn group(operation: &Operation<'_>) -> Option<u64> {
    operation.arguments.iter().find_map(|it| match it {
        Argument::Object(address) => Some(*address),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order() {
        assert!(COLLECTIVES.is_sorted());
    }
}
