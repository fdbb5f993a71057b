//! A graph, wherever it comes from.

use cgsan_finding::{CapturedGraph, GraphNode, Location, Outcome};

/// The nodes of a graph, with the streams and lines that they name by their places in lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The nodes, in the order in which they were captured or added.
    pub nodes: Vec<GraphNode>,
    /// The streams that took part, by name: the origin stream first. Empty where nothing says so.
    pub streams: Vec<String>,
    /// The lines that nodes are of.
    pub places: Vec<Location>,
    /// Whether the dependencies of each node come in the order in which they were made.
    pub is_in_order: bool,
    /// Why there may be more nodes than these.
    pub unfinished: Option<&'static str>,
}

impl Graph {
    /// What a capture recorded.
    pub fn captured(graph: CapturedGraph) -> Graph {
        Graph {
            nodes: graph.nodes,
            streams: graph.streams,
            places: graph.places,
            is_in_order: true,
            unfinished: match graph.outcome {
                Outcome::Captured => None,
                Outcome::Failed => Some("its capture failed"),
                Outcome::Unfinished => Some("the end of its capture is not in the trace"),
            },
        }
    }

    /// The line that enqueued a node.
    pub fn place(&self, node: &GraphNode) -> Option<&Location> {
        self.places.get(node.place?)
    }

    /// The stream that a node was enqueued on.
    pub fn stream(&self, node: &GraphNode) -> Option<&str> {
        self.streams.get(node.stream?).map(String::as_str)
    }
}

/// For each node, those that it waits for, as places among all. Edges to nodes that do not exist are left out.
pub(crate) fn edges(nodes: &[GraphNode]) -> Vec<Vec<usize>> {
    let places = |node: &GraphNode| {
        let all = node.depends_on.iter().map(|it| *it as usize);
        all.filter(|it| *it < nodes.len()).collect()
    };
    nodes.iter().map(places).collect()
}

/// For each node, its stream.
pub(crate) fn streams(nodes: &[GraphNode]) -> Vec<Option<usize>> {
    nodes.iter().map(|node| node.stream).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nodes;

    #[test]
    fn edges_that_lead_nowhere_are_none() {
        assert_eq!(edges(&nodes(&[&[7], &[0, 1]])), [vec![], vec![0, 1]]);
    }
}
