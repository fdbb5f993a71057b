//! Other threads of the program: what they do while one captures.

use super::value::{CaptureId, CellId, Kind, Value};
use super::{Args, Flow, Interp};
use crate::syntax::ast::TextRange;

/// A thread that was started and not joined.
#[derive(Clone, Debug)]
pub(super) struct LiveThread<'p> {
    object: Option<CellId>,
    target: Value<'p>,
    args: Vec<Value<'p>>,
    range: TextRange,
}

impl<'p> Interp<'p> {
    /// Notes that a thread runs from here on.
    pub(crate) fn start_thread(
        &mut self,
        object: Option<CellId>,
        target: Value<'p>,
        args: Vec<Value<'p>>,
        range: TextRange,
    ) {
        self.live.push(LiveThread {
            object,
            target,
            args,
            range,
        });
    }

    /// Whether an object is a thread.
    pub(crate) fn is_thread(&self, cell: CellId) -> bool {
        match self.heap.object(cell).map(|it| &it.kind) {
            Some(Kind::Thread(..)) => true,
            Some(Kind::Instance(class)) => self.is_made_from(*class, "threading.Thread"),
            _ => false,
        }
    }

    /// Notes that a thread has ended.
    pub(crate) fn join_thread(&mut self, object: CellId) {
        if let Some(id) = self.graph_capture() {
            self.follow_threads(id);
            self.flow
                .captures
                .retain(|it| !self.captures[it.0].ended_elsewhere);
        }
        self.live.retain(|thread| thread.object != Some(object));
    }

    /// The thread that is followed had come here before the capture began: what it did before is no harm.
    pub(crate) fn thread_is_this_far(&mut self) {
        if self.flow.foreign.is_some() {
            self.findings.truncate(self.thread_mark);
        }
    }

    /// Follows the threads that run beside a capture.
    pub(super) fn follow_threads(&mut self, id: CaptureId) {
        for thread in self.live.clone() {
            let flow = Flow {
                captures: Vec::new(),
                foreign: Some(id),
                stream: Some(self.default_stream),
                autocast: Vec::new(),
                ..self.flow.clone()
            };
            let before = std::mem::replace(&mut self.flow, flow);
            let doubt = std::mem::replace(&mut self.doubt, self.captures[id.0].doubt);
            self.thread_mark = self.findings.len();
            self.heap.begin();
            self.call(&thread.target, Args::of(thread.args), thread.range);
            self.heap.take_back();
            self.flow = before;
            self.doubt = doubt;
            if self.captures[id.0].ended_elsewhere {
                self.flow.captures.retain(|it| *it != id);
            }
        }
    }
}
