//! What graphs consist of.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::c_int;

use cgsan_model::Code;

use super::graph::edges_carry_data;
use crate::ffi::{InOut, Out, Untyped, entry};
use crate::gpu;
use crate::graph::Graph;

entry! {
    /// Writes the nodes of a graph.
    fn cudaGraphGetNodes, cuGraphGetNodes(_this, graph: u64, nodes: Out<u64>, count: InOut<usize>) {
        let handles = handles(gpu::lock().graph(graph)?, |_| true);
        put_handles(&handles, nodes, count)
    }

    /// Writes the nodes that wait for none.
    fn cudaGraphGetRootNodes, cuGraphGetRootNodes(_this, graph: u64, nodes: Out<u64>, count: InOut<usize>) {
        let mut gpu = gpu::lock();
        let graph = gpu.graph(graph)?;
        put_handles(&handles(graph, |index| graph.nodes()[index].dependencies.is_empty()), nodes, count)
    }

    /// Writes the edges of a graph: `last` is their number, or from CUDA 13 on what is special about them, the number
    /// following.
    fn cudaGraphGetEdges(
        this, graph: u64, from: Out<u64>, to: Out<u64>, last: Untyped, count: InOut<usize>,
    ) {
        let (data, count) = if edges_carry_data(this) { (last, count) } else { (NO_DATA, number_of_edges(last)) };
        put_edges(graph, from, to, data, count)
    }

    /// Writes the edges of a graph.
    fn cuGraphGetEdges(_this, graph: u64, from: Out<u64>, to: Out<u64>, count: InOut<usize>) {
        put_edges(graph, from, to, NO_DATA, count)
    }

    /// Writes the edges of a graph, and what is special about them: nothing.
    fn cudaGraphGetEdges_v2, cuGraphGetEdges_v2(
        _this, graph: u64, from: Out<u64>, to: Out<u64>, data: Untyped, count: InOut<usize>,
    ) {
        put_edges(graph, from, to, data, count)
    }

    /// Writes the nodes that a node waits for: `last` as with the edges.
    fn cudaGraphNodeGetDependencies(
        this, node: u64, nodes: Out<u64>, last: Untyped, count: InOut<usize>,
    ) {
        let (data, count) = if edges_carry_data(this) { (last, count) } else { (NO_DATA, number_of_edges(last)) };
        put_neighbours(&dependencies(node)?, nodes, data, count)
    }

    /// Writes the nodes that a node waits for.
    fn cuGraphNodeGetDependencies(_this, node: u64, nodes: Out<u64>, count: InOut<usize>) {
        put_neighbours(&dependencies(node)?, nodes, NO_DATA, count)
    }

    /// Writes the nodes that a node waits for, and what is special about that: nothing.
    fn cudaGraphNodeGetDependencies_v2, cuGraphNodeGetDependencies_v2(
        _this, node: u64, nodes: Out<u64>, data: Untyped, count: InOut<usize>,
    ) {
        put_neighbours(&dependencies(node)?, nodes, data, count)
    }

    /// Writes the nodes that wait for a node: `last` as with the edges.
    fn cudaGraphNodeGetDependentNodes(
        this, node: u64, nodes: Out<u64>, last: Untyped, count: InOut<usize>,
    ) {
        let (data, count) = if edges_carry_data(this) { (last, count) } else { (NO_DATA, number_of_edges(last)) };
        put_neighbours(&dependents(node)?, nodes, data, count)
    }

    /// Writes the nodes that wait for a node.
    fn cuGraphNodeGetDependentNodes(_this, node: u64, nodes: Out<u64>, count: InOut<usize>) {
        put_neighbours(&dependents(node)?, nodes, NO_DATA, count)
    }

    /// Writes the nodes that wait for a node, and what is special about that: nothing.
    fn cudaGraphNodeGetDependentNodes_v2, cuGraphNodeGetDependentNodes_v2(
        _this, node: u64, nodes: Out<u64>, data: Untyped, count: InOut<usize>,
    ) {
        put_neighbours(&dependents(node)?, nodes, data, count)
    }

    /// Writes what a node is.
    fn cudaGraphNodeGetType, cuGraphNodeGetType(_this, node: u64, out: Out<c_int>) {
        let gpu = gpu::lock();
        let (graph, index) = gpu.graphs.node(node)?;
        out.put(gpu.graphs.graph(graph)?.nodes()[index].kind.type_number())
    }

    /// Writes the node of a copied graph that stands for a node of the original.
    fn cudaGraphNodeFindInClone, cuGraphNodeFindInClone(_this, out: Out<u64>, original: u64, clone: u64) {
        let gpu = gpu::lock();
        let (_, index) = gpu.graphs.node(original)?;
        let node = gpu.graphs.graph(clone)?.nodes().get(index).ok_or(Code::INVALID_VALUE)?;
        out.put(node.handle)
    }
}

/// Where a caller wants no data about edges.
const NO_DATA: Untyped = Untyped::NOTHING;

/// The parameter that is the number of edges before CUDA 13.
fn number_of_edges(last: Untyped) -> InOut<usize> {
    // SAFETY: the caller has seen that edges carry no data in the version of the API that is called.
    unsafe { last.part(0) }
}

/// `cudaGraphEdgeData`: all zeros is an ordinary edge.
type EdgeData = [u8; 8];

fn handles(graph: &Graph, wanted: impl Fn(usize) -> bool) -> Vec<u64> {
    let nodes = graph.nodes().iter().enumerate();
    nodes
        .filter(|(index, _)| wanted(*index))
        .map(|(_, node)| node.handle)
        .collect()
}

fn dependencies(node: u64) -> Result<Vec<u64>, Code> {
    let gpu = gpu::lock();
    let (graph, index) = gpu.graphs.node(node)?;
    let nodes = gpu.graphs.graph(graph)?.nodes();
    let places = nodes[index].dependencies.iter();
    Ok(places.map(|place| nodes[*place].handle).collect())
}

fn dependents(node: u64) -> Result<Vec<u64>, Code> {
    let gpu = gpu::lock();
    let (graph, index) = gpu.graphs.node(node)?;
    let graph = gpu.graphs.graph(graph)?;
    Ok(handles(graph, |other| {
        graph.nodes()[other].dependencies.contains(&index)
    }))
}

/// Writes handles, and how many there are; room that is left is zeroed.
fn put_handles(handles: &[u64], out: Out<u64>, count: InOut<usize>) -> Result<(), Code> {
    let room = count.get()?;
    out.put_list(handles, count)?;
    let and_zeros = handles.iter().copied().chain(std::iter::repeat(0));
    out.put_all(and_zeros, room);
    Ok(())
}

fn put_neighbours(
    handles: &[u64],
    out: Out<u64>,
    data: Untyped,
    count: InOut<usize>,
) -> Result<(), Code> {
    put_data(handles.len(), data, count)?;
    put_handles(handles, out, count)
}

fn put_edges(
    graph: u64,
    from: Out<u64>,
    to: Out<u64>,
    data: Untyped,
    count: InOut<usize>,
) -> Result<(), Code> {
    let edges = gpu::lock().graph(graph)?.edges();
    let (sources, targets): (Vec<u64>, Vec<u64>) = edges.into_iter().unzip();
    let room = count.get()?;
    put_data(sources.len(), data, count)?;
    put_handles(&sources, from, count)?;
    if !from.is_null() {
        count.set(room);
    }
    put_handles(&targets, to, count)
}

/// Writes that edges are ordinary.
fn put_data(edges: usize, data: Untyped, count: InOut<usize>) -> Result<(), Code> {
    // SAFETY: the API promises room for the data of `count` edges, or null.
    let data = unsafe { data.output::<EdgeData>() };
    if !data.is_null() {
        data.put_all(std::iter::repeat_n([0; 8], edges), count.get()?);
    }
    Ok(())
}
