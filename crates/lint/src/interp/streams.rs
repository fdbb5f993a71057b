//! Streams and events: who has waited for whom.

use super::join::advance;
use super::object::{Event, Kind, Progress, Recorded, Stream};
use super::value::{CaptureId, CellId, Value};
use super::{Cell, Interp};
use crate::rules;
use crate::syntax::ast::TextRange;

impl<'p> Interp<'p> {
    /// The stream of a cell.
    pub(crate) fn stream(&self, cell: CellId) -> Option<&Stream> {
        match &self.heap.object(cell)?.kind {
            Kind::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// The stream of a cell, to be changed.
    pub(crate) fn stream_mut(&mut self, cell: CellId) -> Option<&mut Stream> {
        match &mut self.heap.object_mut(cell)?.kind {
            Kind::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// The event of a cell.
    pub(crate) fn event(&self, cell: CellId) -> Option<&Event> {
        match &self.heap.object(cell)?.kind {
            Kind::Event(event) => Some(event),
            _ => None,
        }
    }

    /// A stream waits for one of which nothing is known: that may be any stream of the capture, and make it part of that.
    pub(crate) fn wait_for_unknown(&mut self, waiter: CellId) {
        let Some(id) = self.graph_capture() else {
            return;
        };
        let members = self.captures[id.0].members.clone();
        for member in members.into_iter().chain([waiter]) {
            if let Some(stream) = self.stream_mut(member) {
                stream.lost = true;
            }
        }
    }

    /// The default stream.
    pub(crate) fn default_stream(&self) -> Value<'p> {
        Value::Object(self.default_stream)
    }

    /// Whether the current stream is known to be the default one.
    pub(crate) fn is_on_default_stream(&self) -> bool {
        self.flow.stream == Some(self.default_stream)
    }

    /// The capture that a stream is part of.
    pub(crate) fn capture_of(&self, stream: CellId) -> Option<CaptureId> {
        self.stream(stream)?.member.map(|(capture, _)| capture)
    }

    /// Notes a piece of work on the current stream.
    pub(crate) fn advance_stream(&mut self) {
        if let Some(cell) = self.flow.stream
            && let Some(stream) = self.stream_mut(cell)
        {
            *stream.knows.entry(cell).or_default() += 1;
        }
    }

    /// `waiter.wait_stream(awaited)`.
    pub(crate) fn wait_stream(&mut self, waiter: CellId, awaited: CellId, range: TextRange) {
        let Some(other) = self.stream(awaited) else {
            return;
        };
        let (knows, capture) = (
            other.knows.clone(),
            other.member.map(|(capture, _)| capture),
        );
        if rules::streams::waits(self, waiter, awaited, capture, range) {
            self.joins(waiter, capture, &knows, range);
        }
    }

    /// `waiter.wait_event(event)`.
    pub(crate) fn wait_event(&mut self, waiter: CellId, event: CellId, range: TextRange) {
        if self.event(event).is_some_and(|it| it.one_of_several) {
            self.wait_for_unknown(waiter);
            return;
        }
        let Some(recorded) = self.event(event).and_then(|it| it.recorded.clone()) else {
            return;
        };
        if rules::streams::waits_for_event(self, waiter, event, &recorded, range) {
            self.joins(waiter, recorded.capture, &recorded.knows, range);
        }
    }

    fn joins(
        &mut self,
        waiter: CellId,
        capture: Option<CaptureId>,
        knows: &Progress,
        range: TextRange,
    ) {
        // As much work as a statement, for each few streams that are known of.
        self.spend_many(u32::try_from(knows.len() / 8).unwrap_or(u32::MAX));
        let site = self.site(range);
        let running = capture.filter(|id| self.flow.captures.contains(id));
        let Some(stream) = self.stream_mut(waiter) else {
            return;
        };
        advance(&mut stream.knows, knows);
        if let Some(id) = running
            && stream.member.is_none()
        {
            stream.member = Some((id, Some(site)));
            self.captures[id.0].members.push(waiter);
        }
    }

    /// `event.record(stream)`.
    pub(crate) fn record_event(&mut self, event: CellId, stream: Option<CellId>, range: TextRange) {
        let site = self.site(range);
        let stream = stream.or(self.flow.stream);
        let (knows, capture) = stream
            .and_then(|it| self.stream(it))
            .map(|it| (it.knows.clone(), it.member.map(|(capture, _)| capture)))
            .unwrap_or_default();
        if let Some(Kind::Event(event)) = self.heap.object_mut(event).map(|it| &mut it.kind)
            && !event.one_of_several
        {
            event.recorded = stream.is_some().then_some(Recorded {
                site,
                capture,
                knows,
            });
        }
    }

    /// A new stream, made here.
    pub(crate) fn new_stream(&mut self, range: TextRange) -> Value<'p> {
        let site = self.site(range);
        self.new_object(Kind::Stream(Stream::default()), site)
    }

    /// The current stream.
    pub(crate) fn current_stream(&self) -> Value<'p> {
        self.flow.stream.map_or(Value::Unknown, Value::Object)
    }

    /// The graph of a cell.
    pub(crate) fn graph(&self, cell: CellId) -> Option<&super::object::Graph> {
        match &self.heap.object(cell)?.kind {
            Kind::Graph(graph) => Some(graph),
            _ => None,
        }
    }

    /// The graph of a cell, to be changed.
    pub(crate) fn graph_mut(&mut self, cell: CellId) -> Option<&mut super::object::Graph> {
        match self.heap.edit(cell) {
            Cell::Object(object) => match &mut object.kind {
                Kind::Graph(graph) => Some(graph),
                _ => None,
            },
            _ => None,
        }
    }
}
