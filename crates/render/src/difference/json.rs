//! In what two graphs differ, as JSON. docs/json.md says what the fields are.

use cgsan_finding::{GraphShape, Location, Parameters};
use cgsan_graphs::{Change, Difference, Graph, Verdict};
use serde::Serialize;

use super::NamedGraph;
use crate::text::escaped;

/// The version of the shape. Fields may be added to a version; a change or removal makes a new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    old: OneGraph<'a>,
    new: OneGraph<'a>,
    same: bool,
    kept: usize,
    removed: Vec<OneNode<'a>>,
    added: Vec<OneNode<'a>>,
    changed: Vec<Changed<'a>>,
    removed_edges: Vec<Edge>,
    added_edges: Vec<Edge>,
    update: Update<'a>,
}

#[derive(Serialize)]
struct OneGraph<'a> {
    name: &'a str,
    nodes: usize,
    edges: usize,
    shape: Option<GraphShape>,
}

#[derive(Serialize)]
struct OneNode<'a> {
    node: usize,
    kind: &'a str,
    name: Option<&'a str>,
    operator: Option<&'a str>,
    stream: Option<&'a str>,
    location: Option<&'a Location>,
    parameters: Option<Parameters>,
}

#[derive(Serialize)]
struct Changed<'a> {
    old: OneNode<'a>,
    new: OneNode<'a>,
    changes: &'a [Change],
}

#[derive(Serialize)]
struct Edge {
    node: usize,
    depends_on: usize,
}

#[derive(Serialize)]
struct Update<'a> {
    verdict: &'static str,
    id: Option<&'a str>,
    result: Option<&'a str>,
    reason: Option<&'a str>,
    old: Option<usize>,
    new: Option<usize>,
}

/// The differences as one JSON object, indented, with a line break at its end.
pub fn difference_json(
    old: NamedGraph<'_>,
    new: NamedGraph<'_>,
    difference: &Difference,
) -> String {
    let nodes = |graph, places: &[usize]| places.iter().map(|it| one_node(graph, *it)).collect();
    let edges = |edges: &[(usize, usize)]| {
        let edge = |(node, depends_on): &(usize, usize)| Edge {
            node: *node,
            depends_on: *depends_on,
        };
        edges.iter().map(edge).collect()
    };
    let changed = difference.changed.iter().map(|it| Changed {
        old: one_node(old.graph, it.old),
        new: one_node(new.graph, it.new),
        changes: &it.changes,
    });
    let document = Document {
        version: VERSION,
        old: one_graph(old),
        new: one_graph(new),
        same: difference.is_nothing(),
        kept: difference.kept,
        removed: nodes(old.graph, &difference.removed),
        added: nodes(new.graph, &difference.added),
        changed: changed.collect(),
        removed_edges: edges(&difference.removed_edges),
        added_edges: edges(&difference.added_edges),
        update: update(&difference.update),
    };
    let mut output =
        serde_json::to_string_pretty(&document).expect("strings, numbers and lists are JSON");
    output.push('\n');
    escaped(&output)
}

fn one_graph(named: NamedGraph<'_>) -> OneGraph<'_> {
    let nodes = &named.graph.nodes;
    OneGraph {
        name: named.name,
        nodes: nodes.len(),
        edges: cgsan_finding::edges(nodes),
        shape: cgsan_graphs::shape(nodes),
    }
}

fn one_node(graph: &Graph, index: usize) -> OneNode<'_> {
    let node = &graph.nodes[index];
    OneNode {
        node: index,
        kind: node.kind,
        name: node.name.as_deref(),
        operator: node.operator.as_deref(),
        stream: graph.stream(node),
        location: graph.place(node),
        parameters: node.parameters,
    }
}

fn update(verdict: &Verdict) -> Update<'_> {
    let accepted = Update {
        verdict: "accepted",
        id: None,
        result: None,
        reason: None,
        old: None,
        new: None,
    };
    match verdict {
        Verdict::Accepted => accepted,
        Verdict::Unknown { reason } => Update {
            verdict: "unknown",
            reason: Some(reason),
            ..accepted
        },
        Verdict::Refused(refused) => Update {
            verdict: "refused",
            id: Some(refused.id),
            result: Some(refused.result),
            reason: Some(&refused.reason),
            old: refused.old,
            new: refused.new,
        },
    }
}
