//! What PyTorch's allocator held when a part of a trace ended. It tells of changes, so all that it told until then is told again at
//! once.

use std::collections::BTreeMap;

use cgsan_trace::{AgentEvent, FrameId, MemoryMoment, Record, Segment, Trace};

use crate::part::Lasts;
use crate::pools::Moment;

/// What the last entry of the allocator that lies in no capture becomes, with its place; `None` if there is none.
pub(super) fn at(trace: &Trace, lasts: &Lasts, moments: &[Moment<'_>]) -> Option<(usize, Record)> {
    let is_outside = |position: usize| lasts.is_in_capture.get(position) == Some(&false);
    let moment = moments.iter().rfind(|it| is_outside(it.position))?;
    let event = AgentEvent::Memory {
        moment: MemoryMoment::Replay,
        devices: moment.devices.to_vec(),
        pools: moment.pools.as_deref().map(<[_]>::to_vec),
        segments: segments(trace, moment.position),
        gone: Vec::new(),
        pending: moment.pending.to_vec(),
        settings: moment.settings.map(str::to_owned),
        only: None,
    };
    let stack = stack_of(trace, moment.position);
    Some((moment.position, Record::Agent { event, stack }))
}

/// The segments that were there at a position.
fn segments(trace: &Trace, position: usize) -> Vec<Segment> {
    let mut there: BTreeMap<u64, Segment> = BTreeMap::new();
    let until = trace.agent_events().take_while(|(at, _)| *at <= position);
    for (_, event) in until {
        if let AgentEvent::Memory { segments, gone, .. } = event {
            for address in gone {
                there.remove(address);
            }
            there.extend(segments.iter().map(|it| (it.address, *it)));
        }
    }
    there.into_values().collect()
}

fn stack_of(trace: &Trace, position: usize) -> Option<FrameId> {
    match trace.entries().get(position)?.record {
        Record::Agent { stack, .. } => stack,
        _ => None,
    }
}
