//! Rows of static inputs that a graph sums up, of which a smaller batch has replaced the first only.

use std::rc::Rc;

use cgsan_trace::{Argument, TensorRecord};
use rustc_hash::FxHashMap;

use super::Pass;
use super::flows::{Flow, Flows};
use super::padding::{Source, span_of};
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;
use crate::activity::operation::{Operation, tensors};

/// Operators that make one number of all that they are given, where their result is one (`native_functions.yaml`).
const REDUCING: &[&str] = &[
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "huber_loss",
    "linalg_vector_norm",
    "mean",
    "mse_loss",
    "nll_loss2d_forward",
    "nll_loss_forward",
    "smooth_l1_loss",
    "soft_margin_loss",
    "std",
    "sum",
    "var",
];

/// Those that make one row of all rows, where they are told to (`native_functions.yaml`).
const SUMMING: &[&str] = &["mean", "std", "sum", "var"];

/// PyTorch's numbers for the dtypes of fractions: a sum of whole numbers may be a count that says where rows go.
const FRACTIONS: [u8; 4] = [5, 6, 7, 15];

/// What is known of rows that graphs reduce.
#[derive(Debug, Default)]
pub(super) struct ReducedRows {
    /// What a running capture computed row by row, by where its storage begins.
    computed: FxHashMap<u64, Rows>,
    /// What went into the tensors of a running capture.
    flows: Flows,
    /// What each graph reduces.
    reduced: FxHashMap<usize, Vec<Reduced>>,
    /// Blocks in which the last replay of a graph left what comes of old rows.
    left: FxHashMap<BlockId, Left>,
}

/// A tensor of a capture whose rows come from the same rows of inputs.
#[derive(Clone, Debug)]
struct Rows {
    /// The inputs; nothing where some of what goes into a row is not known, such as a mask.
    from: Option<Vec<Source>>,
    /// Its sizes when it was made.
    sizes: Vec<u64>,
}

/// One number, or one row, made of all rows of inputs.
#[derive(Clone, Debug)]
struct Reduced {
    from: Vec<Source>,
    operation: usize,
    /// All inputs that go into it, if they are known.
    inputs: Option<Rc<[BlockId]>>,
    /// Of one row, the blocks in which a replay leaves what comes of it: only who reads these sees it.
    left_in: Option<Vec<BlockId>>,
}

/// What a replay left in a block.
#[derive(Clone, Copy, Debug)]
struct Left {
    graph: usize,
    replay: usize,
    harm: Harm,
}

impl Pass<'_, '_> {
    /// A captured operator has ended: which rows of inputs its results come from.
    pub(super) fn captured_rows(&mut self, graph: usize, index: usize) {
        let operation = &self.activity.operations[index];
        let made: Vec<&TensorRecord> = results(operation).collect();
        let is_number =
            REDUCING.contains(&operation.name) && made.iter().all(|it| elements(it) == 1);
        let is_row = !is_number && makes_one_row(operation);
        let flows = &self.reduced_rows.flows;
        let flow = flows.of_results(graph, operation, &self.activity.memory);
        let sum = if is_number || is_row {
            self.reduces(graph, index, flow.inputs(), is_row)
        } else {
            None
        };
        self.note_flow(graph, &made, &flow, sum);
        if is_number {
            return;
        }
        let operation = &self.activity.operations[index];
        let computed: Vec<(u64, Rows)> = made
            .iter()
            .filter_map(|made| {
                let rows = *made.sizes.first()?;
                let rows = Rows {
                    from: self.rows_from(graph, operation, rows),
                    sizes: made.sizes.clone(),
                };
                Some((made.address, rows))
            })
            .collect();
        self.reduced_rows.computed.extend(computed);
    }

    /// A captured operator makes one number of all rows, or one row, which is a sum with a number then. Gives that with how many rows they
    /// are.
    fn reduces(
        &mut self,
        graph: usize,
        index: usize,
        inputs: Option<Rc<[BlockId]>>,
        is_row: bool,
    ) -> Option<(usize, u64)> {
        let operation = &self.activity.operations[index];
        let rows = *tensors(operation.arguments).next()?.sizes.first()?;
        let from = self.rows_from(graph, operation, rows)?;
        for (block, _) in &from {
            self.padding.keep(*block);
        }
        let reduced = self.reduced_rows.reduced.entry(graph).or_default();
        reduced.push(Reduced {
            from,
            operation: index,
            inputs,
            left_in: is_row.then(Vec::new),
        });
        is_row.then_some((reduced.len() - 1, rows))
    }

    /// Takes note of what went into the results of a captured operator, and of sums that it leaves in memory from before.
    fn note_flow(
        &mut self,
        graph: usize,
        made: &[&TensorRecord],
        flow: &Flow,
        sum: Option<(usize, u64)>,
    ) {
        let memory = &self.activity.memory;
        for tensor in made {
            let sums = self.reduced_rows.flows.set(tensor, flow, sum);
            let block = memory.at(tensor.address);
            if let Some(block) = block.filter(|it| memory[*it].capture != Some(graph)) {
                self.reduced_rows.leaves(graph, &sums, block);
            }
        }
    }

    /// A capture has ended: what comes of sums over rows is left where its blocks live on.
    pub(super) fn captured_sums(&mut self, graph: usize) {
        let memory = &self.activity.memory;
        let blocks: Vec<(BlockId, Vec<usize>)> = self
            .reduced_rows
            .flows
            .sums()
            .filter_map(|(address, sums)| Some((memory.at(address)?, sums)))
            .filter(|(block, _)| memory[*block].capture == Some(graph))
            .collect();
        for (block, sums) in blocks {
            self.reduced_rows.leaves(graph, &sums, block);
        }
    }

    /// No capture runs any more.
    pub(super) fn forget_computed_rows(&mut self) {
        self.reduced_rows.computed.clear();
        self.reduced_rows.flows = Flows::default();
    }

    /// The inputs whose rows go, each for itself, into so many rows; `None` if some of what goes into them is not known.
    fn rows_from(&self, graph: usize, operation: &Operation<'_>, rows: u64) -> Option<Vec<Source>> {
        let mut found: Vec<Source> = Vec::new();
        for tensor in tensors(operation.arguments) {
            if tensor.sizes.first() == Some(&rows) {
                found.extend(self.rows_of(graph, tensor, rows)?);
            }
        }
        found.sort_unstable();
        found.dedup();
        (rows > 1 && !found.is_empty()).then_some(found)
    }

    /// The inputs whose rows go, each for itself, into the so many rows of a tensor; `None` if that is not known.
    pub(super) fn rows_of(
        &self,
        graph: usize,
        tensor: &TensorRecord,
        rows: u64,
    ) -> Option<Vec<Source>> {
        if let Some(computed) = self.reduced_rows.computed.get(&tensor.address) {
            let is_whole = tensor.is_whole_storage() && computed.has(rows);
            return computed.from.clone().filter(|_| is_whole);
        }
        let memory = &self.activity.memory;
        let block = memory.at(tensor.address)?;
        let is_input = memory[block].capture != Some(graph);
        is_input.then_some(vec![(block, span_of(tensor)?)])
    }

    /// A replay is about to be enqueued: whether it reduces what an earlier batch left behind the last one. Where one of several
    /// inputs has no old rows, it may say which rows count, if it was written for this batch.
    pub(super) fn reduces_old_rows(&mut self, graph: usize, replay: usize) {
        self.reduced_rows.left.retain(|_, it| it.graph != graph);
        let Some(reduced) = self.reduced_rows.reduced.get(&graph) else {
            return;
        };
        let found: Vec<(Harm, Option<Vec<BlockId>>)> = reduced
            .iter()
            .filter_map(|reduced| {
                let of_input = |it| (it, self.old_rows(graph, it));
                let (old, others): (Vec<_>, Vec<_>) = reduced
                    .from
                    .iter()
                    .map(of_input)
                    .partition(|it| it.1.is_some());
                let (first, (batch, earlier)) =
                    old.first().and_then(|(it, rows)| Some((it, (*rows)?)))?;
                let is_known = others.is_empty()
                    || self.is_as_at_the_last_replay(graph, replay, reduced, &old);
                is_known.then_some(())?;
                let harm = Harm::OldRowsReduced {
                    block: first.0,
                    operation: reduced.operation,
                    batch,
                    earlier,
                };
                Some((harm, reduced.left_in.clone()))
            })
            .collect();
        for (harm, left_in) in found {
            match left_in {
                None => self.found(graph, Some(replay), harm),
                Some(blocks) => {
                    let left = Left {
                        graph,
                        replay,
                        harm,
                    };
                    let blocks = blocks.into_iter().map(|block| (block, left));
                    self.reduced_rows.left.extend(blocks);
                }
            }
        }
    }

    /// Whether nothing that goes into it was written since the last replay, but for the inputs with old rows: so nothing says which rows
    /// count in this batch.
    fn is_as_at_the_last_replay(
        &self,
        graph: usize,
        replay: usize,
        reduced: &Reduced,
        old: &[(&Source, Option<(usize, usize)>)],
    ) -> bool {
        let before = &self.activity.replays[..replay];
        let Some(last) = before.iter().rfind(|it| it.graph == graph) else {
            return false;
        };
        let Some(inputs) = &reduced.inputs else {
            return false;
        };
        let written = &self.activity.written;
        let is_old = |block: BlockId| old.iter().any(|(source, _)| source.0 == block);
        let mut others = inputs.iter().copied().filter(|it| !is_old(*it));
        others.all(|block| {
            let mut accesses = self.activity.graphs.iter().flat_map(|it| &it.accesses);
            written
                .last(block)
                .is_none_or(|position| position < last.position)
                && !accesses.any(|it| it.block == block && it.does.may_write())
        })
    }

    /// An eager operator reads what replays left in blocks.
    pub(super) fn reads_old_sums(&mut self, touched: &[(BlockId, bool)]) {
        if self.reduced_rows.left.is_empty() {
            return;
        }
        for (block, is_written) in touched {
            if let Some(left) = self.reduced_rows.left.remove(block)
                && !is_written
            {
                self.found(left.graph, Some(left.replay), left.harm);
            }
        }
    }
}

impl ReducedRows {
    /// A graph leaves what comes of sums over rows in a block.
    fn leaves(&mut self, graph: usize, sums: &[usize], block: BlockId) {
        let Some(reduced) = self.reduced.get_mut(&graph) else {
            return;
        };
        for sum in sums {
            if let Some(blocks) = reduced.get_mut(*sum).and_then(|it| it.left_in.as_mut()) {
                blocks.push(block);
            }
        }
    }
}

impl Rows {
    /// Whether so many rows of it are its own, or these and the next dimensions taken together.
    fn has(&self, rows: u64) -> bool {
        let mut product = 1_u64;
        self.sizes.iter().any(|size| {
            product = product.saturating_mul(*size);
            product == rows
        })
    }
}

/// The tensors that an operator gives, or changes.
fn results<'t>(operation: &Operation<'t>) -> impl Iterator<Item = &'t TensorRecord> + use<'t> {
    tensors(operation.results).filter(|it| it.on_gpu)
}

/// Whether an operator makes one row of the rows of its first argument, which are numbers with fractions.
fn makes_one_row(operation: &Operation<'_>) -> bool {
    let [Argument::Tensor(given), dimensions, ..] = operation.arguments else {
        return false;
    };
    let whole = i64::try_from(given.sizes.len()).unwrap_or_default();
    let is_first = |it: &Argument| matches!(it, Argument::Integer(it) if *it == 0 || *it == -whole);
    let is_over_first = match dimensions {
        Argument::List(all) => all.iter().any(is_first),
        one => is_first(one),
    };
    SUMMING.contains(&operation.name) && is_over_first && FRACTIONS.contains(&given.dtype)
}

fn elements(tensor: &TensorRecord) -> u64 {
    tensor.sizes.iter().product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_first_dimensions() {
        let rows = Rows {
            from: None,
            sizes: vec![4, 3, 8],
        };
        assert!(rows.has(4) && rows.has(12) && rows.has(96));
        assert!(!rows.has(3) && !rows.has(8) && !rows.has(24));
    }
}
