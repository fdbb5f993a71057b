//! What a graph adds at indexes of an earlier batch: it counts once more.

use cgsan_trace::{Argument, TensorRecord};

use super::Pass;
use super::padding::{Source, is_index};
use crate::activity::operation::{Operation, tensors};

/// What an operator adds at indexes.
#[derive(Clone, Debug)]
pub(super) struct Added {
    /// The inputs that it comes from, row by row.
    pub(super) rows: Vec<Source>,
    /// Whether it is one of them itself, and nothing computed, which may be a mask.
    is_input: bool,
}

impl Pass<'_, '_> {
    /// What a captured operator adds, if it is known where each row of it comes from.
    pub(super) fn added(
        &self,
        graph: usize,
        indexes: &[&TensorRecord],
        values: &TensorRecord,
    ) -> Option<Added> {
        let rows = *indexes.first()?.sizes.first()?;
        let is_as_long = values.sizes.first() == Some(&rows);
        let block = self.activity.memory.at(values.address)?;
        let is_input = self.activity.memory[block].capture != Some(graph);
        (rows > 1 && (is_as_long || is_input)).then_some(())?;
        Some(Added {
            rows: self.rows_of(graph, values, rows)?,
            is_input,
        })
    }

    /// Whether the rows of an earlier batch add what they added then: old values, or what is the same at all replays.
    pub(super) fn counts_again(&self, graph: usize, added: &Added) -> bool {
        added.rows.iter().all(|source| {
            self.old_rows(graph, source).is_some()
                || (added.is_input && self.is_constant(graph, source))
        })
    }

    /// Whether nothing has written an input since the graph was captured.
    fn is_constant(&self, graph: usize, (block, _): &Source) -> bool {
        let began = self.history.captures[graph].began.position;
        let written = self.activity.written.last(*block);
        let mut graphs = self.activity.graphs.iter();
        written.is_none_or(|position| position < began)
            && !graphs.any(|graph| {
                let mut accesses = graph.accesses.iter();
                accesses.any(|it| it.block == *block && it.does.may_write())
            })
    }
}

/// Where an operator adds, at which indexes, and what.
pub(super) fn added_through<'t>(
    operation: &Operation<'t>,
) -> Option<(&'t TensorRecord, Vec<&'t TensorRecord>, &'t TensorRecord)> {
    let [Argument::Tensor(into), arguments @ ..] = operation.arguments else {
        return None;
    };
    let (given, values) = match (operation.name, arguments) {
        (
            "index_put_" | "_index_put_impl_",
            [
                Argument::List(given),
                Argument::Tensor(values),
                Argument::Bool(true),
                ..,
            ],
        ) => (given.as_slice(), values),
        ("put_", [given, Argument::Tensor(values), Argument::Bool(true), ..])
        | (
            "index_add_" | "scatter_add_",
            [Argument::Integer(0), given, Argument::Tensor(values), ..],
        ) => (std::slice::from_ref(given), values),
        _ => return None,
    };
    let indexes: Vec<&TensorRecord> = tensors(given).collect();
    let is_plain = !indexes.is_empty() && indexes.iter().all(|index| is_index(index));
    is_plain.then_some((into, indexes, values))
}
