//! Which segment held a block: addresses are used again.

use std::collections::BTreeMap;

use cgsan_trace::{AgentEvent, Segment, Trace};

use super::memory::Block;

/// How many segments that begin before an address are looked at: those that are gone may overlap.
const NEAREST: usize = 32;

/// The segments that the allocator told of, by where they begin.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    by_address: BTreeMap<u64, Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    segment: Segment,
    /// The last moment at which it was not there.
    since: usize,
    /// The first one at which it was gone.
    until: Option<usize>,
}

impl Segments {
    pub(crate) fn new(trace: &Trace) -> Segments {
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
    pub(crate) fn of(&self, block: &Block) -> Option<&Segment> {
        self.known_of(block).map(|it| &it.segment)
    }

    fn known_of(&self, block: &Block) -> Option<&Known> {
        let freed = block.freed.map_or(usize::MAX, |it| it.position);
        let there = self.holding(block.address).filter(|it| {
            it.since < freed && it.until.is_none_or(|it| it > block.allocated.position)
        });
        there.min_by_key(|it| it.since)
    }

    /// Whether the segment that held a block is known to have gone back to the driver by a position.
    pub(crate) fn is_gone(&self, block: &Block, position: usize) -> bool {
        let held = self.known_of(block);
        held.and_then(|it| it.until).is_some_and(|it| it < position)
            && !self
                .holding(block.address)
                .any(|it| it.since < position && it.until.is_none_or(|until| until > position))
    }

    fn holding(&self, address: u64) -> impl Iterator<Item = &Known> {
        let before = self.by_address.range(..=address).rev().take(NEAREST);
        before
            .flat_map(|(_, known)| known)
            .filter(move |it| address < it.segment.address.saturating_add(it.segment.bytes))
    }
}
