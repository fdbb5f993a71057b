//! What goes into the tensors that a running capture computes.

use std::rc::Rc;

use cgsan_trace::TensorRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::memory::{BlockId, Memory};
use crate::activity::operation::{Operation, tensors};

/// Inputs remembered of one tensor: of more, nothing is known.
const INPUTS: usize = 64;

/// The tensors of a running capture, by where their storages begin.
#[derive(Debug, Default)]
pub(super) struct Flows {
    of: FxHashMap<u64, Flow>,
}

/// What goes into one tensor.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The inputs of the graph, in order; `None` where they are too many.
    inputs: Option<Rc<[BlockId]>>,
    /// The sums over rows that it goes on from, each with how many rows these are.
    sums: Vec<(usize, u64)>,
}

impl Flows {
    /// What goes into the results of a captured operator.
    pub(super) fn of_results(
        &self,
        graph: usize,
        operation: &Operation<'_>,
        memory: &Memory,
    ) -> Flow {
        let mut inputs = Some(FxHashSet::default());
        let mut sums = Vec::new();
        for tensor in tensors(operation.arguments) {
            if let Some(known) = self.of.get(&tensor.address) {
                sums.extend(&known.sums);
                match (&mut inputs, &known.inputs) {
                    (Some(inputs), Some(known)) => inputs.extend(known.iter().copied()),
                    _ => inputs = None,
                }
            } else if let Some(block) = memory.at(tensor.address)
                && memory[block].capture != Some(graph)
                && let Some(inputs) = &mut inputs
            {
                inputs.insert(block);
            }
        }
        sums.sort_unstable();
        sums.dedup();
        Flow {
            inputs: inputs.filter(|it| it.len() <= INPUTS).map(|inputs| {
                let mut sorted: Vec<BlockId> = inputs.into_iter().collect();
                sorted.sort_unstable();
                sorted.into()
            }),
            sums,
        }
    }

    /// Takes note of what goes into a result, which may be a sum over so many rows itself, and gives the sums among it. A result that has
    /// as many rows again is made row by row.
    pub(super) fn set(
        &mut self,
        made: &TensorRecord,
        flow: &Flow,
        sum: Option<(usize, u64)>,
    ) -> Vec<usize> {
        let mut own = flow.clone();
        own.sums
            .retain(|(_, rows)| made.sizes.first() != Some(rows));
        own.sums.extend(sum);
        let sums = own.sums.iter().map(|(sum, _)| *sum).collect();
        self.of.insert(made.address, own);
        sums
    }

    /// The tensors that go on from sums over rows, by where they begin, with these sums.
    pub(super) fn sums(&self) -> impl Iterator<Item = (u64, Vec<usize>)> {
        let of = |flow: &Flow| flow.sums.iter().map(|(sum, _)| *sum).collect::<Vec<_>>();
        let all = self
            .of
            .iter()
            .map(move |(address, flow)| (*address, of(flow)));
        all.filter(|(_, sums)| !sums.is_empty())
    }
}

impl Flow {
    /// All inputs, if they are known.
    pub(super) fn inputs(&self) -> Option<Rc<[BlockId]>> {
        self.inputs.clone()
    }
}
