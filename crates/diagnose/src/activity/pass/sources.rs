//! Memory of the host that captured copies read.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use crate::activity::graph::Source;
use crate::activity::harm::Harm;
use crate::activity::operation;
use crate::activity::ranges::{Ranges, overlap};

/// What is known of memory of the host.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Tensors by their first bytes: how many bytes they have, and the operator that made them.
    made: BTreeMap<u64, (u64, usize)>,
    /// All that captured copies read.
    read: Ranges,
    /// Sources of captured copies that were freed, by graph: which of its sources, and the operator that had the memory first.
    freed: FxHashMap<usize, Vec<(usize, usize)>>,
    /// The same, to have each once: the graph, and which of its sources.
    known_freed: FxHashSet<(usize, usize)>,
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
        self.sources.read.add(address, bytes);
        self.activity.graphs[graph].sources.push(Source {
            address,
            bytes,
            operation,
            made,
        });
    }

    /// A replay copies what others have put into the memory of its freed sources.
    pub(super) fn copied(&mut self, graph: usize, replay: usize) {
        let freed = self.sources.freed.get(&graph).cloned();
        for (source, owner) in freed.into_iter().flatten() {
            self.found(graph, Some(replay), Harm::SourceFreed { owner, source });
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
            if !self.sources.read.touches(address, bytes) {
                continue;
            }
            for graph in 0..self.activity.graphs.len() {
                let sources = &self.activity.graphs[graph].sources;
                let overlaps =
                    |source: &Source| overlap((source.address, source.bytes), (address, bytes));
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
                    if self.sources.known_freed.insert((graph, source)) {
                        let freed = self.sources.freed.entry(graph).or_default();
                        freed.push((source, index));
                    }
                    continue;
                };
                let replay = self.replays.last.get(&graph).copied();
                self.found(graph, replay, harm);
            }
        }
    }
}
