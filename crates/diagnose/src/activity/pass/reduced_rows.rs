//! Rows of static inputs that a graph sums up, of which a smaller batch has replaced the first only.

use cgsan_trace::TensorRecord;
use rustc_hash::FxHashMap;

use super::Pass;
use super::padding::{Source, span_of};
use crate::activity::harm::Harm;
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

/// What is known of rows that graphs reduce.
#[derive(Debug, Default)]
pub(super) struct ReducedRows {
    /// What a running capture computed row by row, by where its storage begins.
    computed: FxHashMap<u64, Rows>,
    /// What each graph reduces.
    reduced: FxHashMap<usize, Vec<Reduced>>,
}

/// A tensor of a capture whose rows come from the same rows of inputs.
#[derive(Clone, Debug)]
struct Rows {
    /// The inputs; nothing where some of what goes into a row is not known, such as a mask.
    from: Option<Vec<Source>>,
    /// Its sizes when it was made.
    sizes: Vec<u64>,
}

/// One number made of all rows of inputs.
#[derive(Clone, Debug)]
struct Reduced {
    from: Vec<Source>,
    operation: usize,
}

impl Pass<'_, '_> {
    /// A captured operator has ended: which rows of inputs its results come from.
    pub(super) fn captured_rows(&mut self, graph: usize, index: usize) {
        let operation = &self.activity.operations[index];
        let made: Vec<&TensorRecord> = results(operation).collect();
        if REDUCING.contains(&operation.name) && made.iter().all(|it| elements(it) == 1) {
            let rows = tensors(operation.arguments)
                .next()
                .and_then(|it| it.sizes.first());
            if let Some(from) = rows.and_then(|rows| self.rows_from(graph, operation, *rows)) {
                for (block, _) in &from {
                    self.padding.keep(*block);
                }
                let reduced = self.reduced_rows.reduced.entry(graph).or_default();
                reduced.push(Reduced {
                    from,
                    operation: index,
                });
            }
            return;
        }
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

    /// No capture runs any more.
    pub(super) fn forget_computed_rows(&mut self) {
        self.reduced_rows.computed.clear();
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
    /// inputs has no old rows, it may say which rows count.
    pub(super) fn reduces_old_rows(&mut self, graph: usize, replay: usize) {
        let Some(reduced) = self.reduced_rows.reduced.get(&graph) else {
            return;
        };
        let found: Vec<Harm> = reduced
            .iter()
            .filter_map(|reduced| {
                let all = reduced.from.iter().map(|it| self.old_rows(graph, it));
                let all: Option<Vec<_>> = all.collect();
                let (batch, earlier) = all?.first().copied()?;
                Some(Harm::OldRowsReduced {
                    block: reduced.from.first()?.0,
                    operation: reduced.operation,
                    batch,
                    earlier,
                })
            })
            .collect();
        for harm in found {
            self.found(graph, Some(replay), harm);
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
fn results<'t>(operation: &Operation<'t>) -> impl Iterator<Item = &'t TensorRecord> {
    tensors(operation.results).filter(|it| it.on_gpu)
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
