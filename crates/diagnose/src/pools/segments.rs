//! Which segment held a block: addresses are used again.

use std::collections::BTreeMap;

use cgsan_trace::{AgentEvent, Segment, Trace};

use crate::activity::Block;

/// How many segments that begin before an address are looked at: those that are gone may overlap.
const NEAREST: usize = 32;

/// The segments that the allocator told of, by where they begin.
pub(super) struct Segments {
    by_address: BTreeMap<u64, Vec<Known>>,
}

struct Known {
    segment: Segment,
    /// The last moment at which it was not there.
    since: usize,
    /// The first one at which it was gone.
    until: Option<usize>,
}

impl Segments {
    pub(super) fn new(trace: &Trace) -> Segments {
        let mut by_address: BTreeMap<u64, Vec<Known>> = BTreeMap::new();
        let mut before = 0;
        for (position, event) in trace.agent_events() {
            let AgentEvent::Memory {
                pools: Some(_),
                segments,
                gone,
                ..
            } = event
            else {
                continue;
            };
            for address in gone.iter().chain(segments.iter().map(|it| &it.address)) {
                if let Some(known) = by_address.get_mut(address).and_then(|it| it.last_mut()) {
                    known.until.get_or_insert(position);
                }
            }
            for segment in segments {
                let known = by_address.entry(segment.address).or_default();
                known.push(Known {
                    segment: *segment,
                    since: before,
                    until: None,
                });
            }
            before = position;
        }
        Segments { by_address }
    }

    /// The segment that held a block.
    pub(super) fn of(&self, block: &Block) -> Option<&Segment> {
        let freed = block.freed.map_or(usize::MAX, |it| it.position);
        let there = self.holding(block.address).filter(|it| {
            it.since < freed && it.until.is_none_or(|it| it > block.allocated.position)
        });
        there.min_by_key(|it| it.since).map(|it| &it.segment)
    }

    /// The segment that holds an address when the allocator was last asked before a position.
    pub(super) fn at(&self, address: u64, position: usize) -> Option<&Segment> {
        let mut there = self
            .holding(address)
            .filter(|it| it.since < position && it.until.is_none_or(|it| it > position));
        there.next().map(|it| &it.segment)
    }

    fn holding(&self, address: u64) -> impl Iterator<Item = &Known> {
        let before = self.by_address.range(..=address).rev().take(NEAREST);
        before
            .flat_map(|(_, known)| known)
            .filter(move |it| address < it.segment.address.saturating_add(it.segment.bytes))
    }
}
