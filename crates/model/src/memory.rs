//! Memory that graphs allocate (`cudaMallocAsync` and `cudaFreeAsync` under capture).

use rustc_hash::FxHashMap;

use crate::{CaptureId, Graph, NodeKind, Reason, answer::Refusal};

/// The addresses that captures handed out, and whether a launch backs each with memory now.
///
/// Addresses allocated outside captures need no entry: nothing here refuses their use.
#[derive(Debug, Default)]
pub(crate) struct GraphMemory {
    backed: FxHashMap<u64, bool>,
}

/// What a launch does to the memory of graphs: worked out once, when the graph is instantiated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    /// The addresses that a launch leaves allocated.
    kept: Vec<u64>,
    /// The addresses that a launch frees, allocated by another graph.
    released: Vec<u64>,
    has_memory_nodes: bool,
}

impl GraphMemory {
    /// An allocation or a free is captured. A capture cannot free what was allocated outside captures; what another
    /// capture allocated it can, also if that one failed (`fuzz.jsonl.gz`). The refusal breaks nothing.
    pub(crate) fn record(&mut self, node: &NodeKind, capture: CaptureId) -> Result<(), Refusal> {
        match *node {
            NodeKind::MemAlloc { address, .. } => {
                self.backed.insert(address, false);
            }
            NodeKind::MemFree { address } if !self.backed.contains_key(&address) => {
                return Err(Reason::FreeOfUncapturedMemory.by(capture));
            }
            _ => {}
        }
        Ok(())
    }

    /// An allocation or a free is done at once. What a graph allocates can be freed only between the launch that
    /// allocates it and the next.
    pub(crate) fn run(&mut self, node: &NodeKind) -> Result<(), Refusal> {
        match *node {
            NodeKind::MemAlloc { address, .. } => {
                self.backed.remove(&address);
            }
            NodeKind::MemFree { address } => {
                if let Some(backed) = self.backed.get_mut(&address)
                    && !std::mem::replace(backed, false)
                {
                    return Err(Reason::FreeBeforeLaunch.into());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An executable graph is launched. Unless it was instantiated to free what it left from the last launch
    /// (`auto_free`), something left is refused (`u01_exec_update`: the second launch).
    pub(crate) fn launch(&mut self, footprint: &Footprint, auto_free: bool) -> Result<(), Refusal> {
        let is_backed = |address| self.backed.get(address) == Some(&true);
        if !auto_free && footprint.kept.iter().any(is_backed) {
            return Err(Reason::UnfreedAllocation.into());
        }
        for &address in &footprint.released {
            self.backed.insert(address, false);
        }
        for &address in &footprint.kept {
            self.backed.insert(address, true);
        }
        Ok(())
    }
}

impl Footprint {
    pub(crate) fn of(graph: &Graph) -> Footprint {
        let mut footprint = Footprint::default();
        let mut allocated = FxHashMap::default();
        for (index, node) in graph.nodes().iter().enumerate() {
            match node.kind {
                NodeKind::MemAlloc { address, .. } => {
                    footprint.has_memory_nodes = true;
                    allocated.insert(address, index);
                }
                NodeKind::MemFree { address } => {
                    footprint.has_memory_nodes = true;
                    if allocated.remove(&address).is_none() {
                        footprint.released.push(address);
                    }
                }
                _ => {}
            }
        }
        footprint.kept = allocated.into_keys().collect();
        footprint.kept.sort_unstable();
        footprint
    }

    /// Whether the graph allocates or frees, and so can have one executable at a time.
    pub(crate) fn has_memory_nodes(&self) -> bool {
        self.has_memory_nodes
    }
}
