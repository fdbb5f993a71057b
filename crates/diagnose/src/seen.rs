//! What a diagnosis found out of a process on its way to findings, for those who show single events.

use cgsan_finding::{CapturedGraph, Location, Outcome};
use cgsan_model::Stream;
use cgsan_trace::CallRecord;
use rustc_hash::FxHashMap;

use crate::activity::Activity;
use crate::graphs;
use crate::history::{self, CaptureRun, History};

/// Is shown what was found out of a process.
pub type Look<'a> = &'a mut dyn FnMut(&Seen<'_, '_>);

/// The captures of a process, and which events belong to them.
pub struct Seen<'a, 't> {
    history: &'a History<'t>,
    activity: &'a Activity<'t>,
    /// The capture of each call that one recorded or refused, and of each replay, by entry; indexes into the captures.
    captures: FxHashMap<usize, usize>,
}

/// A capture from its begin to its end. Places are indexes of entries of the trace.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The call that began it.
    pub began: usize,
    /// The call that ended it; `None` if none did.
    pub ended: Option<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// `global`, `thread_local` or `relaxed`.
    pub mode: &'static str,
    /// What a sentence calls its origin stream.
    pub stream: String,
    /// How many streams took part.
    pub streams: usize,
    /// The calls that were refused on its account, in order.
    pub refused: Vec<usize>,
    /// How many replays of its graph there were.
    pub replays: usize,
    /// The line that began it.
    pub location: Option<Location>,
}

impl<'a, 't> Seen<'a, 't> {
    pub(crate) fn new(history: &'a History<'t>, activity: &'a Activity<'t>) -> Seen<'a, 't> {
        let ids = history.captures.iter().enumerate();
        let of_id: FxHashMap<_, usize> = ids
            .filter_map(|(index, it)| Some((it.id?, index)))
            .collect();
        let calls = history.concerned_calls();
        let mut captures: FxHashMap<usize, usize> = calls
            .filter_map(|(entry, id)| Some((entry, *of_id.get(&id)?)))
            .collect();
        let launches = activity.replays.iter();
        captures.extend(launches.map(|replay| (replay.position, replay.graph)));
        Seen {
            history,
            activity,
            captures,
        }
    }

    /// The captures, in the order in which they began.
    pub fn captures(&self) -> impl Iterator<Item = Capture> {
        let runs = self.history.captures.iter().zip(&self.activity.graphs);
        runs.map(|(run, graph)| self.capture(run, graph.replays))
    }

    /// What the captures recorded, in the order in which they began; of a trace that was narrowed, those of the part.
    pub fn graphs(&self) -> Vec<CapturedGraph> {
        graphs::of(self.history, self.activity)
    }

    /// The capture that recorded or refused the call at an entry, or whose graph it launched: an index into the captures.
    pub fn capture_at(&self, entry: usize) -> Option<usize> {
        self.captures.get(&entry).copied()
    }

    /// The stream that a call uses.
    pub fn stream_of(&self, call: &CallRecord) -> Option<Stream> {
        history::stream_of(&call.call)
    }

    /// What a sentence calls a stream, e.g. `stream 2`.
    pub fn stream_name(&self, stream: Stream) -> String {
        self.history.stream_name(stream)
    }

    fn capture(&self, run: &CaptureRun<'_>, replays: usize) -> Capture {
        let streams = run.forks.iter().map(|fork| fork.stream);
        let mut streams: Vec<Stream> = streams.chain([run.origin]).collect();
        streams.sort_unstable();
        streams.dedup();
        Capture {
            began: run.began.position,
            ended: run.ended.map(|step| step.position),
            outcome: graphs::outcome(run),
            mode: graphs::mode(run.mode),
            stream: self.history.stream_name(run.origin),
            streams: streams.len(),
            refused: run.refusals.iter().map(|it| it.step.position).collect(),
            replays,
            location: self.history.location_of(run.began),
        }
    }
}
