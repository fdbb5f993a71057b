//! What happened to one capture.

use std::sync::Arc;

use cgsan_model::{CaptureId, CaptureMode, Graph, Reason, Stream, ThreadId};

use super::Step;

/// A capture from its begin to its end.
#[derive(Clone, Debug)]
pub(crate) struct CaptureRun<'t> {
    /// Its name in the model; `None` if the model would not have begun it.
    pub(crate) id: Option<CaptureId>,
    pub(crate) began: Step<'t>,
    pub(crate) origin: Stream,
    pub(crate) mode: CaptureMode,
    /// The streams that joined it, in order.
    pub(crate) forks: Vec<Fork<'t>>,
    /// The calls that were refused on its account, in order.
    pub(crate) refusals: Vec<Refusal<'t>>,
    /// The call that ended it.
    pub(crate) ended: Option<Step<'t>>,
    /// The streams with work that had no path back to the origin when it ended.
    pub(crate) unjoined: Vec<Stream>,
    /// For each node that it recorded, the position of the call that did; in the order of the nodes.
    pub(crate) nodes_at: Vec<usize>,
    /// What it recorded. `None` while it runs, or if the model would not have begun it.
    pub(crate) graph: Option<Arc<Graph>>,
    /// The exception that was in flight as it ended, or ended the program before it did: an index into
    /// [`super::History::thrown`].
    pub(crate) left_by: Option<usize>,
    /// Whether that one had ended the program: what is reported of the capture after it, as where a generator is closed then, came later.
    pub(crate) is_left_uncaught: bool,
    /// The exceptions that were being handled when that one was raised, latest first.
    pub(crate) raised_before: Vec<usize>,
}

/// A stream becomes part of a capture by waiting for an event of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fork<'t> {
    pub(crate) stream: Stream,
    /// The wait.
    pub(crate) waited: Step<'t>,
    /// The record of the event that it waited for.
    pub(crate) recorded: Option<Step<'t>>,
}

/// A call that did not do what it was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal<'t> {
    pub(crate) step: Step<'t>,
    /// Why, if the model agrees that it is refused.
    pub(crate) reason: Option<Reason>,
    /// Whether it broke the capture: invalidated it, or ended it without a graph.
    pub(crate) breaks: bool,
}

impl<'t> CaptureRun<'t> {
    pub(crate) fn thread(&self) -> ThreadId {
        self.began.thread
    }

    /// The call that broke it.
    pub(crate) fn broken_by(&self) -> Option<&Refusal<'t>> {
        self.refusals.iter().find(|refusal| refusal.breaks)
    }

    /// Where it failed, if a call that it refused broke it.
    pub(crate) fn failed_at(&self) -> Option<usize> {
        self.broken_by().map(|refusal| refusal.step.position)
    }

    /// Whether a position in the trace lies between its begin and its end.
    pub(crate) fn spans(&self, position: usize) -> bool {
        self.began.position < position && self.ended.is_none_or(|ended| position <= ended.position)
    }

    /// Whether it ended without a graph.
    pub(crate) fn ended_badly(&self) -> bool {
        self.ended.is_some_and(|ended| ended.failed())
    }
}
