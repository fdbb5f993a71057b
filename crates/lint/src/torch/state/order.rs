//! In which order replays run: what a stream has waited for, and what the host has.

use super::capture::CaptureId;
use super::join::advance;
use super::object::Progress;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::torch::Interp;

/// A replay, as its order with later ones needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    /// What was replayed.
    pub(crate) capture: CaptureId,
    pub(crate) stream: CellId,
    pub(crate) site: Site,
    /// How many pieces of work there were on the stream, with this one.
    done: u32,
    /// Its number among all replays.
    number: u32,
    /// The outermost function that was followed: when another one is called, is not known.
    within: Option<CellId>,
}

/// What the host has waited for.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    /// How many replays there were when it last waited for all of them, or may have.
    all: u32,
    /// How far it knows streams to have come.
    streams: Progress,
}

impl Interp<'_> {
    /// Notes that a replay is enqueued on the current stream. Nothing is noted where its order would not be known: on a
    /// stream of which something was not seen, in another thread.
    pub(crate) fn launch(&mut self, capture: CaptureId, site: Site) -> Option<Launch> {
        self.advance_stream();
        let cell = self.flow.stream?;
        let stream = self.stream(cell)?;
        let is_elsewhere = self.is_in_thread() || self.is_thread_beside();
        if stream.lost || is_elsewhere || self.library.streams.are_replaced {
            return None;
        }
        Some(Launch {
            capture,
            stream: cell,
            site,
            done: stream.knows.get(&cell).copied().unwrap_or(0),
            number: self.library.replays,
            within: self.outermost(),
        })
    }

    /// Whether a replay may still run when a later one begins, with nothing between them that could have waited for it.
    pub(crate) fn may_still_run(&self, before: &Launch, after: &Launch) -> bool {
        let awaited = &self.library.streams.awaited;
        let (Some(one), Some(other)) = (self.stream(before.stream), self.stream(after.stream))
        else {
            return false;
        };
        let knows = |it: &Progress| {
            it.get(&before.stream)
                .is_some_and(|done| *done >= before.done)
        };
        before.within == after.within
            && before.stream != after.stream
            && !one.lost
            && before.number > awaited.all
            && !knows(&awaited.streams)
            && !knows(&other.knows)
    }

    /// The last replay of each graph, where its order with others is known.
    pub(crate) fn last_launches(&self) -> impl Iterator<Item = Launch> {
        let graphs = self.library.captures.iter().enumerate();
        graphs.filter_map(|(at, it)| {
            let launched = self.graph(it.graph?)?.launched?;
            (launched.capture == CaptureId(at)).then_some(launched)
        })
    }

    /// The host waits for a stream. Where that is not known, it may wait for all.
    pub(crate) fn host_waits_for(&mut self, stream: Option<CellId>) {
        self.library.host_waits += 1;
        let stream = stream.and_then(|it| self.stream(it));
        match stream.filter(|it| !it.lost).map(|it| it.knows.clone()) {
            Some(knows) => advance(&mut self.library.streams.awaited.streams, &knows),
            None => self.all_may_be_over(),
        }
    }

    /// The host waits for what an event was recorded behind. Where that is not known, it may wait for all.
    pub(crate) fn host_waits_for_event(&mut self, event: CellId) {
        self.library.host_waits += 1;
        match self.event(event).and_then(|it| it.recorded.clone()) {
            Some(recorded) => advance(&mut self.library.streams.awaited.streams, &recorded.knows),
            None => self.all_may_be_over(),
        }
    }

    /// All replays so far are over, or may be: the host waits for the device, or something happens of which nothing is
    /// known.
    pub(crate) fn all_may_be_over(&mut self) {
        self.library.host_waits += 1;
        self.library.streams.awaited.all = self.library.replays;
    }

    /// How often the host has waited for the device, or may have.
    pub(crate) fn host_waits(&self) -> u32 {
        self.library.host_waits
    }

    fn outermost(&self) -> Option<CellId> {
        self.frames().first().map(|it| it.scope)
    }
}
