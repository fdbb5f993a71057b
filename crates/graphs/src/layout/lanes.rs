//! In which lane each box is, and on which level.

use rustc_hash::FxHashSet;

use super::merge::Merged;
use crate::chains::chains;
use crate::order::Order;

/// Up to how many streams each has a lane of its own.
const STREAMS: usize = 16;

/// Where bundles are, before blocks are folded.
#[derive(Debug)]
pub(super) struct Lanes {
    /// For each bundle, how many lie before it on the longest path to it.
    pub(super) levels: Vec<usize>,
    /// For each bundle, its lane. No two of a level share one.
    pub(super) lane_of: Vec<usize>,
    /// The streams that the lanes are; empty if they are not streams.
    pub(super) streams: Vec<usize>,
    /// Whether a path of the most nodes leads through each bundle.
    pub(super) critical: Vec<bool>,
}

/// Lanes are streams, where each node has one; else chains. `None` if edges run in a cycle.
pub(super) fn lanes(merged: &Merged) -> Option<Lanes> {
    let order = Order::of(&merged.edges)?;
    let critical = critical(merged, &order);
    let streams = streams(merged, &order.levels);
    let of_bundles: Vec<_> = merged.bundles.iter().map(|it| it.stream).collect();
    let lane_of = if let Some(streams) = &streams {
        let lane = |stream: &Option<usize>| streams.iter().position(|it| Some(*it) == *stream);
        let lanes = of_bundles.iter().map(lane);
        lanes.map(Option::unwrap_or_default).collect()
    } else {
        chains(&merged.edges, &of_bundles, &order).of
    };
    Some(Lanes {
        levels: order.levels,
        lane_of,
        streams: streams.unwrap_or_default(),
        critical,
    })
}

/// The streams, if each bundle has one, and none has two on a level: nodes that were added by hand may be anywhere.
fn streams(merged: &Merged, levels: &[usize]) -> Option<Vec<usize>> {
    let mut streams: Vec<usize> = Vec::new();
    let mut taken = FxHashSet::default();
    for (bundle, level) in merged.bundles.iter().zip(levels) {
        let stream = bundle.stream?;
        if !taken.insert((stream, *level)) {
            return None;
        }
        if !streams.contains(&stream) {
            streams.push(stream);
        }
        if streams.len() > STREAMS {
            return None;
        }
    }
    streams.sort_unstable();
    Some(streams)
}

fn critical(merged: &Merged, order: &Order) -> Vec<bool> {
    let length = |bundle: usize| match &merged.bundles[bundle] {
        bundle if bundle.side_by_side => 1,
        bundle => bundle.nodes.len(),
    };
    let mut to_here = vec![0; merged.bundles.len()];
    for &bundle in &order.nodes {
        let before = merged.edges[bundle].iter().map(|it| to_here[*it]);
        to_here[bundle] = before.max().unwrap_or_default() + length(bundle);
    }
    let mut from_here = vec![0; merged.bundles.len()];
    for &bundle in order.nodes.iter().rev() {
        let after = order.dependents[bundle].iter().map(|it| from_here[*it]);
        from_here[bundle] = after.max().unwrap_or_default() + length(bundle);
    }
    let longest = to_here.iter().copied().max().unwrap_or_default();
    let all = to_here.iter().zip(&from_here).enumerate();
    all.map(|(bundle, (to, from))| to + from - length(bundle) == longest)
        .collect()
}
