//! Graphs that read what another graph wrote, in whose place the program has captured a new one.

use super::Pass;
use crate::activity::{Access, BlockId, Harm};

impl Pass<'_, '_> {
    /// A replay finds in an input what only a graph wrote that is gone, and a new one in its place has run before it, as it had before
    /// the last replay. What is computed once, and read for ever, has none in its place.
    pub(super) fn reads_what_a_replaced_graph_wrote(&mut self, graph: usize, replay: usize) {
        let inputs = self.activity.graphs[graph].inputs(graph, &self.activity.memory);
        for access in inputs.iter().filter(|access| access.does.reads()) {
            let block = self.activity.memory[access.block];
            let Some(writer) = block.capture else {
                continue;
            };
            let is_there = self.activity.graphs[writer].is_there(usize::MAX);
            if is_there || block.freed.is_some() || self.is_written_otherwise(writer, access.block)
            {
                continue;
            }
            if let Some(successor) = self.successor_that_runs(writer, graph, replay) {
                let harm = Harm::WriterReplaced {
                    block: access.block,
                    operation: access.operation,
                    successor,
                };
                self.found(graph, Some(replay), harm);
            }
        }
    }

    /// Whether something else than a graph has written a block of its capture.
    fn is_written_otherwise(&self, writer: usize, block: BlockId) -> bool {
        let is_written = |access: &Access| access.block == block && access.does.may_write();
        self.activity.written.last(block).is_some()
            || self.activity.others_access(writer, is_written)
    }

    /// The last replay of a graph that was captured in place of one that is gone, if it runs before each replay of the reader.
    fn successor_that_runs(&self, gone: usize, reader: usize, replay: usize) -> Option<usize> {
        let before = &self.activity.replays[..replay];
        let last = before.iter().rposition(|it| it.graph == reader)?;
        let mut since = before.iter().enumerate().skip(last).rev();
        let (found, successor) =
            since.find(|(_, it)| self.takes_the_place_of(it.graph, gone, reader))?;
        let ran_before = before[..last].iter().any(|it| it.graph == successor.graph);
        ran_before.then_some(found)
    }

    /// Whether a graph was captured after another one's reader, by the function that released that, and does the same operators.
    fn takes_the_place_of(&self, graph: usize, gone: usize, reader: usize) -> bool {
        let captures = &self.history.captures;
        let Some(ended) = captures[reader].ended else {
            return false;
        };
        let function = |position: usize| {
            let place = self.history.location_at(position)?;
            Some((place.file, place.function))
        };
        let executables = self.activity.graphs[gone].executables.iter();
        let let_go = executables.filter_map(|(_, _, gone)| *gone).max();
        let began = captures[graph].began.position;
        began > ended.position
            && let_go
                .and_then(function)
                .is_some_and(|it| Some(it) == function(began))
            && self.operators_of(graph).eq(self.operators_of(gone))
    }

    fn operators_of(&self, graph: usize) -> impl Iterator<Item = &str> {
        let operations = self.activity.operations.iter();
        operations
            .filter(move |it| it.capture == Some(graph))
            .map(|it| it.name)
    }
}
