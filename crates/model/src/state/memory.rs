//! Memory that graphs allocate (`cudaMallocAsync` and `cudaFreeAsync` under capture).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::graph::Serial;
use crate::{Graph, Node, NodeKind, Reason, answer::Refusal};

/// The addresses that captures and graphs handed out.
///
/// Addresses allocated outside captures need no entry: nothing here refuses their use.
#[derive(Debug, Default)]
pub(crate) struct GraphMemory {
    allocations: FxHashMap<u64, Allocation>,
}

#[derive(Clone, Debug, Default)]
struct Allocation {
    /// The graph that allocates it, if it was announced.
    owner: Option<Serial>,
    /// Whether a launch backs it with memory now.
    backed: bool,
    /// Whether its graph is gone, or its capture ended without one.
    orphaned: bool,
    /// Whether an executable was ever made that allocates it and does not free it.
    published: bool,
    /// How many such executables exist.
    execs: usize,
    /// The graphs that free it.
    freed_in: Vec<Serial>,
}

/// What a launch does to the memory of graphs: worked out once, when the graph is instantiated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    /// The addresses that a launch leaves allocated.
    kept: Vec<u64>,
    /// The addresses that a launch frees, allocated by another graph.
    released: Vec<u64>,
}

impl GraphMemory {
    /// An allocation or a free is to become a node of a graph. A graph can free what it or another allocates, also if
    /// that one's capture is broken, but only once; and nothing that was allocated outside graphs (`fuzz.jsonl.gz`), nor
    /// what nothing but a graph that is gone knew of. Several other graphs can free it, but not besides its own, which cannot
    /// once an executable was made that does not (`nested` recordings). The refusal breaks nothing.
    pub(crate) fn record(&mut self, node: &NodeKind, graph: Serial) -> Result<(), Reason> {
        match *node {
            NodeKind::MemAlloc { address, .. } => {
                let allocation = Allocation {
                    owner: Some(graph),
                    ..Allocation::default()
                };
                self.allocations.insert(address, allocation);
            }
            NodeKind::MemFree { address } => {
                let allocation = self.allocations.get_mut(&address);
                let Some(allocation) = allocation.filter(|allocation| !allocation.is_lost()) else {
                    return Err(Reason::FreeOfUncapturedMemory);
                };
                let is_own = allocation.owner == Some(graph);
                if is_own && allocation.published {
                    return Err(Reason::FreeAfterInstantiation);
                }
                let is_freed_for_good = |freed_in: &Serial| {
                    is_own || *freed_in == graph || allocation.owner == Some(*freed_in)
                };
                if allocation.freed_in.iter().any(is_freed_for_good) {
                    return Err(Reason::FreedTwice);
                }
                allocation.freed_in.push(graph);
            }
            _ => {}
        }
        Ok(())
    }

    /// An executable leaves these allocated.
    pub(crate) fn publish(&mut self, footprint: &Footprint) {
        for address in &footprint.kept {
            if let Some(allocation) = self.allocations.get_mut(address) {
                allocation.published = true;
                allocation.execs += 1;
            }
        }
    }

    /// An executable that left these allocated is gone, or is another now.
    pub(crate) fn retract(&mut self, footprint: &Footprint) {
        for address in &footprint.kept {
            if let Some(allocation) = self.allocations.get_mut(address) {
                allocation.execs = allocation.execs.saturating_sub(1);
            }
        }
    }

    /// A graph is gone, or a capture ended without one.
    pub(crate) fn lose(&mut self, nodes: &[Node], graph: Serial) {
        for node in nodes {
            let NodeKind::MemAlloc { address, .. } = node.kind else {
                continue;
            };
            if let Some(allocation) = self.allocations.get_mut(&address) {
                allocation.orphaned |= allocation.owner == Some(graph);
            }
        }
    }

    /// A capture ended without a graph: it frees nothing after all. A graph that is destroyed does not take its frees
    /// back (`nested` recordings).
    pub(crate) fn take_back(&mut self, nodes: &[Node], graph: Serial) {
        for node in nodes {
            let NodeKind::MemFree { address } = node.kind else {
                continue;
            };
            if let Some(allocation) = self.allocations.get_mut(&address) {
                allocation.freed_in.retain(|freed_in| *freed_in != graph);
            }
        }
    }

    /// An allocation or a free is done at once. What a graph allocates can be freed between the launch that allocates
    /// it and the next.
    pub(crate) fn run(&mut self, node: &NodeKind) -> Result<(), Refusal> {
        match *node {
            NodeKind::MemAlloc { address, .. } => {
                self.allocations.remove(&address);
            }
            NodeKind::MemFree { address } => {
                if let Some(allocation) = self.allocations.get_mut(&address)
                    && !std::mem::replace(&mut allocation.backed, false)
                {
                    return Err(Reason::FreeBeforeLaunch.into());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Memory is freed out of stream order, by `cudaFree`: also what a graph allocates, if it has.
    pub(crate) fn free(&mut self, address: u64) -> Result<(), Refusal> {
        self.run(&NodeKind::MemFree { address })
    }

    /// An executable graph is launched. What it frees must be allocated, and what it allocates must be free, unless it
    /// was instantiated to free what it left from its last launch (`u01_exec_update`: the second launch).
    pub(crate) fn launch(&mut self, footprint: &Footprint, auto_free: bool) -> Result<(), Refusal> {
        let is_backed = |&address: &u64| self.is_backed(address);
        if !footprint.released.iter().all(is_backed) {
            return Err(Reason::FreeBeforeLaunch.into());
        }
        if !auto_free && footprint.kept.iter().any(is_backed) {
            return Err(Reason::UnfreedAllocation.into());
        }
        self.back(&footprint.released, false);
        self.back(&footprint.kept, true);
        Ok(())
    }

    fn is_backed(&self, address: u64) -> bool {
        self.allocations
            .get(&address)
            .is_some_and(|allocation| allocation.backed)
    }

    fn back(&mut self, addresses: &[u64], backed: bool) {
        for &address in addresses {
            self.allocations.entry(address).or_default().backed = backed;
        }
    }
}

impl Allocation {
    /// Whether its graph is gone, and nothing else uses it: an executable, memory from a launch, another graph's free.
    fn is_lost(&self) -> bool {
        self.orphaned && self.execs == 0 && !self.backed && self.freed_in.is_empty()
    }
}

impl Footprint {
    pub(crate) fn of(graph: &Graph) -> Footprint {
        let mut kept = BTreeSet::new();
        let mut released = Vec::new();
        for node in graph.nodes() {
            match node.kind {
                NodeKind::MemAlloc { address, .. } => {
                    kept.insert(address);
                }
                NodeKind::MemFree { address } => {
                    let is_own = kept.remove(&address);
                    if !is_own {
                        released.push(address);
                    }
                }
                _ => {}
            }
        }
        Footprint {
            kept: kept.into_iter().collect(),
            released,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Call, CaptureMode, Code, ExecId, GraphId, Reason, testing::*};

    const FREES: GraphId = GraphId(2);
    const EXEC_THAT_FREES: ExecId = ExecId(2);

    #[test]
    fn a_graph_is_not_launched_over_its_own_allocation() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        model.ok(&instantiate(GRAPH, EXEC));
        let refused = model.call(HERE, &enqueue(B, free(1)));
        assert_eq!(refused.reason, Some(Reason::FreeBeforeLaunch));
        model.ok(&launch(EXEC));
        let refused = model.call(HERE, &launch(EXEC));
        assert_eq!(refused.reason, Some(Reason::UnfreedAllocation));
        model.ok(&enqueue(B, free(1)));
        model.ok(&launch(EXEC));
    }

    #[test]
    fn a_graph_frees_what_another_allocated_if_that_ran() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        model.captured(FREES, &[free(1)]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&instantiate(FREES, EXEC_THAT_FREES));
        assert_eq!(model.code(&launch(EXEC_THAT_FREES)), Code::INVALID_VALUE);
        for exec in [EXEC, EXEC_THAT_FREES, EXEC, EXEC_THAT_FREES] {
            model.ok(&launch(exec));
        }
        assert_eq!(model.code(&launch(EXEC_THAT_FREES)), Code::INVALID_VALUE);
    }

    #[test]
    fn a_capture_frees_captured_memory_once() {
        let mut model = driver();
        model.ok(&enqueue(A, alloc(1)));
        model.ok(&begin(A, CaptureMode::Relaxed));
        let outside = model.call(HERE, &enqueue(A, free(1)));
        assert_eq!(outside.reason, Some(Reason::FreeOfUncapturedMemory));
        model.ok(&enqueue(A, alloc(2)));
        model.ok(&enqueue(A, free(2)));
        let again = model.call(HERE, &enqueue(A, free(2)));
        assert_eq!(again.reason, Some(Reason::FreedTwice));
        model.ok(&end(A, GRAPH));
        assert_eq!(model.graph(GRAPH).unwrap().nodes().len(), 2);
    }

    #[test]
    fn memory_is_freed_elsewhere_once_an_executable_leaves_it_allocated() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add_to(GRAPH, alloc(1), &[])]);
        model.ok(&instantiate(GRAPH, EXEC));
        let own = model.call(HERE, &add_to(GRAPH, free(1), &[0]));
        assert_eq!(own.reason, Some(Reason::FreeAfterInstantiation));
        model.all_ok(&[create(FREES), add_to(FREES, free(1), &[])]);
    }

    #[test]
    fn memory_of_a_destroyed_graph_is_forgotten_unless_something_else_uses_it() {
        let freed_after = |uses: &[Call]| {
            let mut model = driver();
            let (third, fourth) = (GraphId(3), GraphId(4));
            model.captured(GRAPH, &[alloc(1)]);
            model.all_ok(&[create(FREES), create(third), create(fourth)]);
            model.all_ok(uses);
            model.ok(&Call::GraphDestroy { graph: GRAPH });
            model.call(HERE, &add_to(third, free(1), &[])).reason
        };
        let lost = Some(Reason::FreeOfUncapturedMemory);
        assert_eq!(freed_after(&[]), lost);
        assert_eq!(freed_after(&[add_to(FREES, free(1), &[])]), None);
        assert_eq!(freed_after(&[instantiate(GRAPH, EXEC)]), None);
        let (made, gone) = (
            instantiate(GRAPH, EXEC),
            Call::GraphExecDestroy { exec: EXEC },
        );
        assert_eq!(freed_after(&[made.clone(), gone.clone()]), lost);
        assert_eq!(freed_after(&[made, launch(EXEC), gone]), None);
    }

    #[test]
    fn a_destroyed_graph_does_not_take_its_free_back() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        model.captured(FREES, &[free(1)]);
        model.ok(&Call::GraphDestroy { graph: FREES });
        let own = model.call(HERE, &add_to(GRAPH, free(1), &[0]));
        assert_eq!(own.reason, Some(Reason::FreedTwice));
    }

    #[test]
    fn graphs_can_free_the_same_memory_unless_it_is_their_own() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        for graph in [FREES, GraphId(3)] {
            model.all_ok(&[create(graph), add_to(graph, free(1), &[])]);
        }
        for graph in [FREES, GRAPH] {
            let again = model.call(HERE, &add_to(graph, free(1), &[]));
            assert_eq!(again.reason, Some(Reason::FreedTwice));
        }
    }
}
