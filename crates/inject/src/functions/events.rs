//! Events.

use cgsan_model::{Call, EventId};

use super::shape::{ElapsedTime, EventRecord, EventRecordWithFlags, NewEvent, OfEvent};
use super::{EXTERNAL, Function, functions};

pub(super) const FUNCTIONS: &[Function] = functions! {
    Always 118 cuEventCreate(site, p: NewEvent) => Call::EventCreate {
        event: EventId(site.returned(p.out)),
        device: site.device(),
        timing: p.flags & DISABLE_TIMING == 0,
    };
    Always 122 cuEventDestroy(_, p: OfEvent) => Call::EventDestroy { event: EventId(p.event) };
    Always 325 cuEventDestroy_v2(_, p: OfEvent) => Call::EventDestroy { event: EventId(p.event) };
    Always 119/441 cuEventRecord(site, p: EventRecord) => Call::EventRecord {
        event: EventId(p.event),
        stream: site.stream(p.stream),
        external: false,
    };
    Always 587/588 cuEventRecordWithFlags(site, p: EventRecordWithFlags) => Call::EventRecord {
        event: EventId(p.event),
        stream: site.stream(p.stream),
        external: p.flags & EXTERNAL != 0,
    };
    OnceCaptured 120 cuEventQuery(_, p: OfEvent) => Call::EventQuery { event: EventId(p.event) };
    OnceCaptured 121 cuEventSynchronize(_, p: OfEvent) => Call::EventSynchronize { event: EventId(p.event) };
    OnceCaptured 123 cuEventElapsedTime(_, p: ElapsedTime) => elapsed(p);
    OnceCaptured 780 cuEventElapsedTime_v2(_, p: ElapsedTime) => elapsed(p);
};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;

fn elapsed(p: &ElapsedTime) -> Call {
    Call::EventElapsedTime {
        start: EventId(p.start),
        end: EventId(p.end),
    }
}
