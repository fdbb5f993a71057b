//! Other threads of the program: what they do while one captures, and what they capture themselves.

use super::Flow;
use super::capture::CaptureId;
use super::event::Event;
use super::object::Own;
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;
use crate::torch::{Interp, Kind};

/// A thread, or a task of an executor, that was started.
#[derive(Clone, Debug)]
pub(crate) struct Started<'p> {
    /// What is joined, or asked for the result.
    pub(crate) object: Option<CellId>,
    /// The executor that it is a task of.
    pub(crate) executor: Option<CellId>,
    pub(crate) target: Value<'p>,
    pub(crate) args: Args<'p>,
    /// Whether it is taken to have ended before a capture, unless something inside the capture lets it go on: a task.
    pub(crate) short: bool,
    pub(crate) range: TextRange,
}

/// What is known of other threads.
#[derive(Debug, Default)]
pub(crate) struct Threads<'p> {
    /// Those that were started and not joined.
    live: Vec<Started<'p>>,
    /// How many findings there were before the thread that is followed, if it runs beside a capture.
    mark: Option<usize>,
    /// Whether what that thread does is certain to be beside the capture.
    released: bool,
    /// Whether that thread waits for something that happens only after the capture.
    stopped: bool,
    /// Whether a thread is followed as what it is.
    in_thread: bool,
    /// Captures that a thread began and did not end.
    pub(crate) left_open: Vec<CaptureId>,
    /// Captures of threads that wait for another thread inside them.
    pub(crate) waiting: Vec<CaptureId>,
}

impl<'p> Interp<'p> {
    /// Notes that a thread runs from here on. Outside captures it is followed at once: what it returns.
    pub(crate) fn start_thread(&mut self, started: Started<'p>) -> Value<'p> {
        let free = self.flow.captures.is_empty() && self.flow.foreign.is_none();
        let result = if free {
            self.run_thread(&started)
        } else {
            Value::Unknown
        };
        let short = free && started.executor.is_some();
        self.library.threads.live.push(Started { short, ..started });
        result
    }

    /// Follows a thread as what it is: it has captures of its own, and begins on the default stream.
    fn run_thread(&mut self, started: &Started<'p>) -> Value<'p> {
        let flow = self.flow_of_thread(None);
        let before = std::mem::replace(&mut self.flow, flow);
        let around = std::mem::replace(&mut self.library.threads.in_thread, true);
        let result = self.call(&started.target, started.args.clone(), started.range);
        self.library.threads.in_thread = around;
        let after = std::mem::replace(&mut self.flow, before);
        self.library.threads.left_open.extend(after.captures);
        result
    }

    fn flow_of_thread(&self, foreign: Option<CaptureId>) -> Flow {
        Flow {
            captures: Vec::new(),
            foreign,
            stream: Some(self.library.streams.default),
            grad: true,
            autocast: Vec::new(),
            ..self.flow.clone()
        }
    }

    /// The program waits for something that other threads do. They may have waited for the device.
    pub(crate) fn threads_meet(&mut self) {
        self.all_may_be_over();
        self.emit(Event::ThreadsMeet);
    }

    /// Whether an object is a thread.
    pub(crate) fn is_thread(&self, cell: CellId) -> bool {
        match self.heap.object(cell).map(|it| &it.kind) {
            Some(Kind::Library(Own::Thread(_))) => true,
            Some(Kind::Instance(class)) => self.is_made_from(*class, "threading.Thread"),
            _ => false,
        }
    }

    /// Notes that a thread has ended, or a task.
    pub(crate) fn join_thread(&mut self, object: CellId) {
        self.ended(|thread| thread.object == Some(object));
    }

    /// Notes that all tasks of an executor have ended.
    pub(crate) fn join_executor(&mut self, executor: CellId) {
        self.ended(|thread| thread.executor == Some(executor));
    }

    fn ended(&mut self, has: impl Fn(&Started<'p>) -> bool) {
        if let Some(id) = self.graph_capture() {
            for thread in self.library.threads.live.clone() {
                self.follow_beside(&thread, id);
            }
            self.flow
                .captures
                .retain(|it| !self.library.captures[it.0].ended_elsewhere);
        } else {
            self.flow.foreign = None;
        }
        self.library.threads.live.retain(|thread| !has(thread));
    }

    /// Notes that all tasks of all executors have ended.
    pub(crate) fn join_all_tasks(&mut self) {
        self.ended(|thread| thread.executor.is_some());
    }

    /// What the program does from here on is beside this capture of another thread, or beside none.
    pub(crate) fn is_beside(&mut self, capture: Option<CaptureId>) {
        if self.library.threads.mark.is_none() {
            self.flow.foreign = capture;
        }
    }

    /// Gives up on what threads do meanwhile.
    pub(crate) fn forget_threads(&mut self) {
        self.flow.foreign = None;
        self.library.threads.live.clear();
    }

    /// Forgets the threads of another program.
    pub(crate) fn begin_without_threads(&mut self) {
        self.library.threads = Threads::default();
    }

    /// Whether a thread is followed, and not what started it.
    pub(crate) fn is_in_thread(&self) -> bool {
        self.library.threads.in_thread
    }

    /// Whether a thread is followed that runs beside a capture.
    pub(crate) fn is_thread_beside(&self) -> bool {
        self.library.threads.mark.is_some()
    }

    /// The thread that is followed had come here before the capture began: what it did before is no harm.
    pub(crate) fn thread_is_this_far(&mut self) {
        if let Some(mark) = self.library.threads.mark {
            self.forget_since(mark);
        }
    }

    /// The thread that is followed was resumed inside the capture.
    pub(crate) fn thread_is_released(&mut self) {
        if !self.library.threads.released {
            self.thread_is_this_far();
            self.library.threads.released = true;
        }
    }

    /// The thread that is followed waits here for something that happens only after the capture.
    pub(crate) fn thread_stops(&mut self) {
        self.flow.foreign = None;
        self.library.threads.stopped = true;
    }

    /// Whether the thread that is followed has come to such a place.
    pub(super) fn has_stopped(&self) -> bool {
        self.library.threads.stopped
    }

    /// Something unknown is called: a thread may wait there for another.
    pub(crate) fn waits_for_unknown(&mut self) {
        if self.is_thread_beside() {
            self.thread_stops();
        }
    }

    /// Follows the threads that run beside a capture.
    pub(super) fn follow_threads(&mut self, id: CaptureId) {
        for thread in self.library.threads.live.clone() {
            self.follow_beside(&thread, id);
        }
    }

    fn follow_beside(&mut self, thread: &Started<'p>, id: CaptureId) {
        let flow = self.flow_of_thread(Some(id));
        let before = std::mem::replace(&mut self.flow, flow);
        let doubt = self.set_doubt(self.library.captures[id.0].doubt);
        let mark = self.library.threads.mark.replace(self.reported());
        self.library.threads.released = !thread.short;
        self.library.threads.stopped = false;
        self.heap.begin();
        self.call(&thread.target, thread.args.clone(), thread.range);
        self.heap.take_back();
        if !self.library.threads.released {
            self.thread_is_this_far();
        }
        self.library.threads.mark = mark;
        self.library.threads.stopped = false;
        self.flow = before;
        self.set_doubt(doubt);
        if self.library.captures[id.0].ended_elsewhere {
            self.flow.captures.retain(|it| *it != id);
        }
    }
}
