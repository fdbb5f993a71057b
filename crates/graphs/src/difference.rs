//! In what two graphs differ.

use cgsan_finding::{Direction, GraphNode, Parameters};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::graph::{self, Graph};
use crate::matching::{Matching, matching};
use crate::order::Edges;
use crate::update::{self, Verdict};

/// How many edges are followed at most, to see which edges went when nodes came between.
const STEPS: usize = 5_000_000;

/// In what a new graph differs from an old one. Nodes are named by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How many nodes are in both.
    pub kept: usize,
    /// The nodes that only the old graph has.
    pub removed: Vec<usize>,
    /// The nodes that only the new graph has.
    pub added: Vec<usize>,
    /// The nodes that are in both, and do something else.
    pub changed: Vec<ChangedNode>,
    /// What only the old graph makes wait: the node that waits, and for which one. Both are in both graphs; the places are those
    /// in the old one.
    pub removed_edges: Vec<(usize, usize)>,
    /// The same of the new graph, with its places.
    pub added_edges: Vec<(usize, usize)>,
    /// Whether an executable graph of the old one can be updated to the new one.
    pub update: Verdict,
}

/// A node that is in both graphs, and does something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedNode {
    /// Its place in the old graph.
    pub old: usize,
    /// Its place in the new one.
    pub new: usize,
    /// What has changed, the most important first.
    pub changes: Vec<Change>,
}

/// Something of a node that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each variant's text speaks of its fields")]
pub enum Change {
    /// What kind of node it is.
    Kind {
        old: &'static str,
        new: &'static str,
    },
    /// The kernel.
    Kernel {
        old: Option<String>,
        new: Option<String>,
    },
    /// The blocks of a launch.
    Grid { old: [u32; 3], new: [u32; 3] },
    /// The threads of a block.
    Block { old: [u32; 3], new: [u32; 3] },
    /// The dynamic shared memory of a block, in bytes.
    Shared { old: u32, new: u32 },
    /// From where to where a copy goes.
    Direction { old: Direction, new: Direction },
    /// How many bytes are copied, filled in a row, or allocated.
    Bytes { old: u64, new: u64 },
    /// With what is filled.
    Value { old: u32, new: u32 },
    /// How many rows are filled.
    Rows { old: u64, new: u64 },
}

impl Difference {
    /// Whether nothing differs.
    pub fn is_nothing(&self) -> bool {
        self.removed.is_empty()
            && self.added.is_empty()
            && self.changed.is_empty()
            && self.removed_edges.is_empty()
            && self.added_edges.is_empty()
    }
}

/// Compares two graphs. Addresses are not compared, nor what nobody says of one of the two.
pub fn difference(old: &Graph, new: &Graph) -> Difference {
    let matching = matching(&old.nodes, &new.nodes);
    let alone = |partners: &[Option<usize>]| -> Vec<usize> {
        let places = partners.iter().enumerate();
        places
            .filter_map(|(place, partner)| partner.is_none().then_some(place))
            .collect()
    };
    let pairs = matching.new_of.iter().enumerate();
    let pairs = pairs.filter_map(|(old, new)| Some((old, (*new)?)));
    let changed = pairs.clone().filter_map(|(from, to)| {
        let changes = changes(&old.nodes[from], &new.nodes[to]);
        (!changes.is_empty()).then_some(ChangedNode {
            old: from,
            new: to,
            changes,
        })
    });
    let (removed_edges, added_edges) = edges(&old.nodes, &new.nodes, &matching);
    let mut difference = Difference {
        kept: pairs.clone().count(),
        changed: changed.collect(),
        removed: alone(&matching.new_of),
        added: alone(&matching.old_of),
        removed_edges,
        added_edges,
        update: Verdict::Accepted,
    };
    difference.update = update::verdict(old, new, &difference);
    difference
}

fn changes(old: &GraphNode, new: &GraphNode) -> Vec<Change> {
    if old.kind != new.kind {
        return vec![Change::Kind {
            old: old.kind,
            new: new.kind,
        }];
    }
    let mut changes = Vec::new();
    if old.kind == "kernel" && old.name != new.name {
        changes.push(Change::Kernel {
            old: old.name.clone(),
            new: new.name.clone(),
        });
    }
    let (Some(old), Some(new)) = (old.parameters, new.parameters) else {
        return changes;
    };
    let parameters = of_parameters(old, new);
    changes.extend(parameters.into_iter().flatten());
    changes
}

/// What has changed of the parameters of two nodes of one kind.
fn of_parameters(old: Parameters, new: Parameters) -> [Option<Change>; 3] {
    let bytes = |old, new| (old != new).then_some(Change::Bytes { old, new });
    match (old, new) {
        (
            Parameters::Launch {
                grid: old_grid,
                block: old_block,
                shared: old,
            },
            Parameters::Launch {
                grid,
                block,
                shared: new,
            },
        ) => [
            (old_grid != grid).then_some(Change::Grid {
                old: old_grid,
                new: grid,
            }),
            (old_block != block).then_some(Change::Block {
                old: old_block,
                new: block,
            }),
            (old != new).then_some(Change::Shared { old, new }),
        ],
        (
            Parameters::Copy {
                direction: old,
                bytes: old_bytes,
            },
            Parameters::Copy {
                direction: new,
                bytes: new_bytes,
            },
        ) => [
            (old != new).then_some(Change::Direction { old, new }),
            bytes(old_bytes, new_bytes),
            None,
        ],
        (
            Parameters::Fill {
                value: old,
                bytes: old_bytes,
                rows: old_rows,
            },
            Parameters::Fill {
                value: new,
                bytes: new_bytes,
                rows,
            },
        ) => [
            (old_rows != rows).then_some(Change::Rows {
                old: old_rows,
                new: rows,
            }),
            bytes(old_bytes, new_bytes),
            (old != new).then_some(Change::Value { old, new }),
        ],
        (Parameters::Allocation { bytes: old }, Parameters::Allocation { bytes: new }) => {
            [bytes(old, new), None, None]
        }
        _ => [None, None, None],
    }
}

/// The places of two nodes: the one that waits, and the one that it waits for.
type Edge = (usize, usize);

/// The edges between nodes of both graphs that only the old one has, and only the new one. A node that came between two others, or
/// went, changes none: what waits through it, waits.
fn edges(old: &[GraphNode], new: &[GraphNode], matching: &Matching) -> (Vec<Edge>, Vec<Edge>) {
    let mut steps = STEPS;
    let old_through = through(&graph::edges(old), &matching.new_of, &mut steps);
    let new_through = through(&graph::edges(new), &matching.old_of, &mut steps);
    let missing = |edges: &[Edge], partners: &[Option<usize>], others: &FxHashSet<Edge>| {
        let partner = |place: usize| partners.get(place).copied().flatten();
        let is_missing = |edge: &&Edge| {
            let (Some(node), Some(dependency)) = (partner(edge.0), partner(edge.1)) else {
                return false;
            };
            !others.contains(&(node, dependency))
        };
        edges.iter().filter(is_missing).copied().collect()
    };
    let known = |edges: &[Edge]| edges.iter().copied().collect::<FxHashSet<_>>();
    (
        missing(&old_through, &matching.new_of, &known(&new_through)),
        missing(&new_through, &matching.old_of, &known(&old_through)),
    )
}

/// The edges between nodes that have a partner, also through nodes that have none. Once all steps were made, only the direct ones.
fn through(nodes: &Edges, partners: &[Option<usize>], steps: &mut usize) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut seen_for = vec![usize::MAX; nodes.len()];
    for (index, dependencies) in nodes.iter().enumerate() {
        if partners[index].is_none() {
            continue;
        }
        let mut todo: Vec<usize> = dependencies.iter().rev().copied().collect();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen_for[at], index) == index {
                continue;
            }
            if partners[at].is_some() {
                edges.push((index, at));
                continue;
            }
            for &before in &nodes[at] {
                if *steps > 0 {
                    *steps -= 1;
                    todo.push(before);
                }
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{graph, kernel, launched, line, nodes, other};

    #[test]
    fn a_graph_is_the_same_as_itself() {
        let graph = line(&["mm", "add", "relu"]);
        let same = difference(&graph, &graph);
        assert!(same.is_nothing());
        assert_eq!((same.kept, same.update), (3, Verdict::Accepted));
    }

    #[test]
    fn a_node_that_came_between_is_one_difference() {
        let (old, new) = (line(&["mm", "relu"]), line(&["mm", "add", "relu"]));
        let between = difference(&old, &new);
        assert_eq!(between.added, [1]);
        assert!(between.removed.is_empty() && between.changed.is_empty());
        assert!(between.added_edges.is_empty() && between.removed_edges.is_empty());
        let back = difference(&new, &old);
        assert_eq!(back.removed, [1]);
        assert!(back.added_edges.is_empty() && back.removed_edges.is_empty());
    }

    #[test]
    fn changed_parameters_are_named() {
        let old = graph(vec![launched("mm", 8, &[]), launched("add", 4, &[0])]);
        let new = graph(vec![launched("mm", 16, &[]), launched("mul", 4, &[0])]);
        let found = difference(&old, &new);
        let changes: Vec<&[Change]> = found.changed.iter().map(|it| &it.changes[..]).collect();
        let grid = Change::Grid {
            old: [8, 1, 1],
            new: [16, 1, 1],
        };
        let kernel = Change::Kernel {
            old: Some("add".to_owned()),
            new: Some("mul".to_owned()),
        };
        assert_eq!(changes, [&[grid][..], &[kernel][..]]);
    }

    #[test]
    fn what_one_file_does_not_say_is_not_compared() {
        let said = Some(Parameters::Allocation { bytes: 4 });
        let (old, new) = (other("mem_alloc", said), other("mem_alloc", None));
        assert!(difference(&graph(vec![old]), &graph(vec![new])).is_nothing());
    }

    #[test]
    fn edges_between_nodes_of_both_are_compared() {
        let old = graph(nodes(&[&[], &[0], &[1]]));
        let new = graph(nodes(&[&[], &[0], &[0]]));
        let apart = difference(&old, &new);
        assert_eq!(apart.removed_edges, [(2, 1)]);
        assert_eq!(apart.added_edges, [(2, 0)]);
    }

    fn any_graph() -> impl Strategy<Value = Graph> {
        let node = (
            0_usize..3,
            0_u32..3,
            proptest::collection::vec(0_u32..12, 0..3),
        );
        proptest::collection::vec(node, 0..12).prop_map(|nodes| {
            let node = |(name, blocks, depends_on): (usize, u32, Vec<u32>)| {
                let name = ["mm", "add", "relu"][name];
                launched(name, blocks, &depends_on)
            };
            graph(nodes.into_iter().map(node).collect())
        })
    }

    proptest! {
        #[test]
        fn every_node_is_kept_or_added_or_removed(old in any_graph(), new in any_graph()) {
            let found = difference(&old, &new);
            prop_assert_eq!(found.kept + found.removed.len(), old.nodes.len());
            prop_assert_eq!(found.kept + found.added.len(), new.nodes.len());
            prop_assert!(difference(&old, &old).is_nothing());
        }
    }

    #[test]
    fn a_node_of_another_kind_is_changed_where_nothing_else_is() {
        let fill = other("memset", None);
        let old = graph(vec![kernel("mm", &[]), kernel("add", &[])]);
        let new = graph(vec![kernel("mm", &[]), fill]);
        let changed = difference(&old, &new).changed;
        let kinds = Change::Kind {
            old: "kernel",
            new: "memset",
        };
        assert_eq!(changed[0].changes, [kinds]);
    }
}
