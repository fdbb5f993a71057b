//! How much of a graph can run at once.

use cgsan_finding::{GraphNode, GraphShape};

use crate::chains::chains;
use crate::graph::{edges, streams};
use crate::order::Order;
use crate::reduce::reduced;

/// The longest path through a graph, and all there is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its nodes, each of which waits for the one before it.
    pub nodes: Vec<usize>,
    /// What they take together.
    pub length: u64,
    /// What all nodes take together: as long would the graph take if nothing ran at once.
    pub total: u64,
}

/// The shape of a graph; `None` if it has no nodes, or edges run in a cycle.
///
/// The width is the size of the largest set of nodes none of which waits for another, directly or not. It lies between the
/// most nodes on one level, counted from the beginning or from the end, and the number of chains that the nodes are put into.
pub fn shape(nodes: &[GraphNode]) -> Option<GraphShape> {
    let edges = edges(nodes);
    let order = Order::of(&edges)?;
    if nodes.is_empty() {
        return None;
    }
    let reduced = reduced(&edges, &order);
    Some(GraphShape {
        critical_path: order.depth(),
        width_at_least: widest_level(&order),
        width_at_most: chains(&edges, &streams(nodes), &order).count,
        redundant_edges: reduced.is_complete.then_some(reduced.redundant),
    })
}

/// The path that takes longest, where a node takes as long as `duration` says, in any unit; `None` if edges run in a cycle.
pub fn critical_path(nodes: &[GraphNode], duration: &dyn Fn(usize) -> u64) -> Option<CriticalPath> {
    let edges = edges(nodes);
    let order = Order::of(&edges)?;
    let mut ends = vec![0_u64; nodes.len()];
    let mut before = vec![None; nodes.len()];
    let mut total = 0_u64;
    for &index in &order.nodes {
        // Of equal ones, the dependency that was made first.
        let mut begins = 0;
        for &dependency in &edges[index] {
            if ends[dependency] > begins || before[index].is_none() {
                begins = ends[dependency].max(begins);
                before[index] = Some(dependency);
            }
        }
        ends[index] = begins.saturating_add(duration(index));
        total = total.saturating_add(duration(index));
    }
    let length = ends.iter().copied().max().unwrap_or_default();
    let last = ends.iter().position(|it| *it == length);
    let mut path: Vec<usize> = std::iter::successors(last, |it| before[*it]).collect();
    path.reverse();
    Some(CriticalPath {
        nodes: path,
        length,
        total,
    })
}

/// The most nodes that are equally far from the beginning, or from the end. None of them waits for another.
fn widest_level(order: &Order) -> usize {
    let mut to_end = vec![0; order.levels.len()];
    for &node in order.nodes.iter().rev() {
        let after = order.dependents[node].iter().map(|it| to_end[*it] + 1);
        to_end[node] = after.max().unwrap_or_default();
    }
    most_alike(&order.levels).max(most_alike(&to_end))
}

fn most_alike(levels: &[usize]) -> usize {
    let mut counts = vec![0; levels.len()];
    for level in levels {
        counts[*level] += 1;
    }
    counts.into_iter().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nodes;

    fn shape_of(edges: &[&[u32]]) -> [usize; 4] {
        let it = shape(&nodes(edges)).expect("no cycle");
        let redundant = it.redundant_edges.expect("few steps");
        [
            it.critical_path,
            it.width_at_least,
            it.width_at_most,
            redundant,
        ]
    }

    #[test]
    fn a_line_runs_one_by_one() {
        assert_eq!(shape_of(&[&[], &[0], &[1]]), [3, 1, 1, 0]);
    }

    #[test]
    fn a_fork_is_as_wide_as_its_branches() {
        assert_eq!(shape_of(&[&[], &[0], &[0], &[1, 2]]), [3, 2, 2, 0]);
    }

    #[test]
    fn a_short_branch_runs_beside_any_node_of_a_long_one() {
        // The short one is at the beginning seen from there, and at the end seen from the end.
        assert_eq!(shape_of(&[&[], &[0], &[1], &[0], &[2, 3]]), [4, 2, 2, 0]);
    }

    #[test]
    fn an_edge_that_a_path_implies_is_redundant() {
        assert_eq!(shape_of(&[&[], &[0], &[0, 1]]), [3, 1, 1, 1]);
        assert_eq!(shape_of(&[&[], &[0], &[1], &[2, 0, 1]]), [4, 1, 1, 2]);
    }

    #[test]
    fn nothing_and_cycles_have_no_shape() {
        assert_eq!(shape(&[]), None);
        assert_eq!(shape(&nodes(&[&[1], &[0]])), None);
    }

    #[test]
    fn the_critical_path_is_the_slowest_and_not_the_longest() {
        let nodes = nodes(&[&[], &[0], &[1], &[0], &[2, 3]]);
        let path = critical_path(&nodes, &|node| if node == 3 { 10 } else { 1 });
        let slow = CriticalPath {
            nodes: vec![0, 3, 4],
            length: 12,
            total: 14,
        };
        assert_eq!(path, Some(slow));
        let path = critical_path(&nodes, &|_| 1).expect("no cycle");
        assert_eq!((path.nodes, path.length), (vec![0, 1, 2, 4], 4));
    }
}
