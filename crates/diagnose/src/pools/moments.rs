//! What the allocator held, whenever it was asked.

use std::borrow::Cow;

use cgsan_trace::{AgentEvent, DeviceMemory, MemoryMoment, PoolMemory};

use super::{EAGER, PoolId, total};
use crate::history::History;

/// What the allocator held at one moment.
pub(crate) struct Moment<'t> {
    /// Where it stands in the trace.
    pub(crate) position: usize,
    pub(crate) kind: MemoryMoment,
    pub(crate) devices: &'t [DeviceMemory],
    /// `None` if there were too many blocks to go through. Where the allocator was asked about one pool alone, the others are
    /// those of the last time, and eager work has what is left.
    pub(crate) pools: Option<Cow<'t, [PoolMemory]>>,
    /// Freed blocks that wait for another stream: where they begin, and their sizes.
    pub(crate) pending: &'t [(u64, u64)],
    /// The allocator's options.
    pub(crate) settings: Option<&'t str>,
    /// The capture that it comes right before, or at the end of.
    pub(crate) capture: Option<usize>,
}

impl Moment<'_> {
    /// What all devices have reserved.
    pub(crate) fn reserved(&self) -> u64 {
        total(self.devices.iter().map(|it| it.reserved))
    }

    /// A pool on all devices.
    pub(crate) fn pool(&self, pool: PoolId) -> PoolMemory {
        let mut sum = PoolMemory {
            pool,
            ..PoolMemory::default()
        };
        for it in self.pools.as_deref().unwrap_or_default() {
            if it.pool == pool {
                sum.segments = sum.segments.saturating_add(it.segments);
                sum.reserved = sum.reserved.saturating_add(it.reserved);
                sum.allocated = sum.allocated.saturating_add(it.allocated);
                sum.pending = sum.pending.saturating_add(it.pending);
                sum.split = sum.split.saturating_add(it.split);
                sum.largest = sum.largest.max(it.largest);
            }
        }
        sum
    }

    /// What a pool has reserved and nobody holds or waits for.
    pub(crate) fn free(&self, pool: PoolId) -> u64 {
        let pool = self.pool(pool);
        let used = pool.allocated.saturating_add(pool.pending);
        pool.reserved.saturating_sub(used)
    }

    /// What all private pools have reserved.
    pub(crate) fn reserved_by_graphs(&self) -> u64 {
        let pools = self.pools.as_deref().unwrap_or_default().iter();
        let private = pools.filter(|it| it.pool != EAGER);
        total(private.map(|it| it.reserved))
    }
}

/// All moments of a trace.
pub(super) fn of<'t>(history: &History<'t>) -> Vec<Moment<'t>> {
    let mut moments: Vec<Moment<'t>> = Vec::new();
    for (position, event) in history.trace.agent_events() {
        if let AgentEvent::Memory {
            moment,
            devices,
            pools,
            pending,
            settings,
            only,
            ..
        } = event
        {
            let told = pools.as_deref().map(Cow::Borrowed);
            let pools = match only {
                None => told,
                Some(only) => {
                    let before = moments.iter().rev().find_map(|it| it.pools.as_deref());
                    let now = told.as_deref().unwrap_or_default();
                    completed(before.unwrap_or_default(), *only, now, devices).map(Cow::Owned)
                }
            };
            moments.push(Moment {
                position,
                kind: *moment,
                devices,
                pools,
                pending,
                settings: settings.as_deref(),
                capture: capture_of(history, *moment, position),
            });
        }
    }
    moments
}

/// All pools, from those of the last time, one of now and the sums of now; of one device.
fn completed(
    before: &[PoolMemory],
    only: PoolId,
    now: &[PoolMemory],
    devices: &[DeviceMemory],
) -> Option<Vec<PoolMemory>> {
    let [device] = devices else {
        return None;
    };
    let others = before
        .iter()
        .filter(|it| it.pool != only && it.pool != EAGER);
    let private: Vec<PoolMemory> = others.chain(now).copied().collect();
    let rest =
        |all: u64, of: fn(&PoolMemory) -> u64| all.saturating_sub(total(private.iter().map(of)));
    let eager = PoolMemory {
        device: device.device,
        pool: EAGER,
        reserved: rest(device.reserved, |it| it.reserved),
        allocated: rest(device.allocated, |it| it.allocated),
        pending: rest(device.active.saturating_sub(device.allocated), |it| {
            it.pending
        }),
        split: rest(device.split, |it| it.split),
        ..PoolMemory::default()
    };
    Some(std::iter::once(eager).chain(private).collect())
}

fn capture_of(history: &History<'_>, moment: MemoryMoment, position: usize) -> Option<usize> {
    let thread = history.trace.entries().get(position)?.thread;
    let mut captures = history.captures.iter().enumerate();
    let mut of_thread = captures.by_ref().filter(|(_, run)| run.thread() == thread);
    let found = match moment {
        MemoryMoment::BeforeCapture => of_thread.find(|(_, run)| run.began.position > position),
        // A capture may have broken before it was ended.
        MemoryMoment::CaptureEnds => of_thread
            .filter(|(_, run)| run.began.position < position)
            .last(),
        MemoryMoment::Replay | MemoryMoment::ProgramEnds => None,
    };
    found.map(|(index, _)| index)
}
