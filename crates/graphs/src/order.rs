//! The nodes of a graph in the order of their edges.

use cgsan_finding::GraphNode;

use crate::graph::dependencies;

/// What follows from the edges of a graph that has no cycle.
#[derive(Debug)]
pub(crate) struct Order {
    /// The nodes, each behind those that it waits for; else as they were captured.
    pub(crate) nodes: Vec<usize>,
    /// For each node, those that wait for it.
    pub(crate) dependents: Vec<Vec<usize>>,
    /// For each node, how many nodes lie before it on the longest path to it.
    pub(crate) levels: Vec<usize>,
}

impl Order {
    /// Of these nodes; `None` if edges run in a cycle.
    pub(crate) fn of(nodes: &[GraphNode]) -> Option<Order> {
        let mut dependents = vec![Vec::new(); nodes.len()];
        let mut waits_for = vec![0_usize; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for dependency in dependencies(node, nodes.len()) {
                dependents[dependency].push(index);
                waits_for[index] += 1;
            }
        }
        let mut levels = vec![0; nodes.len()];
        let mut order: Vec<usize> = (0..nodes.len()).filter(|it| waits_for[*it] == 0).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for dependent in &dependents[node] {
                levels[*dependent] = levels[*dependent].max(levels[node] + 1);
                waits_for[*dependent] -= 1;
                if waits_for[*dependent] == 0 {
                    order.push(*dependent);
                }
            }
        }
        if order.len() < nodes.len() {
            return None;
        }
        order.sort_by_key(|node| (levels[*node], *node));
        Some(Order {
            nodes: order,
            dependents,
            levels,
        })
    }

    /// How many levels there are: how many nodes the longest path has.
    pub(crate) fn depth(&self) -> usize {
        self.levels.iter().max().map_or(0, |deepest| deepest + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nodes;

    #[test]
    fn each_node_comes_behind_those_that_it_waits_for() {
        let order = Order::of(&nodes(&[&[2], &[], &[1]])).expect("no cycle");
        assert_eq!(order.nodes, [1, 2, 0]);
        assert_eq!(order.levels, [2, 0, 1]);
        assert_eq!(order.depth(), 3);
    }

    #[test]
    fn a_cycle_has_no_order() {
        assert!(Order::of(&nodes(&[&[1], &[0]])).is_none());
        assert!(Order::of(&nodes(&[&[0]])).is_none());
    }

    #[test]
    fn edges_that_lead_nowhere_are_none() {
        assert_eq!(Order::of(&nodes(&[&[7]])).map(|it| it.nodes), Some(vec![0]));
    }
}
