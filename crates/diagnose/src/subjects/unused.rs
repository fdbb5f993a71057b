//! What a rule about a graph that is never replayed can ask.

use cgsan_trace::StackFrame;

use crate::activity::{self, Activity};
use crate::evidence::Evidence;
use crate::history::History;

/// A graph without a replay, whose work goes on running eagerly.
pub(crate) struct Unused<'h, 't> {
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
    found: activity::Unused,
}

/// All such graphs, in the order of their captures.
pub(super) fn unused<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Unused<'h, 't>> {
    let found = activity::unused(history, activity).into_iter();
    found
        .map(|found| Unused {
            history,
            activity,
            found,
        })
        .collect()
}

impl<'h, 't> Unused<'h, 't> {
    /// How many eager calls could have been replays.
    pub(crate) fn times(&self) -> usize {
        self.found.times
    }

    /// Where its capture began.
    pub(crate) fn captured_at(&self) -> usize {
        self.history.captures[self.found.graph].began.position
    }

    pub(super) fn position(&self) -> usize {
        self.activity.operations[self.found.eager].position
    }

    /// The stack of the eager call, from the frame on that the capture's differs in: who calls is what a person can change.
    fn caller(&self) -> Vec<StackFrame> {
        let stack = |index: usize| {
            let frame = self.activity.operations[index].stack;
            frame.map_or_else(Vec::new, |id| self.history.trace.stack(id))
        };
        let mut eager = stack(self.found.eager);
        let captured = stack(self.found.captured);
        let shared = eager.iter().zip(&captured);
        let shared = shared.take_while(|(one, other)| one == other).count();
        if shared < eager.len() {
            eager.drain(..shared);
        }
        eager
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position());
        let capture = &self.history.captures[self.found.graph];
        evidence.thread = Some(capture.thread());
        evidence.stack = self.caller();
        evidence.capture = Some(capture);
        evidence
    }
}
