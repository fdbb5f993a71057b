//! Changing what the nodes of a graph wait for, and removing nodes.

use std::ffi::c_void;

use cgsan_model::{Call, Code, GraphId, NodeIndex};

use super::graph::edges_carry_data;
use crate::api::Function;
use crate::ffi::{In, entry};
use crate::gpu;

entry! {
    /// Makes nodes wait for others: `fourth` is how many, or from CUDA 13 on what is special about that, the number
    /// following.
    fn cudaGraphAddDependencies(
        this, graph: u64, from: In<u64>, to: In<u64>, fourth: *const c_void, fifth: usize,
    ) {
        let count = if edges_carry_data(this) { fifth } else { fourth.addr() };
        link(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Makes nodes wait for others.
    fn cuGraphAddDependencies(this, graph: u64, from: In<u64>, to: In<u64>, count: usize) {
        link(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Makes nodes wait for others, in the ordinary way.
    fn cudaGraphAddDependencies_v2, cuGraphAddDependencies_v2(
        this, graph: u64, from: In<u64>, to: In<u64>, _data: *const c_void, count: usize,
    ) {
        link(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Makes nodes no longer wait for others: `fourth` as above.
    fn cudaGraphRemoveDependencies(
        this, graph: u64, from: In<u64>, to: In<u64>, fourth: *const c_void, fifth: usize,
    ) {
        let count = if edges_carry_data(this) { fifth } else { fourth.addr() };
        unlink(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Makes nodes no longer wait for others.
    fn cuGraphRemoveDependencies(this, graph: u64, from: In<u64>, to: In<u64>, count: usize) {
        unlink(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Makes nodes no longer wait for others, in the ordinary way.
    fn cudaGraphRemoveDependencies_v2, cuGraphRemoveDependencies_v2(
        this, graph: u64, from: In<u64>, to: In<u64>, _data: *const c_void, count: usize,
    ) {
        unlink(this, graph, &Edges::read(graph, from, to, count)?)
    }

    /// Removes a node.
    fn cudaGraphDestroyNode, cuGraphDestroyNode(this, node: u64) {
        let (graph, place) = gpu::lock().graphs.node(node)?;
        gpu::lock().forbid_while_captured(graph)?;
        let place = u32::try_from(place).map_err(|_| Code::INVALID_VALUE)?;
        let call = Call::GraphDestroyNode { graph: GraphId(graph), node: NodeIndex(place) };
        gpu::perform(this, &call, |gpu, _| gpu.graphs.remove_node(node))
    }
}

/// Edges of a graph, as its nodes' places.
struct Edges {
    from: Vec<NodeIndex>,
    to: Vec<NodeIndex>,
}

impl Edges {
    fn read(graph: u64, from: In<u64>, to: In<u64>, count: usize) -> Result<Edges, Code> {
        let (from, to) = (from.list(count)?, to.list(count)?);
        let mut gpu = gpu::lock();
        let graph = gpu.graph(graph)?;
        Ok(Edges {
            from: graph.places(&from)?,
            to: graph.places(&to)?,
        })
    }

    fn pairs(&self) -> impl Iterator<Item = (NodeIndex, NodeIndex)> {
        self.from.iter().copied().zip(self.to.iter().copied())
    }
}

fn link(this: &Function, graph: u64, edges: &Edges) -> Result<(), Code> {
    let call = Call::GraphAddDependencies {
        graph: GraphId(graph),
        from: edges.from.clone(),
        to: edges.to.clone(),
    };
    gpu::perform(this, &call, |gpu, _| {
        let graph = gpu.graphs.graph_mut(graph)?;
        edges.pairs().for_each(|(from, to)| graph.link(from, to));
        Ok(())
    })
}

fn unlink(this: &Function, graph: u64, edges: &Edges) -> Result<(), Code> {
    gpu::lock().forbid_while_captured(graph)?;
    let call = Call::GraphRemoveDependencies {
        graph: GraphId(graph),
        from: edges.from.clone(),
        to: edges.to.clone(),
    };
    gpu::perform(this, &call, |gpu, _| {
        let graph = gpu.graphs.graph_mut(graph)?;
        edges.pairs().for_each(|(from, to)| graph.unlink(from, to));
        Ok(())
    })
}
