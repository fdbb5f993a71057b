//! Edges that say what follows from others.

use crate::order::{Edges, Order};

/// How many edges are followed at most.
const STEPS: usize = 5_000_000;

/// A graph without the edges that lead where another path leads too.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) edges: Vec<Vec<usize>>,
    /// How many edges went.
    pub(crate) redundant: usize,
    /// Whether all edges were looked at; else there was too much to follow.
    pub(crate) is_complete: bool,
}

/// Takes the redundant edges out.
pub(crate) fn reduced(edges: &Edges, order: &Order) -> Reduced {
    let mut steps = STEPS;
    let mut seen_for = vec![usize::MAX; edges.len()];
    let mut reduced = Reduced {
        edges: Vec::with_capacity(edges.len()),
        redundant: 0,
        is_complete: true,
    };
    for (index, direct) in edges.iter().enumerate() {
        if direct.len() > 1 && reduced.is_complete {
            reduced.is_complete = see(index, edges, order, &mut seen_for, &mut steps);
        }
        let is_redundant = |dependency: &usize| direct.len() > 1 && seen_for[*dependency] == index;
        let kept = direct.iter().copied().filter(|it| !is_redundant(it));
        let kept: Vec<usize> = kept.collect();
        reduced.redundant += direct.len() - kept.len();
        reduced.edges.push(kept);
    }
    reduced
}

/// Marks what the dependencies of a node wait for, as far up as any of them is. Returns whether there were steps enough.
fn see(
    index: usize,
    edges: &Edges,
    order: &Order,
    seen_for: &mut [usize],
    steps: &mut usize,
) -> bool {
    let highest = edges[index].iter().map(|it| order.levels[*it]).min();
    let highest = highest.unwrap_or_default();
    let mut todo = edges[index].clone();
    while let Some(at) = todo.pop() {
        for &before in &edges[at] {
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            if order.levels[before] >= highest && seen_for[before] != index {
                seen_for[before] = index;
                todo.push(before);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_a_path_implies_goes() {
        let edges = [vec![], vec![0], vec![1], vec![2, 0, 1]];
        let order = Order::of(&edges).expect("no cycle");
        let reduced = reduced(&edges, &order);
        assert_eq!(reduced.edges, [vec![], vec![0], vec![1], vec![2]]);
        assert_eq!((reduced.redundant, reduced.is_complete), (2, true));
    }
}
