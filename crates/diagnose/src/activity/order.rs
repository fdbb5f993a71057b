//! Which replays are known to be over, as seen from each stream, event and the host.
//!
//! Each stream counts its replays. A stream, an event and the host know, of each stream, up to which one its replays are over.

use cgsan_model::{Call, Code, Device, EventId, Restricted, Stream};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::Step;

/// Of each stream, how many of its replays are known to be over.
type Known = FxHashMap<Stream, u64>;

/// The order that streams, events and waits make.
#[derive(Debug, Default)]
pub(crate) struct Order {
    replays: FxHashMap<Stream, u64>,
    streams: FxHashMap<Stream, Known>,
    events: FxHashMap<EventId, Known>,
    host: Known,
    /// Streams that wait for the default stream, and it for them.
    blocking: FxHashSet<Stream>,
}

/// A replay: the stream that it runs on, and its number there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    stream: Stream,
    number: u64,
}

impl Order {
    /// Notes a call that orders others.
    pub(crate) fn see(&mut self, step: Step<'_>) {
        if !matches!(step.record.result, Code::SUCCESS) {
            return;
        }
        match step.record.call {
            Call::StreamCreate {
                stream,
                non_blocking: false,
                ..
            } => {
                self.blocking.insert(stream);
            }
            Call::EventRecord { event, stream, .. } => {
                let known = self.all_of(stream);
                self.events.insert(event, known);
            }
            Call::StreamWaitEvent { stream, event, .. } => {
                if let Some(known) = self.events.get(&event).cloned() {
                    join(self.streams.entry(stream).or_default(), &known);
                }
            }
            Call::EventSynchronize { event } | Call::EventQuery { event } => {
                if let Some(known) = self.events.get(&event).cloned() {
                    join(&mut self.host, &known);
                }
            }
            Call::StreamSynchronize { stream } | Call::StreamQuery { stream } => {
                let known = self.all_of(stream);
                join(&mut self.host, &known);
            }
            Call::SynchronousWork { device, .. } => {
                let known = self.all_of(Stream::Legacy(device));
                join(&mut self.host, &known);
            }
            // Memory is given back to the driver once the device is done with all that it was given.
            Call::DeviceSynchronize { .. }
            | Call::Restricted(Restricted::Free | Restricted::HostFree) => self.all_is_over(),
            _ => {}
        }
    }

    /// Whatever was enqueued so far is taken to be over.
    pub(crate) fn all_is_over(&mut self) {
        let all = self.replays.clone();
        join(&mut self.host, &all);
    }

    /// A replay is enqueued.
    pub(crate) fn replay(&mut self, stream: Stream) -> Ticket {
        let known = self.known_to(stream);
        self.streams.insert(stream, known);
        let number = self.replays.entry(stream).or_default();
        *number += 1;
        Ticket {
            stream,
            number: *number,
        }
    }

    /// Whether a replay is over before what a stream is given now.
    pub(crate) fn is_before(&self, replay: Ticket, stream: Stream) -> bool {
        replay.stream == stream
            || self
                .known_to(stream)
                .get(&replay.stream)
                .is_some_and(|number| *number >= replay.number)
    }

    /// Whether the host knows that a replay is over.
    pub(crate) fn is_over(&self, replay: Ticket) -> bool {
        self.host
            .get(&replay.stream)
            .is_some_and(|number| *number >= replay.number)
    }

    /// What is over before a stream's next work.
    fn known_to(&self, stream: Stream) -> Known {
        let mut known = self.streams.get(&stream).cloned().unwrap_or_default();
        join(&mut known, &self.host);
        for other in self.replays.keys() {
            if self.wait_for_each_other(stream, *other) {
                let theirs = self.all_of_one(*other);
                join(&mut known, &theirs);
            }
        }
        known
    }

    /// What is over once a stream's work so far is.
    fn all_of(&self, stream: Stream) -> Known {
        let mut known = self.known_to(stream);
        let own = self.all_of_one(stream);
        join(&mut known, &own);
        known
    }

    fn all_of_one(&self, stream: Stream) -> Known {
        let mut known = self.streams.get(&stream).cloned().unwrap_or_default();
        if let Some(number) = self.replays.get(&stream) {
            known.insert(stream, *number);
        }
        known
    }

    fn wait_for_each_other(&self, one: Stream, other: Stream) -> bool {
        let is_legacy = |stream| matches!(stream, Stream::Legacy(Device(_)));
        (is_legacy(one) && self.blocking.contains(&other))
            || (is_legacy(other) && self.blocking.contains(&one))
    }
}

fn join(known: &mut Known, more: &Known) {
    for (stream, number) in more {
        let own = known.entry(*stream).or_default();
        *own = (*own).max(*number);
    }
}
