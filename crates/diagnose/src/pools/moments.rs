//! What the allocator held, whenever it was asked.

use cgsan_trace::{AgentEvent, DeviceMemory, MemoryMoment, PoolMemory};

use super::{EAGER, PoolId};
use crate::history::History;

/// What the allocator held at one moment.
pub(crate) struct Moment<'t> {
    /// Where it stands in the trace.
    pub(crate) position: usize,
    pub(crate) kind: MemoryMoment,
    pub(crate) devices: &'t [DeviceMemory],
    /// `None` if there were too many blocks to go through.
    pub(crate) pools: Option<&'t [PoolMemory]>,
    /// Freed blocks that wait for another stream: where they begin, and their sizes.
    pub(crate) pending: &'t [(u64, u64)],
    /// The capture that it comes right before, or at the end of.
    pub(crate) capture: Option<usize>,
}

impl Moment<'_> {
    /// What all devices have reserved.
    pub(crate) fn reserved(&self) -> u64 {
        self.devices.iter().map(|it| it.reserved).sum()
    }

    /// A pool on all devices.
    pub(crate) fn pool(&self, pool: PoolId) -> PoolMemory {
        let mut sum = PoolMemory {
            pool,
            ..PoolMemory::default()
        };
        for it in self.pools.unwrap_or_default() {
            if it.pool == pool {
                sum.segments += it.segments;
                sum.reserved += it.reserved;
                sum.allocated += it.allocated;
                sum.pending += it.pending;
                sum.split += it.split;
                sum.largest = sum.largest.max(it.largest);
            }
        }
        sum
    }

    /// What all private pools have reserved.
    pub(crate) fn reserved_by_graphs(&self) -> u64 {
        let pools = self.pools.unwrap_or_default().iter();
        let private = pools.filter(|it| it.pool != EAGER);
        private.map(|it| it.reserved).sum()
    }
}

/// All moments of a trace.
pub(super) fn of<'t>(history: &History<'t>) -> Vec<Moment<'t>> {
    let mut moments = Vec::new();
    for (position, event) in history.trace.agent_events() {
        if let AgentEvent::Memory {
            moment,
            devices,
            pools,
            pending,
            ..
        } = event
        {
            moments.push(Moment {
                position,
                kind: *moment,
                devices,
                pools: pools.as_deref(),
                pending,
                capture: capture_of(history, *moment, position),
            });
        }
    }
    moments
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
