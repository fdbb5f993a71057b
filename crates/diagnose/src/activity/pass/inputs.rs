//! Replays that nothing makes wait for an eager operator, which writes on another stream what they read.

use cgsan_model::Stream;
use cgsan_trace::TensorRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use crate::activity::memory::BlockId;
use crate::activity::order::{Order, Ticket};
use crate::activity::{Race, Unordered};

/// Who wrote blocks last.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// The operator, and its work.
    last: FxHashMap<BlockId, (usize, Ticket)>,
    /// The work of eager operators that have not ended: what they record or wait for behind it, as a copy between devices does, counts.
    works: FxHashMap<usize, Ticket>,
    /// Pairs of a graph and a block that were found.
    pub(super) found: FxHashSet<(usize, BlockId)>,
}

impl Writers {
    /// An eager operator enqueues work.
    pub(super) fn enqueued(&mut self, operation: usize, stream: Stream, order: &mut Order) {
        self.works.insert(operation, order.enqueued(stream));
    }
}

impl Pass<'_, '_> {
    /// An eager operator has ended that enqueued work, and writes these blocks.
    pub(super) fn wrote_eagerly(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let Some(ticket) = self.writers.works.remove(&index) else {
            return;
        };
        let written = touched.iter().filter(|(_, writes)| *writes);
        let written = written.map(|(block, _)| (*block, (index, ticket)));
        self.writers.last.extend(written);
    }

    /// A replay is about to be enqueued.
    pub(super) fn unordered(&mut self, graph: usize, stream: Stream, replay: usize) {
        // A graph that waits for events of outside may wait for the writer.
        if !self.sees_all_calls || !self.sees_order || self.activity.graphs[graph].waits_outside {
            return;
        }
        let inputs = self.activity.graphs[graph].inputs(graph, &self.activity.memory);
        for access in inputs.iter().filter(|access| access.does.reads()) {
            let Some((writer, ticket)) = self.writers.last.get(&access.block).copied() else {
                continue;
            };
            if self.replays.order.is_before(ticket, stream)
                || !self.meet(access.block, writer, access.operation)
                || !self.writers.found.insert((graph, access.block))
            {
                continue;
            }
            self.activity.unordered.push(Unordered {
                replay,
                writer,
                reader: access.operation,
                race: Race::InputNotWritten,
            });
        }
    }

    /// Whether of a block, an operator surely writes elements that another one reads, and not only others.
    pub(super) fn meet(&self, block: BlockId, writer: usize, reader: usize) -> bool {
        let is_of_block =
            |tensor: &TensorRecord| self.activity.memory.at(tensor.address) == Some(block);
        let read = self.activity.operations[reader].touches();
        let mut read = read
            .iter()
            .filter(|touch| touch.does.reads() && is_of_block(touch.tensor));
        let written = self.activity.operations[writer].written();
        let written: Vec<_> = written.filter(|tensor| is_of_block(tensor)).collect();
        read.any(|touch| {
            let read = touch.tensor;
            written.iter().any(|written| {
                read.is_whole_storage()
                    || written.is_whole_storage()
                    || (read.offset, &read.sizes) == (written.offset, &written.sizes)
            })
        })
    }
}
