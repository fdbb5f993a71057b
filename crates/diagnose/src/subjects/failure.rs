//! A failed capture or a refused attempt at one: its cause, and the place it came from.

use cgsan_finding::{CallInfo, Location};
use cgsan_model::{Call, Code, Reason, ThreadId};
use cgsan_trace::StackFrame;

use super::Afterwards;
use crate::consequences;
use crate::evidence::{self, Evidence};
use crate::history::{CaptureRun, History, Refusal, RefusedUpdate, Step, Thrown, stack};

/// One failure and the event that comes first in it.
pub(crate) struct Failure<'h, 't> {
    pub(crate) history: &'h History<'t>,
    /// The capture that failed; `None` where none had begun, or it had ended well.
    pub(crate) capture: Option<&'h CaptureRun<'t>>,
    /// Further captures that failed by the same event.
    pub(crate) also: Vec<&'h CaptureRun<'t>>,
    pub(crate) cause: Cause<'h, 't>,
    /// The Python stack of the cause, innermost frame first; that of the capturing thread where the calling thread works
    /// for it.
    pub(crate) stack: Vec<StackFrame>,
    /// How often it happened, with the same stack each time; this is the first time.
    pub(crate) count: usize,
}

/// The first event of a failure.
#[derive(Clone, Copy)]
pub(crate) enum Cause<'h, 't> {
    /// A call was refused.
    Refused(Refusal<'t>),
    /// An exception was thrown, and no call had been refused.
    Thrown(&'h Thrown<'t>),
    /// The capture yielded no graph, and no event says why.
    Unknown(Option<Refusal<'t>>),
}

/// Who caused a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Actor {
    /// The thread that began the capture.
    Capturer,
    /// A thread of autograd that works for the thread that began the capture, which waits in `backward()`.
    Autograd,
    /// Another thread.
    Other,
}

impl Cause<'_, '_> {
    /// Where it stands in the trace.
    pub(crate) fn position(&self) -> Option<usize> {
        match self {
            Cause::Refused(refusal) => Some(refusal.step.position),
            Cause::Thrown(thrown) => Some(thrown.position),
            Cause::Unknown(_) => None,
        }
    }
}

impl<'h, 't> Failure<'h, 't> {
    pub(crate) fn new(
        history: &'h History<'t>,
        capture: Option<&'h CaptureRun<'t>>,
        cause: Cause<'h, 't>,
    ) -> Failure<'h, 't> {
        let mut failure = Failure {
            history,
            capture,
            also: Vec::new(),
            cause,
            stack: Vec::new(),
            count: 1,
        };
        failure.stack = failure.find_stack();
        failure
    }

    /// Where the cause stands in the trace; for an unknown one, where the capture ended.
    pub(crate) fn position(&self) -> usize {
        let ended = self.capture.and_then(|run| run.ended);
        self.cause
            .position()
            .or(ended.map(|step| step.position))
            .unwrap_or_default()
    }

    /// The refused call that is the cause.
    pub(crate) fn refused(&self) -> Option<Step<'t>> {
        match self.cause {
            Cause::Refused(refusal) => Some(refusal.step),
            _ => None,
        }
    }

    /// What the refused call asked for.
    pub(crate) fn call(&self) -> Option<&'t Call> {
        self.refused().map(|step| &step.record.call)
    }

    /// What the refused call returned.
    pub(crate) fn code(&self) -> Option<Code> {
        self.refused().map(|step| step.record.result)
    }

    /// Why the model refuses the call.
    pub(crate) fn reason(&self) -> Option<Reason> {
        match self.cause {
            Cause::Refused(refusal) => refusal.reason,
            _ => None,
        }
    }

    /// A call to show: the cause, or another.
    pub(crate) fn call_info(&self, step: Step<'t>) -> CallInfo {
        let is_cause = self
            .refused()
            .is_some_and(|it| it.position == step.position);
        let reason = self.reason().filter(|_| is_cause);
        evidence::call_info(self.history, step, reason)
    }

    /// What stood in the way of the update of an executable graph that was refused.
    pub(crate) fn refused_update(&self) -> Option<&'h RefusedUpdate> {
        self.history.refused_update(self.refused()?)
    }

    /// What the program did after a refused call that would have made, changed or copied an executable graph.
    pub(crate) fn afterwards(&self) -> Option<Afterwards<'h, 't>> {
        let refused = self.refused()?;
        let (exec, graph) = match refused.record.call {
            Call::GraphExecUpdate { exec, graph } => (Some(exec), graph),
            Call::GraphInstantiate { graph, .. } | Call::GraphClone { graph, .. } => (None, graph),
            _ => return None,
        };
        Some(Afterwards::of(self.history, refused, exec, graph))
    }

    /// The library function that made the refused call.
    pub(crate) fn library(&self) -> Option<&'t str> {
        let library = self.refused()?.record.library?;
        Some(self.history.trace.string(library))
    }

    /// The operator of PyTorch that made the refused call, where that was found out.
    pub(crate) fn operator(&self) -> Option<&'t str> {
        self.history.trace.operator(self.refused()?.position)
    }

    /// Whether PyTorch's own code made the refused call, as its native stack shows; taken for granted where there is none.
    pub(crate) fn is_of_pytorch(&self) -> bool {
        let native = self.refused().and_then(|step| step.record.native);
        native.is_none_or(|stack| {
            let trace = self.history.trace;
            let mut files = trace.native_stack(stack).iter().filter_map(|frame| {
                let (_, file) = trace.string(frame.module?).rsplit_once('/')?;
                Some(file)
            });
            files.any(|file| file.starts_with("libtorch") || file.starts_with("libc10"))
        })
    }

    /// The exception that is the cause.
    pub(crate) fn thrown(&self) -> Option<&'h Thrown<'t>> {
        match self.cause {
            Cause::Thrown(thrown) => Some(thrown),
            _ => None,
        }
    }

    /// Whether PyTorch itself refused, in words that contain one of these.
    pub(crate) fn says(&self, texts: &[&str]) -> bool {
        self.thrown()
            .is_some_and(|thrown| texts.iter().any(|text| thrown.message.contains(text)))
    }

    /// The thread of the cause.
    pub(crate) fn thread(&self) -> Option<ThreadId> {
        match self.cause {
            Cause::Refused(refusal) => Some(refusal.step.thread),
            Cause::Thrown(thrown) => Some(thrown.thread),
            Cause::Unknown(_) => self.capture.map(CaptureRun::thread),
        }
    }

    /// The name of the thread of the cause.
    pub(crate) fn thread_name(&self) -> Option<&'t str> {
        self.thread()
            .and_then(|thread| self.history.trace.thread_name_at(thread, self.position()))
    }

    /// Who caused it.
    pub(crate) fn actor(&self) -> Actor {
        let (Some(run), Some(thread)) = (self.capture, self.thread()) else {
            return Actor::Capturer;
        };
        if thread == run.thread() {
            return Actor::Capturer;
        }
        let name = self.thread_name().unwrap_or_default();
        let has_python = self
            .refused()
            .is_some_and(|step| step.record.stack.is_some());
        // A thread of autograd has Python frames only in hooks and custom functions. Other native threads of PyTorch
        // have names that say what they are.
        let may_be_autograd = self.history.is_of_autograd(thread, self.position())
            || !(has_python || name.starts_with("pt_") || name.starts_with("nccl"));
        if may_be_autograd && (self.has_captured_work(run, thread) || self.waits_in_backward(run)) {
            Actor::Autograd
        } else {
            Actor::Other
        }
    }

    /// Whether a thread without Python, of a library, waits for a stream of the capture: for work that the capturing
    /// thread gave it.
    pub(crate) fn works_for_capturer(&self) -> bool {
        let is_native = self
            .refused()
            .is_some_and(|step| step.record.stack.is_none());
        is_native
            && self.reason() == Some(Reason::StreamIsCapturing)
            && self.actor() == Actor::Other
    }

    /// The frames of PyTorch and the standard library that the user's line called, innermost first.
    pub(crate) fn inside(&self) -> &[StackFrame] {
        stack::below_user(&self.stack)
    }

    /// Whether the user's line called a function of a PyTorch file.
    pub(crate) fn inside_torch(&self, file: &str, function: &str) -> bool {
        self.inside()
            .iter()
            .any(|frame| stack::is_torch_function(frame, file, function))
    }

    /// The line of the user's program to look at first.
    pub(crate) fn location(&self) -> Option<Location> {
        self.facts().location()
    }

    /// What a finding about it shows.
    pub(crate) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = self.facts();
        evidence.consequences = consequences::of(&evidence);
        if self.actor() == Actor::Autograd {
            evidence.notes.push(
                "the call was made by a thread of autograd, while the line shown waited for the backward pass"
                    .to_owned(),
            );
        }
        if let (Some(first), Cause::Refused(refusal)) = (self.raised_first(), self.cause)
            && self.is_reported_last(refusal)
        {
            let place = stack::user_location(&first.stack);
            let place = place.map(|it| format!(", at {}", it.short()));
            evidence.notes.push(format!(
                "`{}` came first{}: this call was made while the program handled it",
                first.summary(),
                place.unwrap_or_default()
            ));
        }
        evidence
    }

    /// Whether the exception by which the capture was left reports this call.
    fn is_reported_last(&self, refusal: Refusal<'t>) -> bool {
        let left_by = self.capture.and_then(|run| run.left_by);
        let thrown = left_by.and_then(|index| self.history.thrown.get(index));
        let after = thrown.and_then(|thrown| thrown.after);
        after.is_some_and(|step| step.position == refusal.step.position)
    }

    /// The evidence without what takes a search.
    fn facts(&self) -> Evidence<'h, 't> {
        Evidence {
            surfaced: matches!(self.cause, Cause::Unknown(_)),
            thread: self.thread(),
            stack: self.stack.clone(),
            refused: match self.cause {
                Cause::Refused(refusal) => Some(refusal),
                _ => None,
            },
            thrown: self.thrown(),
            capture: self.capture,
            also: self.also.clone(),
            count: self.count,
            ..Evidence::at(self.history, self.position())
        }
    }

    fn find_stack(&self) -> Vec<StackFrame> {
        let step = match self.cause {
            Cause::Refused(refusal) => refusal.step,
            Cause::Thrown(thrown) => return thrown.stack.clone(),
            Cause::Unknown(refusal) => match refusal
                .map(|it| it.step)
                .or(self.capture.and_then(|run| run.ended))
            {
                Some(step) => step,
                None => return Vec::new(),
            },
        };
        let mut own = self.history.stack_of(step);
        if stack::user_frame(&own).is_none()
            && let Some(run) = self.capture
            && (self.actor() == Actor::Autograd || self.works_for_capturer())
        {
            own.extend(self.waiting_stack(run, step));
        }
        own
    }

    /// The exception of the program's own that came before the one by which the capture was left, and before the refused call:
    /// the program was handling it.
    pub(crate) fn raised_first(&self) -> Option<&'h Thrown<'t>> {
        let first = *self.capture?.raised_before.last()?;
        let thrown = self.history.thrown.get(first)?;
        (!thrown.by_pytorch()).then_some(thrown)
    }

    /// The stack of the capturing thread while another works for it: a thread of autograd, or of a library.
    fn waiting_stack(&self, run: &CaptureRun<'t>, step: Step<'t>) -> Vec<StackFrame> {
        let in_flight = run
            .left_by
            .map(|index| &self.history.thrown[index])
            .filter(|thrown| thrown.position >= step.position)
            .map(|thrown| thrown.stack.clone());
        in_flight
            .filter(|stack| stack::user_frame(stack).is_some())
            .or_else(|| self.history.last_stack(run.thread(), step.position))
            .unwrap_or_default()
    }

    /// Whether a thread enqueued work that a capture recorded before the cause.
    fn has_captured_work(&self, run: &CaptureRun<'t>, thread: ThreadId) -> bool {
        let history = self.history;
        let mut calls = history.between(run.began.position, self.position());
        run.id.is_some()
            && calls.any(|step| {
                let is_work = matches!(step.record.call, Call::Work { .. });
                is_work && step.thread == thread && history.capture_of(step) == run.id
            })
    }

    fn waits_in_backward(&self, run: &CaptureRun<'t>) -> bool {
        let in_backward = |stack: &[StackFrame]| {
            stack::below_user(stack)
                .iter()
                .any(|frame| stack::is_torch_file(frame, "autograd/"))
        };
        let in_flight = run.left_by.map(|index| &self.history.thrown[index].stack);
        let last = self.history.last_stack(run.thread(), self.position());
        in_flight.is_some_and(|stack| in_backward(stack))
            || last.is_some_and(|stack| in_backward(&stack))
    }
}
