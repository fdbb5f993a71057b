//! Nodes that are shown as one.

use cgsan_finding::GraphNode;
use rustc_hash::FxHashMap;

use crate::graph;
use crate::order::{Edges, Order};
use crate::reduce::reduced;

/// From how many nodes on that do the same, and wait for the same, one box stands for all.
const SIDE_BY_SIDE_FROM: usize = 4;

/// Nodes that are shown as one box.
#[derive(Debug)]
pub(super) struct Bundle {
    /// Their places, in order; at least one.
    pub(super) nodes: Vec<usize>,
    pub(super) side_by_side: bool,
    /// What they do, as a number.
    pub(super) key: usize,
    pub(super) stream: Option<usize>,
}

/// A graph of bundles.
#[derive(Debug)]
pub(super) struct Merged {
    pub(super) bundles: Vec<Bundle>,
    pub(super) edges: Vec<Vec<usize>>,
}

/// The nodes as bundles: one each, with all edges, unless `merge` is asked for; then without edges that say nothing new. `None` if edges run in a cycle.
pub(super) fn merged(nodes: &[GraphNode], merge: bool) -> Option<Merged> {
    let edges = graph::edges(nodes);
    let order = Order::of(&edges)?;
    let bundles = bundles(nodes);
    if !merge {
        return Some(Merged { bundles, edges });
    }
    // An edge past a node that everything waits for would hide that what follows is a part by itself.
    let edges = reduced(&edges, &order).edges;
    let order = Order::of(&edges)?;
    let in_runs = runs(bundles, &edges, &order);
    Some(side_by_side(in_runs))
}

fn bundles(nodes: &[GraphNode]) -> Vec<Bundle> {
    let mut keys = FxHashMap::default();
    let bundle = |(index, node): (usize, &GraphNode)| {
        let next = keys.len();
        let key = (node.kind, node.name.clone(), node.operator.clone());
        Bundle {
            nodes: vec![index],
            side_by_side: false,
            key: *keys.entry(key).or_insert(next),
            stream: node.stream,
        }
    };
    nodes.iter().enumerate().map(bundle).collect()
}

/// Joins what does the same on one stream, one after the other, with nothing else before, between and behind.
fn runs(bundles: Vec<Bundle>, edges: &Edges, order: &Order) -> Merged {
    let mut heads: Vec<usize> = (0..bundles.len()).collect();
    for &node in &order.nodes {
        let [before] = edges[node][..] else { continue };
        let (one, other) = (&bundles[before], &bundles[node]);
        if order.dependents[before].len() == 1 && one.key == other.key && one.stream == other.stream
        {
            heads[node] = heads[before];
        }
    }
    joined(bundles, edges, &heads, false)
}

/// Joins what does the same, waits for the same, and is waited for by the same.
fn side_by_side(graph: Merged) -> Merged {
    let mut dependents = vec![Vec::new(); graph.bundles.len()];
    for (index, edges) in graph.edges.iter().enumerate() {
        for dependency in edges {
            dependents[*dependency].push(index);
        }
    }
    let mut alike: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    for (index, bundle) in graph.bundles.iter().enumerate() {
        let mut waits_for = graph.edges[index].clone();
        waits_for.sort_unstable();
        let what = (bundle.key, bundle.nodes.len());
        let same = alike.entry((what, waits_for, &dependents[index]));
        same.or_default().push(index);
    }
    let mut heads: Vec<usize> = (0..graph.bundles.len()).collect();
    for same in alike.into_values() {
        let single = graph.bundles[same[0]].nodes.len() == 1;
        if same.len() >= SIDE_BY_SIDE_FROM && single {
            for index in &same {
                heads[*index] = same[0];
            }
        }
    }
    joined(graph.bundles, &graph.edges, &heads, true)
}

/// Joins each bundle to the head that is named for it, which comes before it or is itself.
fn joined(bundles: Vec<Bundle>, edges: &Edges, heads: &[usize], side_by_side: bool) -> Merged {
    let mut places = vec![0; bundles.len()];
    let mut joined: Vec<Bundle> = Vec::new();
    // A head may come later where edges lead to earlier nodes; so places are given first.
    for (index, head) in heads.iter().enumerate() {
        if *head == index {
            places[index] = joined.len();
            joined.push(Bundle {
                nodes: Vec::new(),
                ..bundles[index]
            });
        }
    }
    let mut new_edges = vec![Vec::new(); joined.len()];
    for (index, bundle) in bundles.into_iter().enumerate() {
        let place = places[heads[index]];
        let into = &mut joined[place];
        into.side_by_side |= side_by_side && heads[index] != index;
        into.nodes.extend(bundle.nodes);
        for dependency in &edges[index] {
            let dependency = places[heads[*dependency]];
            if dependency != place {
                new_edges[place].push(dependency);
            }
        }
    }
    for (bundle, edges) in joined.iter_mut().zip(&mut new_edges) {
        bundle.nodes.sort_unstable();
        edges.sort_unstable();
        edges.dedup();
    }
    Merged {
        bundles: joined,
        edges: new_edges,
    }
}
