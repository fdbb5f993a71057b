//! Graphs that read what another graph wrote, in whose place the program has captured a new one.

use super::Pass;
use crate::activity::{Access, BlockId, Harm};
use crate::history::{stack, step};

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
            if is_there || self.is_written_otherwise(writer, access.block) {
                continue;
            }
            let is_freed = block.freed.is_some();
            if let Some(successor) = self.successor_that_runs(writer, graph, replay, is_freed) {
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

    /// The last replay of a graph that was captured in place of one that is gone, if it runs before each replay of the reader. The output of
    /// the one that is gone may be freed as well.
    fn successor_that_runs(
        &self,
        gone: usize,
        reader: usize,
        replay: usize,
        is_freed: bool,
    ) -> Option<usize> {
        let before = &self.activity.replays[..replay];
        let last = before.iter().rposition(|it| it.graph == reader)?;
        let mut since = before.iter().enumerate().skip(last).rev();
        let (found, successor) =
            since.find(|(_, it)| self.takes_the_place_of(it.graph, gone, reader, is_freed))?;
        let ran_before = before[..last].iter().any(|it| it.graph == successor.graph);
        ran_before.then_some(found)
    }

    /// Whether a graph was captured after another one's reader, by the function that released that, and does the same operators. Where the
    /// output was freed, that function may have called a helper to capture.
    fn takes_the_place_of(&self, graph: usize, gone: usize, reader: usize, is_freed: bool) -> bool {
        let captures = &self.history.captures;
        let Some(ended) = captures[reader].ended else {
            return false;
        };
        let executables = self.activity.graphs[gone].executables.iter();
        let let_go = executables.filter_map(|(_, _, gone)| *gone).max();
        let released_by = let_go.and_then(|it| self.functions_at(it).into_iter().next());
        let began = captures[graph].began.position;
        let callers = if is_freed { usize::MAX } else { 1 };
        let mut captured_by = self.functions_at(began).into_iter().take(callers);
        began > ended.position
            && released_by.is_some_and(|it| captured_by.any(|other| it == other))
            && self.operators_of(graph).eq(self.operators_of(gone))
    }

    /// The functions of the program that made the call at a place of the trace, innermost first, each with its file.
    fn functions_at(&self, position: usize) -> Vec<(String, String)> {
        let stack = step::at(self.history.trace, position).and_then(|it| it.record.stack);
        let frames = stack.map(|it| self.history.trace.stack(it));
        let own = frames.into_iter().flatten().filter(stack::is_own_code);
        own.map(|frame| (frame.file, frame.function)).collect()
    }

    fn operators_of(&self, graph: usize) -> impl Iterator<Item = &str> {
        let operations = self.activity.operations.iter();
        operations
            .filter(move |it| it.capture == Some(graph))
            .map(|it| it.name)
    }
}
