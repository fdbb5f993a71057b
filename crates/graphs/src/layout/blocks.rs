//! The graph as a sequence of blocks.
//!
//! A box that is alone on its level, and past which no edge leads, is a block by itself; what lies between two such is one block. So a
//! chain is a sequence of single boxes, and each fork with its join is a block.

use rustc_hash::FxHashMap;

use super::lanes::Lanes;
use super::merge::Merged;

/// Some levels of the graph.
#[derive(Debug)]
pub(super) struct Block {
    /// The bundles, by level and lane.
    pub(super) bundles: Vec<usize>,
    /// For each bundle, its level within the block and its lane.
    pub(super) places: Vec<(usize, usize)>,
    /// The same for blocks that look the same.
    pub(super) signature: usize,
}

impl Block {
    /// How many levels it has.
    pub(super) fn rows(&self) -> usize {
        self.places.last().map_or(0, |(level, _)| level + 1)
    }

    /// How many lanes it has, counted from the left.
    pub(super) fn lanes(&self) -> usize {
        let lanes = self.places.iter().map(|(_, lane)| lane + 1);
        lanes.max().unwrap_or_default()
    }
}

/// The blocks in order.
pub(super) fn blocks(merged: &Merged, laid: &Lanes) -> Vec<Block> {
    let mut by_level: Vec<Vec<usize>> = Vec::new();
    for (bundle, level) in laid.levels.iter().enumerate() {
        if by_level.len() <= *level {
            by_level.resize_with(level + 1, Vec::new);
        }
        by_level[*level].push(bundle);
    }
    let passed = passed(merged, laid, by_level.len());
    let is_cut = |level: usize| by_level[level].len() == 1 && passed[level] == 0;
    let mut signatures = FxHashMap::default();
    let mut blocks = Vec::new();
    let mut begins = 0;
    while begins < by_level.len() {
        let mut ends = begins + 1;
        while !is_cut(begins) && ends < by_level.len() && !is_cut(ends) {
            ends += 1;
        }
        let (bundles, places) = placed(&by_level[begins..ends], laid);
        let look = look(merged, &bundles, &places);
        let next = signatures.len();
        blocks.push(Block {
            bundles,
            places,
            signature: *signatures.entry(look).or_insert(next),
        });
        begins = ends;
    }
    blocks
}

/// For each level, how many edges lead past it.
fn passed(merged: &Merged, laid: &Lanes, levels: usize) -> Vec<usize> {
    let mut begin = vec![0_usize; levels + 1];
    let mut end = vec![0_usize; levels + 1];
    for (bundle, edges) in merged.edges.iter().enumerate() {
        for dependency in edges {
            begin[laid.levels[*dependency] + 1] += 1;
            end[laid.levels[bundle]] += 1;
        }
    }
    let mut passing = 0;
    let at = |level: usize| {
        passing = passing + begin[level] - end[level];
        passing
    };
    (0..levels).map(at).collect()
}

/// The bundles of some levels by level and lane, with both. Lanes that are not streams are counted in each block anew.
fn placed(levels: &[Vec<usize>], laid: &Lanes) -> (Vec<usize>, Vec<(usize, usize)>) {
    let all = levels.iter().flatten();
    let mut used: Vec<usize> = all.map(|bundle| laid.lane_of[*bundle]).collect();
    used.sort_unstable();
    used.dedup();
    let mut placed = Vec::new();
    for (level, bundles) in levels.iter().enumerate() {
        for bundle in bundles {
            let lane = laid.lane_of[*bundle];
            let lane = match used.binary_search(&lane) {
                Ok(place) if laid.streams.is_empty() => place,
                _ => lane,
            };
            placed.push(((level, lane), *bundle));
        }
    }
    placed.sort_unstable();
    placed
        .into_iter()
        .map(|(place, bundle)| (bundle, place))
        .unzip()
}

/// What a bundle of a block looks like: its place, what it does, how often, and what it waits for within the block.
type Look = ((usize, usize), usize, usize, bool, Vec<usize>);

fn look(merged: &Merged, bundles: &[usize], places: &[(usize, usize)]) -> Vec<Look> {
    let within: FxHashMap<usize, usize> = bundles.iter().copied().zip(0..).collect();
    let look = |(bundle, place): (&usize, &(usize, usize))| {
        let it = &merged.bundles[*bundle];
        let edges = merged.edges[*bundle].iter();
        let edges = edges.filter_map(|it| within.get(it).copied());
        let edges: Vec<usize> = edges.collect();
        (*place, it.key, it.nodes.len(), it.side_by_side, edges)
    };
    bundles.iter().zip(places).map(look).collect()
}
