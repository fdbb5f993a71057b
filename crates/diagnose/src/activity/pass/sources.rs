//! Memory of the host that captured copies read.

use std::collections::BTreeMap;

use super::Pass;
use crate::activity::graph::Source;
use crate::activity::harm::Harm;
use crate::activity::operation;

/// What is known of memory of the host.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Tensors by their first bytes: how many bytes they have, and the operator that made them.
    made: BTreeMap<u64, (u64, usize)>,
    /// Sources of captured copies that were freed: the graph, which of its sources, and the operator that has the memory now.
    freed: Vec<(usize, usize, usize)>,
}

impl Sources {
    /// The operator that made the tensor which holds an address.
    fn maker(&self, address: u64) -> Option<usize> {
        let (start, (bytes, operation)) = self.made.range(..=address).next_back()?;
        (address < start.saturating_add(*bytes)).then_some(*operation)
    }
}

impl Pass<'_, '_> {
    /// A copy from the host was captured.
    pub(super) fn copies_from_host(
        &mut self,
        graph: usize,
        address: u64,
        bytes: u64,
        operation: Option<usize>,
    ) {
        let made = self.sources.maker(address);
        self.activity.graphs[graph].sources.push(Source {
            address,
            bytes,
            operation,
            made,
        });
    }

    /// A replay copies what others have put into the memory of its freed sources.
    pub(super) fn copied(&mut self, graph: usize, replay: usize) {
        for (of_graph, source, owner) in self.sources.freed.clone() {
            if of_graph == graph {
                self.found(graph, Some(replay), Harm::SourceFreed { owner, source });
            }
        }
    }

    /// An operator writes memory of the host that a captured copy reads, or makes a tensor there.
    pub(super) fn host_sources(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        if operation.capture.is_some() {
            return;
        }
        let given: Vec<u64> = operation::tensors(operation.arguments)
            .map(|tensor| tensor.address)
            .collect();
        let writes_what_it_is_given = operation.writes_what_it_is_given();
        let written: Vec<(u64, u64)> = operation
            .written()
            .filter(|tensor| !tensor.on_gpu)
            .map(|tensor| (tensor.address, tensor.bytes))
            .collect();
        let is_inside_capture = self
            .capture_of_thread(operation.thread, operation.position)
            .is_some();
        for (address, bytes) in written {
            if !given.contains(&address) {
                self.sources.made.insert(address, (bytes, index));
            }
            for graph in 0..self.activity.graphs.len() {
                let sources = &self.activity.graphs[graph].sources;
                let overlaps = |source: &Source| {
                    source.address < address.saturating_add(bytes)
                        && address < source.address.saturating_add(source.bytes)
                };
                let Some(source) = sources.iter().position(overlaps) else {
                    continue;
                };
                let harm = if given.contains(&address) {
                    let is_running = self.replays.last.get(&graph).is_some_and(|replay| {
                        !self
                            .replays
                            .order
                            .is_over(self.activity.replays[*replay].ticket)
                    });
                    let is_written = is_running && writes_what_it_is_given;
                    if !is_written || !self.sees_order || is_inside_capture {
                        continue;
                    }
                    Harm::SourceWritten {
                        writer: index,
                        source,
                    }
                } else {
                    // The harm is done when the copy is replayed.
                    self.sources.freed.push((graph, source, index));
                    continue;
                };
                let replay = self.replays.last.get(&graph).copied();
                self.found(graph, replay, harm);
            }
        }
    }
}
