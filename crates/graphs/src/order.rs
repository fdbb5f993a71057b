//! What follows from the edges of a graph.

/// For each node, those that it waits for, as places among all.
pub(crate) type Edges = [Vec<usize>];

/// The nodes of a graph that has no cycle, in the order of their edges.
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
    /// Of the nodes between which there are these edges; `None` if edges run in a cycle.
    pub(crate) fn of(edges: &Edges) -> Option<Order> {
        let mut dependents = vec![Vec::new(); edges.len()];
        for (index, dependencies) in edges.iter().enumerate() {
            for dependency in dependencies {
                dependents[*dependency].push(index);
            }
        }
        let mut waits_for: Vec<usize> = edges.iter().map(Vec::len).collect();
        let mut levels = vec![0; edges.len()];
        let mut order: Vec<usize> = (0..edges.len()).filter(|it| waits_for[*it] == 0).collect();
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
        if order.len() < edges.len() {
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

    fn edges(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        edges.iter().map(|it| it.to_vec()).collect()
    }

    #[test]
    fn each_node_comes_behind_those_that_it_waits_for() {
        let order = Order::of(&edges(&[&[2], &[], &[1]])).expect("no cycle");
        assert_eq!(order.nodes, [1, 2, 0]);
        assert_eq!(order.levels, [2, 0, 1]);
        assert_eq!(order.depth(), 3);
    }

    #[test]
    fn a_cycle_has_no_order() {
        assert!(Order::of(&edges(&[&[1], &[0]])).is_none());
        assert!(Order::of(&edges(&[&[0]])).is_none());
    }
}
