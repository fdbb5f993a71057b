//! A graph as chains: lists of nodes each of which waits, directly or not, for the one before it in its list.
//!
//! No two nodes of a chain run at once, so that no more nodes run at once than there are chains, however they were found (Dilworth).

use crate::order::{Edges, Order};

/// For each node its chain, counted from 0 in the order in which they begin.
#[derive(Debug)]
pub(crate) struct Chains {
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

/// Puts each node behind the end of a chain that it waits for: that of a node of its own stream, else of another node right before it,
/// else one that ended further up. So few chains are found where streams fork and join again and again; it may be possible with
/// fewer.
pub(crate) fn chains(edges: &Edges, streams: &[Option<usize>], order: &Order) -> Chains {
    let mut of = vec![usize::MAX; edges.len()];
    let mut count = 0;
    // Whether a node is the end of its chain, and which chains ended at it or further up.
    let mut is_end = vec![false; edges.len()];
    let mut ended: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    let mut to_come: Vec<usize> = order.dependents.iter().map(Vec::len).collect();
    for &index in &order.nodes {
        let before = || edges[index].iter().copied();
        let ends = || before().filter(|it| is_end[*it]);
        let same_stream = ends().find(|it| streams[*it] == streams[index]);
        let taken = same_stream.or_else(|| ends().next());
        let chain = if let Some(end) = taken {
            is_end[end] = false;
            of[end]
        } else if let Some(chain) = before().find_map(|it| ended[it].pop()) {
            chain
        } else {
            count += 1;
            count - 1
        };
        of[index] = chain;
        let mut released = Vec::new();
        for dependency in before() {
            if is_end[dependency] {
                is_end[dependency] = false;
                released.push(of[dependency]);
            }
            to_come[dependency] -= 1;
            if to_come[dependency] == 0 {
                let mut more = std::mem::take(&mut ended[dependency]);
                if more.len() > released.len() {
                    std::mem::swap(&mut more, &mut released);
                }
                released.append(&mut more);
            }
        }
        ended[index] = released;
        is_end[index] = true;
    }
    Chains { of, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chains_of(edges: &[&[usize]]) -> (Vec<usize>, usize) {
        let edges: Vec<Vec<usize>> = edges.iter().map(|it| it.to_vec()).collect();
        let streams = vec![None; edges.len()];
        let found = chains(&edges, &streams, &Order::of(&edges).expect("no cycle"));
        (found.of, found.count)
    }

    #[test]
    fn a_line_is_one_chain() {
        assert_eq!(chains_of(&[&[], &[0], &[1]]), (vec![0, 0, 0], 1));
    }

    #[test]
    fn streams_that_fork_again_need_no_more_chains() {
        let twice: &[&[usize]] = &[&[], &[0], &[0], &[1, 2], &[3], &[3], &[4, 5]];
        assert_eq!(chains_of(twice).1, 2);
    }

    #[test]
    fn a_dependency_that_is_named_twice_is_one() {
        assert_eq!(chains_of(&[&[], &[0, 0]]), (vec![0, 0], 1));
    }
}
