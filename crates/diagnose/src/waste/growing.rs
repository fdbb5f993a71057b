//! Captures of one pool that need ever larger blocks: each finds those of the others too small.

use std::collections::BTreeMap;

use super::kind::{Change, Changes, Kind, Waste};
use super::reorder::largest_first;
use crate::pools::{PoolId, Pools};
use crate::trial::{Scope, Sequence};

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let Some((moment, position)) = pools.last_capture() else {
        return Vec::new();
    };
    let mut groups: BTreeMap<PoolId, Vec<usize>> = BTreeMap::new();
    for capture in 0..pools.history.captures.len() {
        let is_judged = !pools.history.is_of_inductor(pools.run(capture));
        if let Some(pool) = pools.of_capture(capture).filter(|_| is_judged)
            && pools.is_alive(capture, position)
        {
            groups.entry(pool).or_default().push(capture);
        }
    }
    let found = groups.into_iter().filter_map(|(pool, captures)| {
        let peaks: Vec<u64> = captures.iter().map(|it| pools.peak_of(*it)).collect();
        let grown =
            (1..peaks.len()).find(|it| peaks[..*it].iter().all(|peak| *peak < peaks[*it]))?;
        let free = moment.free(pool);
        Some(Waste {
            estimate: free,
            kind: Kind::Growing {
                at: captures[grown],
                captures,
                free,
            },
        })
    });
    found.collect()
}

/// The largest is captured first.
pub(super) fn changes(pools: &Pools<'_, '_>, captures: &[usize]) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::Graphs)?;
    let ordered = largest_first(pools, &sequence.steps, captures);
    Some(Changes {
        sequence,
        changed: vec![(Change::LargestFirst, ordered)],
        at_end: false,
    })
}
