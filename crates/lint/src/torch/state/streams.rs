//! Streams and events: who has waited for whom.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::About;
use super::capture::CaptureId;
use super::event::Event;
use super::join::advance;
use super::object::{CudaEvent, Own, Progress, Recorded, Stream};
use super::order::Awaited;
use crate::interp::value::{CellId, Value};
use crate::project::FileId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::{Cell, Heap, Interp, Kind, Object};

/// What holds for all streams.
#[derive(Debug)]
pub(crate) struct Streams {
    /// The default one.
    pub(super) default: CellId,
    /// Whether the program puts functions of its own in the place of those of `torch.cuda`'s streams and events.
    pub(crate) are_replaced: bool,
    pub(super) awaited: Awaited,
}

impl Streams {
    /// Those of a program that begins with a file.
    pub(super) fn new(heap: &mut Heap<'_>, file: FileId) -> Self {
        let nowhere = Site {
            file,
            range: TextRange::default(),
        };
        let default = heap.add(Cell::Object(Object {
            kind: Kind::Library(Own::Stream(Stream {
                default: true,
                ..Stream::default()
            })),
            fields: FxHashMap::default(),
            made: nowhere,
            loops: Rc::from([]),
            about: About::default(),
            open: false,
        }));
        Self {
            default,
            are_replaced: false,
            awaited: Awaited::default(),
        }
    }
}

impl<'p> Interp<'p> {
    /// The stream of a cell.
    pub(crate) fn stream(&self, cell: CellId) -> Option<&Stream> {
        match &self.heap.object(cell)?.kind {
            Kind::Library(Own::Stream(stream)) => Some(stream),
            _ => None,
        }
    }

    /// The stream of a cell, to be changed.
    pub(crate) fn stream_mut(&mut self, cell: CellId) -> Option<&mut Stream> {
        match &mut self.heap.object_mut(cell)?.kind {
            Kind::Library(Own::Stream(stream)) => Some(stream),
            _ => None,
        }
    }

    /// The event of a cell.
    pub(crate) fn event(&self, cell: CellId) -> Option<&CudaEvent> {
        match &self.heap.object(cell)?.kind {
            Kind::Library(Own::Event(event)) => Some(event),
            _ => None,
        }
    }

    /// A stream waits for an unknown one: that may be any stream of the capture, and make it part of that.
    pub(crate) fn wait_for_unknown(&mut self, waiter: CellId) {
        let Some(id) = self.graph_capture() else {
            self.all_may_be_over();
            return;
        };
        let members = self.library.captures[id.0].members.clone();
        for member in members.into_iter().chain([waiter]) {
            if let Some(stream) = self.stream_mut(member) {
                stream.lost = true;
            }
        }
    }

    /// The default stream.
    pub(crate) fn default_stream(&self) -> Value<'p> {
        Value::Object(self.library.streams.default)
    }

    /// Whether the current stream is known to be the default one.
    pub(crate) fn is_on_default_stream(&self) -> bool {
        self.flow.stream == Some(self.library.streams.default)
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
            self.all_may_be_over();
            return;
        };
        let (knows, capture, lost) = (
            other.knows.clone(),
            other.member.map(|(capture, _)| capture),
            other.lost,
        );
        if lost {
            self.all_may_be_over();
        }
        if self.may_wait(waiter, awaited, capture) {
            self.joins(waiter, capture, &knows, range);
        } else {
            self.emit(Event::WaitRefused {
                awaited,
                capture,
                range,
            });
        }
    }

    /// `waiter.wait_event(event)`.
    pub(crate) fn wait_event(&mut self, waiter: CellId, event: CellId, range: TextRange) {
        if self.event(event).is_some_and(|it| it.one_of_several) {
            self.wait_for_unknown(waiter);
            return;
        }
        let Some(recorded) = self.event(event).and_then(|it| it.recorded.clone()) else {
            self.all_may_be_over();
            return;
        };
        self.emit(Event::StreamAwaits {
            waiter,
            event,
            recorded: &recorded,
            range,
        });
        if self.may_wait_for(waiter, event, recorded.capture) {
            self.joins(waiter, recorded.capture, &recorded.knows, range);
        }
    }

    /// Whether a stream may wait for another, whose work belongs to `capture`, where this is said.
    fn may_wait(&self, waiter: CellId, awaited: CellId, capture: Option<CaptureId>) -> bool {
        let Some(id) = self.graph_capture() else {
            return true;
        };
        if capture == Some(id) {
            return !self.stream(waiter).is_some_and(|it| it.default);
        }
        let is_lost = [waiter, awaited]
            .iter()
            .any(|it| self.stream(*it).is_some_and(|it| it.lost));
        let is_member = self.capture_of(waiter) == Some(id);
        !is_member || is_lost || self.library.captures[id.0].stream.is_none()
    }

    /// Whether a stream may wait for an event that was recorded in `capture`, or in none.
    fn may_wait_for(&self, waiter: CellId, event: CellId, capture: Option<CaptureId>) -> bool {
        if self.event(event).is_some_and(|it| it.external) {
            return false;
        }
        let Some(id) = self.graph_capture() else {
            return capture.is_none();
        };
        match capture {
            Some(of) => of == id,
            None => {
                self.capture_of(waiter) != Some(id) || self.library.captures[id.0].stream.is_none()
            }
        }
    }

    /// The capture that runs, and the current stream, if that is no part of it.
    pub(crate) fn outside(&self) -> Option<(CaptureId, CellId)> {
        let id = self.graph_capture()?;
        let stream = self.flow.stream?;
        // Where the origin is unknown, so is every other stream's part in it.
        self.library.captures[id.0].stream?;
        let is_lost = self.stream(stream).is_some_and(|it| it.lost);
        (self.capture_of(stream).is_none() && !is_lost).then_some((id, stream))
    }

    /// Notes that work is put on a stream that is no part of the capture, if it is none.
    pub(super) fn works_outside(&mut self, site: Site) {
        if let Some((id, stream)) = self.outside()
            && let Some(stream) = self.stream_mut(stream)
        {
            stream.worked_outside.get_or_insert((id, site));
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
            self.library.captures[id.0].members.push(waiter);
        }
    }

    /// `event.record(stream)`.
    pub(crate) fn record_event(&mut self, event: CellId, stream: Option<CellId>, range: TextRange) {
        let site = self.site(range);
        let (knows, capture) = stream
            .and_then(|it| self.stream(it))
            .map(|it| (it.knows.clone(), it.member.map(|(capture, _)| capture)))
            .unwrap_or_default();
        if let Some(Kind::Library(Own::Event(event))) =
            self.heap.object_mut(event).map(|it| &mut it.kind)
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
        self.new_object(Kind::Library(Own::Stream(Stream::default())), site)
    }

    /// The current stream.
    pub(crate) fn current_stream(&self) -> Value<'p> {
        self.flow.stream.map_or(Value::Unknown, Value::Object)
    }

    /// The graph of a cell.
    pub(crate) fn graph(&self, cell: CellId) -> Option<&super::object::Graph> {
        match &self.heap.object(cell)?.kind {
            Kind::Library(Own::Graph(graph)) => Some(graph),
            _ => None,
        }
    }

    /// The graph of a cell, to be changed.
    pub(crate) fn graph_mut(&mut self, cell: CellId) -> Option<&mut super::object::Graph> {
        match self.heap.edit(cell) {
            Cell::Object(object) => match &mut object.kind {
                Kind::Library(Own::Graph(graph)) => Some(graph),
                _ => None,
            },
            _ => None,
        }
    }
}
