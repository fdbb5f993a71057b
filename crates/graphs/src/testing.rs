//! Graphs for tests.

use cgsan_finding::{GraphNode, Parameters};

use crate::Graph;

/// Kernels of one name, with what each waits for.
pub(crate) fn nodes(edges: &[&[u32]]) -> Vec<GraphNode> {
    edges.iter().map(|it| kernel("add", it)).collect()
}

/// A kernel of 8 blocks of 128 threads.
pub(crate) fn kernel(name: &str, depends_on: &[u32]) -> GraphNode {
    launched(name, 8, depends_on)
}

/// A kernel of so many blocks.
pub(crate) fn launched(name: &str, blocks: u32, depends_on: &[u32]) -> GraphNode {
    GraphNode {
        kind: "kernel",
        name: Some(name.to_owned()),
        operator: None,
        stream: None,
        depends_on: depends_on.to_vec(),
        place: None,
        parameters: Some(Parameters::Launch {
            grid: [blocks, 1, 1],
            block: [128, 1, 1],
            shared: 0,
        }),
    }
}

/// A node of another kind.
pub(crate) fn other(kind: &'static str, parameters: Option<Parameters>) -> GraphNode {
    GraphNode {
        kind,
        name: None,
        parameters,
        ..kernel("", &[])
    }
}

/// A whole graph of these nodes.
pub(crate) fn graph(nodes: Vec<GraphNode>) -> Graph {
    Graph {
        nodes,
        streams: Vec::new(),
        places: Vec::new(),
        is_in_order: true,
        unfinished: None,
    }
}

/// Kernels of these names, each behind the one before it.
pub(crate) fn line(names: &[&str]) -> Graph {
    let node = |(index, name): (usize, &&str)| match u32::try_from(index) {
        Ok(index) if index > 0 => kernel(name, &[index - 1]),
        _ => kernel(name, &[]),
    };
    graph(names.iter().enumerate().map(node).collect())
}
