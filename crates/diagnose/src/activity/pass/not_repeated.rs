//! Operators that moved memory on beside a capture which uses none of it, as a count does on another stream.

use super::Pass;
use super::left_out::NotRepeated;
use crate::activity::harm::Harm;

/// Replays from which on it matters that none of them repeats an operator.
const REPLAYS: usize = 2;

impl Pass<'_, '_> {
    /// What an operator beside a capture went on from, of memory from before the capture.
    pub(super) fn goes_on_beside(&self, graph: usize, operation: usize) -> Vec<NotRepeated> {
        let began = self.history.captures[graph].began.position;
        let touched = &self.activity.operations[operation].touched;
        let written = touched.iter().filter(|(_, writes)| *writes);
        let moved_on = written.map(|(block, _)| *block).filter(|block| {
            let allocated = self.activity.memory[*block].allocated.position;
            allocated < began && touched.contains(&(*block, false))
        });
        moved_on
            .map(|block| NotRepeated {
                graph,
                operation,
                block,
            })
            .collect()
    }

    /// At the end of the trace: it matters where the graph was replayed, the program reads the block afterwards, and nobody has written
    /// it since the capture.
    pub(super) fn read_though_not_repeated(&mut self) {
        for it in std::mem::take(&mut self.left_out.alone) {
            if self.is_read_after_replays(&it) && !self.is_written_since_capture(&it) {
                let harm = Harm::LeftOut {
                    operation: it.operation,
                    block: Some(it.block),
                };
                self.found(it.graph, None, harm);
            }
        }
    }

    fn is_read_after_replays(&self, it: &NotRepeated) -> bool {
        let replays = self.activity.replays.iter();
        let mut replays = replays.filter(|other| other.graph == it.graph);
        let Some(replay) = replays.nth(REPLAYS - 1) else {
            return false;
        };
        let operations = self.activity.operations.iter().rev();
        operations
            .take_while(|other| other.position > replay.position)
            .any(|other| other.touched.contains(&(it.block, false)))
    }

    fn is_written_since_capture(&self, it: &NotRepeated) -> bool {
        let run = &self.history.captures[it.graph];
        let ended = run.ended.map_or(run.began.position, |it| it.position);
        let last = self.activity.written.last(it.block);
        let mut accesses = self.activity.graphs.iter().flat_map(|it| &it.accesses);
        last.is_some_and(|last| last > ended)
            || accesses.any(|other| other.block == it.block && other.does.may_write())
    }
}
