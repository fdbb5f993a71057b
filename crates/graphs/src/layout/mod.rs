//! A graph as boxes and lines, in rows and lanes.
//!
//! | file | what |
//! |---|---|
//! | `merge` | nodes that are shown as one: runs of a kernel in a chain, and equal nodes side by side |
//! | `lanes` | in which lane each box is, and on which row it could be at the earliest |
//! | `blocks` | the graph as a sequence of blocks: from one box that everything passes through to the next |
//! | `fold` | sequences of blocks that repeat, as one of them with a number |
//! | `place` | rows for what is left |
//!
//! All nodes are counted somewhere. What is drawn is bounded, whatever the graph is: a block that is too large to be read becomes
//! one box, and of very many rows the middle does.

mod blocks;
mod fold;
mod lanes;
mod merge;
mod place;

use cgsan_finding::GraphNode;

/// From how many nodes on nodes are merged and blocks are folded: fewer can be read one by one.
const FOLDED_FROM: usize = 60;

/// A graph to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The boxes, in the order of their rows.
    pub boxes: Vec<Placed>,
    /// What is drawn once for several times, outermost first.
    pub groups: Vec<Group>,
    /// The lines: from a box to one that waits for it, as places among the boxes.
    pub lines: Vec<(usize, usize)>,
    /// How many rows there are.
    pub rows: usize,
    /// How many lanes there are.
    pub lanes: usize,
    /// The stream of each lane, as an index among the graph's; empty if lanes are not streams.
    pub streams: Vec<usize>,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What it stands for.
    pub content: Content,
    /// Counted from 0 at the top.
    pub row: usize,
    /// Counted from 0 on the left.
    pub lane: usize,
    /// How many lanes it takes.
    pub span: usize,
    /// Whether a longest path leads through it.
    pub is_critical: bool,
}

/// What a box stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A node, or several that do the same.
    Nodes {
        /// The places of the nodes, in order; at least one.
        nodes: Vec<usize>,
        /// Whether none of them waits for another.
        side_by_side: bool,
    },
    /// So many nodes of all kinds, which are not drawn one by one.
    Rest {
        /// How many.
        nodes: usize,
    },
}

/// Rows that are drawn once for several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The first row and the last one.
    pub rows: (usize, usize),
    /// How often they follow each other.
    pub times: usize,
    /// How many groups it lies in.
    pub depth: usize,
}

/// Lays a graph out; `None` if edges run in a cycle.
pub fn layout(nodes: &[GraphNode]) -> Option<Layout> {
    let merged = merge::merged(nodes, nodes.len() > FOLDED_FROM)?;
    let laid = lanes::lanes(&merged)?;
    let blocks = blocks::blocks(&merged, &laid);
    let folded = if nodes.len() > FOLDED_FROM {
        let signatures: Vec<usize> = blocks.iter().map(|it| it.signature).collect();
        fold::folded(&signatures)
    } else {
        fold::unfolded(blocks.len())
    };
    Some(place::placed(&merged, &laid, &blocks, &folded))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{kernel, line, nodes};

    /// How many nodes a layout counts.
    fn counted(layout: &Layout) -> usize {
        let times = |row: usize| -> usize {
            let around = layout.groups.iter();
            let around = around.filter(|it| it.rows.0 <= row && row <= it.rows.1);
            around.map(|it| it.times).product()
        };
        let boxes = layout.boxes.iter();
        boxes
            .map(|it| match &it.content {
                Content::Nodes { nodes, .. } => nodes.len() * times(it.row),
                Content::Rest { nodes } => nodes * times(it.row),
            })
            .sum()
    }

    #[test]
    fn few_nodes_are_drawn_one_by_one() {
        let fork = layout(&nodes(&[&[], &[0], &[0], &[1, 2]])).expect("no cycle");
        let places: Vec<(usize, usize)> = fork.boxes.iter().map(|it| (it.row, it.lane)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (1, 1), (2, 0)]);
        assert_eq!(fork.lines, [(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!((fork.rows, fork.lanes), (3, 2));
    }

    #[test]
    fn layers_of_a_chain_are_folded() {
        let names = ["mm", "add", "relu"].repeat(2_000);
        let layers = layout(&line(&names).nodes).expect("no cycle");
        assert_eq!(layers.boxes.len(), 3);
        assert_eq!(layers.groups[0].times, 2_000);
        assert_eq!(counted(&layers), 6_000);
    }

    #[test]
    fn forks_that_repeat_are_folded() {
        let mut all = vec![kernel("begin", &[])];
        for fork in 0..500 {
            let before = 4 * fork;
            all.push(kernel("left", &[before]));
            all.push(kernel("right", &[before]));
            all.push(kernel("longer", &[before + 2]));
            all.push(kernel("join", &[before + 1, before + 3]));
        }
        let forks = layout(&all).expect("no cycle");
        assert_eq!((forks.boxes.len(), forks.rows, forks.lanes), (5, 4, 2));
        assert_eq!(forks.groups.len(), 1);
        assert_eq!(counted(&forks), all.len());
    }

    #[test]
    fn many_equal_nodes_side_by_side_are_one_box() {
        let mut all = vec![kernel("begin", &[])];
        all.extend((0..1_000).map(|_| kernel("add", &[0])));
        let wide = layout(&all).expect("no cycle");
        assert_eq!(wide.boxes.len(), 2);
        assert_eq!(counted(&wide), 1_001);
    }

    #[test]
    fn what_never_repeats_is_drawn_at_both_ends() {
        // Kernels that come back after 1, 2, 3 and more others.
        let mut names = vec!["mm"; 30_000];
        let (mut at, mut gap) = (0, 1);
        while at < names.len() {
            names[at] = "add";
            gap += 1;
            at += gap;
        }
        let long = layout(&line(&names).nodes).expect("no cycle");
        assert!(long.rows < 401, "{}", long.rows);
        assert_eq!(counted(&long), names.len());
    }

    proptest! {
        #[test]
        fn every_node_is_counted_and_no_two_boxes_lie_on_each_other(
            shape in proptest::collection::vec((0_usize..3, proptest::collection::vec(1_u32..4, 0..3)), 0..150),
        ) {
            let node = |(index, (name, back)): (u32, (usize, Vec<u32>))| {
                let waits_for: Vec<u32> = back.iter().filter_map(|it| index.checked_sub(*it)).collect();
                kernel(["mm", "add", "relu"][name], &waits_for)
            };
            let all: Vec<GraphNode> = (0..).zip(shape).map(node).collect();
            let found = layout(&all).expect("no cycle");
            prop_assert_eq!(counted(&found), all.len());
            let mut places: Vec<(usize, usize)> =
                found.boxes.iter().map(|it| (it.row, it.lane)).collect();
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), found.boxes.len());
            prop_assert!(found.lines.iter().all(|(from, to)| found.boxes[*from].row < found.boxes[*to].row));
        }
    }
}
