//! Memory of the host that captured copies read.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_model::NodeKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use crate::activity::graph::Source;
use crate::activity::harm::Harm;
use crate::activity::operation::{self, Operation};
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
    /// The captures of graphs, by the numbers that the agent gives these.
    graphs: FxHashMap<u64, usize>,
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

    /// The agent has given a graph a number.
    pub(super) fn numbered(&mut self, number: u64, position: usize) {
        if let Some(capture) = self.history.captured_before(position) {
            self.sources.graphs.insert(number, capture);
        }
    }

    /// The host wrote sources of a graph's copies between two replays, the second of which has this number: whether the first may
    /// still have had to read them.
    pub(super) fn sources_changed(&mut self, number: u64, replay: u64, changed: &[(u64, u64)]) {
        let Some(graph) = self.sources.graphs.get(&number).copied() else {
            return;
        };
        let replays = self.activity.replays.iter().enumerate();
        let of_graph: Vec<usize> = replays
            .filter(|(_, it)| it.graph == graph)
            .map(|(index, _)| index)
            .collect();
        let first = usize::try_from(replay)
            .ok()
            .and_then(|it| it.checked_sub(2));
        // The second one may be in the trace already.
        let is_complete = first.is_some_and(|it| (it + 1..=it + 2).contains(&of_graph.len()));
        let Some(first) = first.filter(|_| is_complete).map(|it| of_graph[it]) else {
            return;
        };
        // What the graph writes in the memory of the host, and a function that it calls there, may say that it has read its sources.
        let nodes = self.history.captures[graph].graph.as_ref();
        let calls_the_host = nodes.is_some_and(|graph| {
            let mut nodes = graph.nodes().iter();
            nodes.any(|node| matches!(node.kind, NodeKind::Host { .. }))
        });
        if calls_the_host || !self.activity.graphs[graph].results.is_empty() {
            return;
        }
        let ticket = self.activity.replays[first].ticket;
        if !self.sees_order || self.replays.order.is_over(ticket) {
            return;
        }
        let results = self.activity.graphs.iter().flat_map(|it| &it.results);
        let by_copies = results.map(|it| (it.address, it.bytes));
        // What operators write is judged where they do.
        let since = self.activity.replays[first].position;
        let operations = self.activity.operations.iter().rev();
        let later = operations.take_while(|it| it.position > since);
        let by_operators = later.flat_map(written_on_host);
        let others: Vec<(u64, u64)> = by_copies.chain(by_operators).collect();
        let sources = &self.activity.graphs[graph].sources;
        let of_host = changed
            .iter()
            .filter(|range| !others.iter().any(|other| overlap(*other, **range)));
        let written = of_host.filter_map(|range| {
            let mut sources = sources.iter();
            sources.position(|it| overlap((it.address, it.bytes), *range))
        });
        let written: BTreeSet<usize> = written.collect();
        for source in written {
            let writer = None;
            self.found(graph, Some(first), Harm::SourceWritten { writer, source });
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
        let written: Vec<(u64, u64)> = written_on_host(operation).collect();
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
                    if !is_running || !self.sees_order || is_inside_capture {
                        continue;
                    }
                    Harm::SourceWritten {
                        writer: Some(index),
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

/// What an operator writes in the memory of the host, as first bytes and their number: a view that it gives back is not written.
fn written_on_host<'a>(operation: &'a Operation<'_>) -> impl Iterator<Item = (u64, u64)> + 'a {
    let writes_what_it_is_given = operation.writes_what_it_is_given();
    let is_written = move |address: u64| {
        let mut given = operation::tensors(operation.arguments);
        writes_what_it_is_given || given.all(|it| it.address != address)
    };
    operation
        .written()
        .filter(move |tensor| !tensor.on_gpu && is_written(tensor.address))
        .map(|tensor| (tensor.address, tensor.bytes))
}
