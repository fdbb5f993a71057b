//! What each pool held, step by step: the blocks of the trace, put right wherever the allocator was asked.

use cgsan_finding::{CaptureSpan, MemoryTimeline, MostHeld, PoolChange};
use cgsan_trace::Trace;
use rustc_hash::FxHashMap;

use super::{EAGER, Moment, PoolId, Pools, total};
use crate::activity::Block;

/// What the pools held over time.
pub(super) fn timeline(pools: &Pools<'_, '_>) -> MemoryTimeline {
    let mut course = Course::new(pools);
    for (position, event) in events(pools) {
        course.step(position);
        match event {
            Event::Ends(capture) => course.ends(capture),
            Event::Begins(capture) => course.begins(capture),
            Event::Freed(block) => course.freed(block),
            Event::Allocated(block) => course.allocated(block),
            Event::Asked(moment) => course.asked(moment),
        }
    }
    course.finish()
}

/// What happens at a place of the trace; of several, in this order.
#[derive(Clone, Copy)]
enum Event<'a> {
    Ends(usize),
    Begins(usize),
    Freed(&'a Block),
    Allocated(&'a Block),
    Asked(&'a Moment<'a>),
}

impl Event<'_> {
    fn rank(self) -> u8 {
        match self {
            Event::Ends(_) => 0,
            Event::Begins(_) => 1,
            Event::Freed(_) => 2,
            Event::Allocated(_) => 3,
            Event::Asked(_) => 4,
        }
    }
}

/// All that happens, in order, with its place in the trace.
fn events<'a>(pools: &'a Pools<'_, '_>) -> Vec<(usize, Event<'a>)> {
    let mut events = Vec::new();
    for block in &pools.activity.memory.blocks {
        events.push((block.allocated.position, Event::Allocated(block)));
        if let Some(freed) = block.freed {
            events.push((freed.position, Event::Freed(block)));
        }
    }
    for (capture, run) in pools.history.captures.iter().enumerate() {
        events.push((run.began.position, Event::Begins(capture)));
        if let Some(ended) = run.ended {
            events.push((ended.position, Event::Ends(capture)));
        }
    }
    events.extend(
        pools
            .moments
            .iter()
            .map(|it| (it.position, Event::Asked(it))),
    );
    events.sort_by_key(|(position, event)| (*position, event.rank()));
    events
}

/// A pool's sums at a step.
#[derive(Clone, Copy, Default, PartialEq)]
struct Sums {
    reserved: u64,
    held: u64,
}

/// The timeline as far as it has come.
struct Course<'a, 'h, 't> {
    pools: &'a Pools<'h, 't>,
    timeline: MemoryTimeline,
    /// By the places of the pools in the timeline.
    now: Vec<Sums>,
    places: FxHashMap<PoolId, usize>,
    /// The captures that run: their places among the timeline's.
    running: FxHashMap<usize, usize>,
    /// What all pools hold.
    held: u64,
    most: Option<(MostHeld, &'a Block)>,
    began_ns: u64,
}

impl<'a, 'h, 't> Course<'a, 'h, 't> {
    fn new(pools: &'a Pools<'h, 't>) -> Self {
        let began_ns = time(pools.history.trace, 0);
        let mut course = Course {
            pools,
            timeline: MemoryTimeline {
                reserved_peak: pools.peak_reserved(),
                ..MemoryTimeline::default()
            },
            now: Vec::new(),
            places: FxHashMap::default(),
            running: FxHashMap::default(),
            held: 0,
            most: None,
            began_ns,
        };
        course.place(EAGER);
        course
    }

    /// Goes on to a place of the trace.
    fn step(&mut self, position: usize) {
        let time = time(self.pools.history.trace, position).saturating_sub(self.began_ns);
        let last = self.timeline.steps.last().copied().unwrap_or_default();
        // Threads may write their records in another order than they took the times.
        self.timeline.steps.push(time.max(last));
    }

    fn last_step(&self) -> usize {
        self.timeline.steps.len().saturating_sub(1)
    }

    /// The place of a pool in the timeline.
    fn place(&mut self, pool: PoolId) -> usize {
        *self.places.entry(pool).or_insert_with(|| {
            self.timeline.pools.push(pool);
            self.now.push(Sums::default());
            self.now.len() - 1
        })
    }

    fn set(&mut self, place: usize, sums: Sums) {
        let before = std::mem::replace(&mut self.now[place], sums);
        if before != sums {
            self.held = self
                .held
                .saturating_sub(before.held)
                .saturating_add(sums.held);
            self.timeline.changes.push(PoolChange {
                step: self.last_step(),
                pool: place,
                reserved: sums.reserved,
                held: sums.held,
            });
        }
    }

    fn begins(&mut self, capture: usize) {
        let step = self.last_step();
        self.running.insert(capture, self.timeline.captures.len());
        self.timeline.captures.push(CaptureSpan {
            graph: capture + 1,
            begins: step,
            ends: step,
        });
    }

    fn ends(&mut self, capture: usize) {
        if let Some(span) = self.running.remove(&capture) {
            self.timeline.captures[span].ends = self.last_step();
        }
    }

    fn allocated(&mut self, block: &'a Block) {
        let place = self.place(self.pool_of(block));
        let held = self.now[place].held.saturating_add(block.bytes);
        let reserved = self.now[place].reserved.max(held);
        self.set(place, Sums { reserved, held });
        if self.held > self.most.as_ref().map_or(0, |(most, _)| most.bytes) {
            let most = MostHeld {
                step: self.last_step(),
                bytes: self.held,
                location: None,
            };
            self.most = Some((most, block));
        }
    }

    fn freed(&mut self, block: &Block) {
        let place = self.place(self.pool_of(block));
        let Sums { reserved, held } = self.now[place];
        let held = held.saturating_sub(block.bytes);
        self.set(place, Sums { reserved, held });
    }

    /// The allocator was asked, and its word counts.
    fn asked(&mut self, moment: &Moment<'_>) {
        let Some(told) = moment.pools.as_deref() else {
            return self.asked_for_sums(moment);
        };
        for pool in told {
            self.place(pool.pool);
        }
        for place in 0..self.now.len() {
            let sums = moment.pool(self.timeline.pools[place]);
            self.set(
                place,
                Sums {
                    reserved: sums.reserved,
                    held: sums.allocated,
                },
            );
        }
    }

    /// The allocator gave its totals alone: what private pools do not account for is that of eager work.
    fn asked_for_sums(&mut self, moment: &Moment<'_>) {
        let eager = self.place(EAGER);
        let mut private = Sums::default();
        for (_, sums) in self.now.iter().enumerate().filter(|(it, _)| *it != eager) {
            private.reserved = private.reserved.saturating_add(sums.reserved);
            private.held = private.held.saturating_add(sums.held);
        }
        let held = total(moment.devices.iter().map(|it| it.allocated));
        self.set(
            eager,
            Sums {
                reserved: moment.reserved().saturating_sub(private.reserved),
                held: held.saturating_sub(private.held),
            },
        );
    }

    /// That of its segment, or else of its capture.
    fn pool_of(&self, block: &Block) -> PoolId {
        let of_capture = || self.pools.of_capture(block.capture?);
        self.pools
            .pool_of(block)
            .or_else(of_capture)
            .unwrap_or(EAGER)
    }

    fn finish(mut self) -> MemoryTimeline {
        let last = self.last_step();
        for span in self.running.into_values() {
            self.timeline.captures[span].ends = last;
        }
        self.timeline.most_held = self.most.map(|(most, block)| MostHeld {
            location: self.pools.location_of(block),
            ..most
        });
        self.timeline
    }
}

/// When an entry was made, in nanoseconds.
fn time(trace: &Trace, position: usize) -> u64 {
    trace.entries().get(position).map_or(0, |it| it.time_ns)
}
