//! One event of the Trace Event Format.

use serde::Serialize;
use serde_json::{Map, Value};

use super::clock::microseconds;

/// How long a mark is drawn, in nanoseconds: what happens at one moment, and to which arrows lead, has to be a slice.
const MARK_NS: u64 = 1;

/// What kind of event it is (`ph`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Phase {
    /// A slice begins.
    B,
    /// The innermost slice of the track ends.
    E,
    /// A slice that is known as a whole.
    X,
    /// Something without a length.
    #[serde(rename = "i")]
    Instant,
    /// An arrow begins in the slice that is there.
    #[serde(rename = "s")]
    ArrowBegins,
    /// An arrow ends in the slice that is there.
    #[serde(rename = "f")]
    ArrowEnds,
    /// The name or the place of a track.
    M,
}

/// An event.
#[derive(Debug, Serialize)]
pub(super) struct Event<'a> {
    pub(super) ph: Phase,
    pub(super) pid: u64,
    pub(super) tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ts: Option<f64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) cat: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// Of an instant: that it belongs to its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    /// Of the end of an arrow: that the slice around it is meant, and not the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) args: Map<String, Value>,
}

/// The track of an event, and when it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) pid: u64,
    pub(super) tid: u64,
    /// In microseconds.
    pub(super) ts: f64,
}

impl<'a> Event<'a> {
    /// An event without arguments.
    pub(super) fn new(ph: Phase, at: At, name: &'a str, cat: &'static str) -> Self {
        Event {
            ph,
            pid: at.pid,
            tid: at.tid,
            ts: Some(at.ts),
            name,
            cat,
            dur: (ph == Phase::X).then(|| microseconds(MARK_NS)),
            id: None,
            s: (ph == Phase::Instant).then_some("t"),
            bp: (ph == Phase::ArrowEnds).then_some("e"),
            args: Map::new(),
        }
    }

    /// One end of an arrow.
    pub(super) fn of_arrow(self, id: u64) -> Self {
        Event {
            id: Some(id),
            ..self
        }
    }

    /// That a process or a track has a name or a place: what is said is the one argument.
    pub(super) fn about(pid: u64, tid: u64, what: &'a str, key: &str, value: Value) -> Self {
        let nowhere = At { pid, tid, ts: 0.0 };
        let mut event = Event::new(Phase::M, nowhere, what, "");
        event.ts = None;
        event.args.insert(key.to_owned(), value);
        event
    }

    /// Adds an argument.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.args.insert(key.to_owned(), value.into());
        self
    }

    /// Adds an argument, if it is known.
    pub(super) fn with_known(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}
