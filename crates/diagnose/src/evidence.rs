//! What a finding shows of its subject, whatever kind of subject it is.

use cgsan_finding::{CallInfo, Consequence, Location};
use cgsan_model::{Code, Reason, ThreadId};
use cgsan_trace::StackFrame;

use crate::history::{CaptureRun, History, Refusal, Step, Thrown, stack};

/// The recorded facts that a subject rests on: what happened where, by whom, and what followed. What a subject does not
/// have is left at [`Evidence::at`]'s values.
pub(crate) struct Evidence<'h, 't> {
    pub(crate) history: &'h History<'t>,
    /// Where the event stands in the trace.
    pub(crate) position: usize,
    /// Whether the cause itself was not recorded, and the event is only where it surfaced.
    pub(crate) surfaced: bool,
    /// The thread of the event.
    pub(crate) thread: Option<ThreadId>,
    /// The Python stack to show, innermost frame first.
    pub(crate) stack: Vec<StackFrame>,
    /// The refused call that is the event.
    pub(crate) refused: Option<Refusal<'t>>,
    /// The exception that is the event.
    pub(crate) thrown: Option<&'h Thrown<'t>>,
    /// The capture that it concerns.
    pub(crate) capture: Option<&'h CaptureRun<'t>>,
    /// Further captures that failed by the same event.
    pub(crate) also: Vec<&'h CaptureRun<'t>>,
    /// How often it happened, with the same stack each time; this is the first time.
    pub(crate) count: usize,
    /// Later errors that it brought about.
    pub(crate) consequences: Vec<Consequence>,
    /// Facts that hold whichever rule explains it, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl<'h, 't> Evidence<'h, 't> {
    /// An event at a place of the trace, of which nothing else is known.
    pub(crate) fn at(history: &'h History<'t>, position: usize) -> Evidence<'h, 't> {
        Evidence {
            history,
            position,
            surfaced: false,
            thread: None,
            stack: Vec::new(),
            refused: None,
            thrown: None,
            capture: None,
            also: Vec::new(),
            count: 1,
            consequences: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The line of the user's program to look at first: where the event is, or where the program called the package that
    /// the event is in, or where the capture began if no line of the program is behind the event.
    pub(crate) fn location(&self) -> Option<Location> {
        let began = || self.history.location_of(self.capture?.began);
        stack::own_frame(&self.stack)
            .or_else(|| stack::user_frame(&self.stack))
            .map(stack::location)
            .or_else(began)
            .or_else(|| stack::user_location(&self.stack))
    }

    /// The refused call to show.
    pub(crate) fn call(&self) -> Option<CallInfo> {
        let refusal = self.refused?;
        Some(call_info(self.history, refusal.step, refusal.reason))
    }

    /// The captures that it concerns.
    pub(crate) fn captures(&self) -> impl Iterator<Item = &'h CaptureRun<'t>> {
        self.capture.into_iter().chain(self.also.iter().copied())
    }
}

/// A call to show, with the model's reason where it is known to refuse it.
pub(crate) fn call_info(history: &History<'_>, step: Step<'_>, reason: Option<Reason>) -> CallInfo {
    let text = |id| history.trace.string(id).to_owned();
    CallInfo {
        function: text(step.record.function),
        runtime_function: step.record.runtime.map(text),
        library_function: step.record.library.map(text),
        code: step.record.result.0,
        name: code_name(step.record.result),
        reason: reason.map(|reason| reason.to_string()),
    }
}

/// The code's name in the driver API; a code without one gives its number.
pub(crate) fn code_name(code: Code) -> String {
    code.driver_name()
        .map_or_else(|| format!("CUDA error {}", code.0), str::to_owned)
}
