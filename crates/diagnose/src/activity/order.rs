//! Which work is known to be over, as seen from each stream, event and the host: replays, and operators that write.
//!
//! Each stream counts its work. A stream, an event and the host know, of each stream, up to which piece its work is over.

use cgsan_model::{Call, Code, Device, EventId, NodeKind, Restricted, Stream};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::Step;

/// Of each stream, how many pieces of its work are known to be over.
type Known = FxHashMap<Stream, u64>;

/// The order that streams, events and waits make.
#[derive(Debug, Default)]
pub(crate) struct Order {
    works: FxHashMap<Stream, u64>,
    streams: FxHashMap<Stream, Known>,
    events: FxHashMap<EventId, Known>,
    host: Known,
    /// Streams that wait for the default stream, and it for them.
    blocking: FxHashSet<Stream>,
}

/// A piece of work: the stream that it runs on, and its number there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    stream: Stream,
    number: u64,
}

impl Ticket {
    /// The stream that it runs on.
    pub(crate) fn stream(self) -> Stream {
        self.stream
    }
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
            Call::EventRecord { event, stream, .. } => self.recorded(event, stream),
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
            // A function of the host may tell the program that what was enqueued before it is over.
            Call::StreamSynchronize { stream }
            | Call::StreamQuery { stream }
            | Call::Work {
                stream,
                node: NodeKind::Host { .. },
            } => {
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

    /// An event stands for what a stream was given so far.
    pub(crate) fn recorded(&mut self, event: EventId, stream: Stream) {
        let known = self.all_of(stream);
        self.events.insert(event, known);
    }

    /// Whatever was enqueued so far is taken to be over.
    pub(crate) fn all_is_over(&mut self) {
        let all = self.works.clone();
        join(&mut self.host, &all);
    }

    /// A replay is enqueued, or work of an operator.
    pub(crate) fn enqueued(&mut self, stream: Stream) -> Ticket {
        let known = self.known_to(stream);
        self.streams.insert(stream, known);
        let number = self.works.entry(stream).or_default();
        *number += 1;
        Ticket {
            stream,
            number: *number,
        }
    }

    /// Whether work is over before what a stream is given now.
    pub(crate) fn is_before(&self, work: Ticket, stream: Stream) -> bool {
        work.stream == stream
            || self
                .known_to(stream)
                .get(&work.stream)
                .is_some_and(|number| *number >= work.number)
    }

    /// Whether the host knows that work is over.
    pub(crate) fn is_over(&self, work: Ticket) -> bool {
        self.host
            .get(&work.stream)
            .is_some_and(|number| *number >= work.number)
    }

    /// What is over before a stream's next work.
    fn known_to(&self, stream: Stream) -> Known {
        let mut known = self.streams.get(&stream).cloned().unwrap_or_default();
        join(&mut known, &self.host);
        for other in self.works.keys() {
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
        if let Some(number) = self.works.get(&stream) {
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
