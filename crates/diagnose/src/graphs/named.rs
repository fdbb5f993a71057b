//! Streams and lines, each once.

use cgsan_finding::Location;
use cgsan_model::Stream;
use cgsan_trace::FrameId;
use rustc_hash::FxHashMap;

use crate::history::stack::own_location;
use crate::history::{History, Step, stream_of};

/// The streams and lines of a capture, by their places in a list.
pub(super) struct Named<'h, 't> {
    history: &'h History<'t>,
    pub(super) streams: Vec<String>,
    pub(super) places: Vec<Location>,
    by_stream: FxHashMap<Stream, usize>,
    by_stack: FxHashMap<FrameId, Option<usize>>,
    by_place: FxHashMap<Location, usize>,
}

impl<'h, 't> Named<'h, 't> {
    pub(super) fn new(history: &'h History<'t>, origin: Stream) -> Self {
        let mut named = Named {
            history,
            streams: Vec::new(),
            places: Vec::new(),
            by_stream: FxHashMap::default(),
            by_stack: FxHashMap::default(),
            by_place: FxHashMap::default(),
        };
        named.stream(origin);
        named
    }

    pub(super) fn stream(&mut self, stream: Stream) -> usize {
        *self.by_stream.entry(stream).or_insert_with(|| {
            self.streams.push(self.history.stream_description(stream));
            self.streams.len() - 1
        })
    }

    /// The stream that a call names.
    pub(super) fn stream_of(&mut self, step: Step<'_>) -> Option<usize> {
        Some(self.stream(stream_of(&step.record.call)?))
    }

    /// The line of the program that a stack leads through.
    pub(super) fn place_at(&mut self, stack: FrameId) -> Option<usize> {
        if let Some(known) = self.by_stack.get(&stack) {
            return *known;
        }
        let location = own_location(&self.history.trace.stack(stack));
        let place = location.map(|it| self.place(it));
        self.by_stack.insert(stack, place);
        place
    }

    pub(super) fn place(&mut self, location: Location) -> usize {
        *self
            .by_place
            .entry(location)
            .or_insert_with_key(|location| {
                self.places.push(location.clone());
                self.places.len() - 1
            })
    }
}
