//! The model's state and the one way to change it.

use crate::{
    Answer, Call, Capture, CaptureId, CaptureMode, EventId, Exec, ExecId, Graph, GraphId, Stream,
    ThreadId,
};

/// What the driver knows about captures, and what it would answer next.
#[derive(Debug, Default)]
pub struct Model {}

impl Model {
    /// A driver that has seen no call yet.
    pub fn new() -> Model {
        Model::default()
    }

    /// Make a call in a thread, and learn what the driver answers.
    pub fn call(&mut self, _thread: ThreadId, _call: &Call) -> Answer {
        Answer::DONE
    }

    /// Whether any capture is running, invalidated ones included.
    pub fn any_capture(&self) -> bool {
        false
    }

    /// The running capture that a stream belongs to; `thread` says whose per-thread stream is meant.
    pub fn capture_of(&self, _thread: ThreadId, _stream: Stream) -> Option<CaptureId> {
        None
    }

    /// A running capture, or the one that ended last.
    pub fn capture(&self, _id: CaptureId) -> Option<&Capture> {
        None
    }

    /// The capture that ended last, whatever its end.
    pub fn last_ended(&self) -> Option<(CaptureId, &Capture)> {
        None
    }

    /// The capture an event was last recorded in, also after that capture ended.
    pub fn event_capture(&self, _event: EventId) -> Option<CaptureId> {
        None
    }

    /// The streams whose work is not joined back into the origin of a running capture, or was not when the capture
    /// that ended last did so; in the order they were forked.
    pub fn unjoined_streams(&self, _id: CaptureId) -> Vec<Stream> {
        Vec::new()
    }

    /// A graph that a capture or a call made.
    pub fn graph(&self, _id: GraphId) -> Option<&Graph> {
        None
    }

    /// An executable graph.
    pub fn exec(&self, _id: ExecId) -> Option<&Exec> {
        None
    }

    /// A thread's mode, as last exchanged.
    pub fn thread_mode(&self, _thread: ThreadId) -> CaptureMode {
        CaptureMode::Global
    }
}
