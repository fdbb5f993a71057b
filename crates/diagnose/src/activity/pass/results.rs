//! Memory of the host that captured copies write, and who reads it before they have.

use super::Pass;
use crate::activity::graph::HostResult;
use crate::activity::harm::Harm;
use crate::activity::ranges::{Ranges, overlap};

/// What is known of results in the memory of the host.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// All that captured copies write.
    written: Ranges,
    /// Who read one early since the last replay of any graph.
    early: Vec<Early>,
}

/// An operator of the host that read a result while the replay that writes it may still have run.
#[derive(Debug)]
struct Early {
    graph: usize,
    replay: usize,
    /// Which of the graph's results.
    result: usize,
    reader: usize,
    /// The first byte that it read, and how many.
    read: (u64, u64),
    /// Whether the same line read it again in the same way: a host that looks until the value is there.
    polls: bool,
}

impl Pass<'_, '_> {
    /// A copy to the host was captured.
    pub(super) fn copies_to_host(&mut self, graph: usize, result: HostResult) {
        self.results.written.add(result.address, result.bytes);
        self.activity.graphs[graph].results.push(result);
    }

    /// An operator that works on the host alone may read what captured copies write.
    pub(super) fn host_results(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        let touches = operation.touches();
        let is_of_host = touches.iter().all(|touch| !touch.tensor.on_gpu);
        // What an operator calls is given what that was given.
        if operation.parent.is_some()
            || !self.sees_order
            || !is_of_host
            || !operation.may_work()
            || !self.captures.running.is_empty()
        {
            return;
        }
        let is_listed = self.lists_elements(index);
        let read: Vec<(u64, u64)> = touches
            .iter()
            .filter(|touch| touch.does.reads() || is_listed)
            .filter_map(|touch| touch.tensor.range())
            .filter(|(address, bytes)| self.results.written.touches(*address, *bytes))
            .collect();
        for (address, bytes) in read {
            self.reads_results(index, (address, bytes));
        }
    }

    /// Whether it is the last operator of `tolist()`, which then reads the elements itself: it resolves the conjugation and the sign.
    /// `numpy()` does the same with what it has detached and moved to the host before, and reads nothing.
    fn lists_elements(&self, index: usize) -> bool {
        let last = &self.activity.operations[index];
        if last.name != "resolve_neg" {
            return false;
        }
        let before = self.activity.operations[..index].iter().rev();
        let mut of_line = before
            .filter(|it| it.thread == last.thread && it.parent.is_none() && it.stack == last.stack);
        let mut after = last;
        let mut follows = |name: &str| {
            let given = after.arguments.first();
            let Some(found) = of_line.next() else {
                return false;
            };
            after = found;
            found.name == name && found.results.first() == given
        };
        follows("resolve_conj") && !(follows("to") && follows("detach"))
    }

    fn reads_results(&mut self, reader: usize, read: (u64, u64)) {
        let call = |index: usize| {
            let operation = &self.activity.operations[index];
            (operation.name, operation.stack)
        };
        for (graph, it) in self.activity.graphs.iter().enumerate() {
            let overlaps = |result: &HostResult| overlap((result.address, result.bytes), read);
            let (Some(result), Some(replay)) = (
                it.results.iter().position(overlaps),
                self.replays.last.get(&graph).copied(),
            ) else {
                continue;
            };
            let ticket = self.activity.replays[replay].ticket;
            if self.replays.order.is_over(ticket) {
                continue;
            }
            let mut known = self.results.early.iter_mut();
            match known.find(|early| early.graph == graph && early.result == result) {
                Some(early) => {
                    early.polls |= early.read == read && call(early.reader) == call(reader);
                }
                None => self.results.early.push(Early {
                    graph,
                    replay,
                    result,
                    reader,
                    read,
                    polls: false,
                }),
            }
        }
    }

    /// What was read early was not read again until it was there.
    pub(super) fn read_early(&mut self) {
        for early in std::mem::take(&mut self.results.early) {
            if early.polls {
                continue;
            }
            let harm = Harm::ResultReadEarly {
                reader: early.reader,
                result: early.result,
            };
            self.found(early.graph, Some(early.replay), harm);
        }
    }
}
