//! Functions that set what a region goes by, and then run it eagerly: what they set is an argument of those calls, and no replay stands
//! for one of them.

use std::rc::Rc;

use cgsan_trace::{CodeId, FrameId, StackFrame};
use rustc_hash::FxHashSet;

use crate::activity::{Activity, running_captures};
use crate::history::{History, stack};

/// The eager operators of a history, and those of each capture.
pub(super) struct Setters<'h, 't> {
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
    /// For each operator, the capture that runs; looked up once somebody asks.
    running: Option<Rc<[Option<usize>]>>,
}

impl<'h, 't> Setters<'h, 't> {
    pub(super) fn new(history: &'h History<'t>, activity: &'h Activity<'t>) -> Setters<'h, 't> {
        Setters {
            history,
            activity,
            running: None,
        }
    }

    /// Whether a graph's region differs only by what these functions set, and they run it eagerly themselves.
    pub(super) fn explain(&mut self, graph: usize, set_by: Option<&[StackFrame]>) -> bool {
        let set_by = set_by.unwrap_or_default();
        if set_by.is_empty() {
            return false;
        }
        let (history, activity) = (self.history, self.activity);
        let running = self
            .running
            .get_or_insert_with(|| running_captures(history, activity).into());
        let running = Rc::clone(running);
        let functions = self.functions_of(graph, &running);
        let eager = self.eager_stacks(&running);
        let callers: Vec<StackFrame> = eager
            .iter()
            .flat_map(|stack| self.callers(*stack, &functions))
            .filter_map(|frame| history.trace.resolved(frame))
            .collect();
        set_by
            .iter()
            .all(|setter| callers.iter().any(|it| is_of(it, setter)))
    }

    /// The functions that the code of a capture called.
    fn functions_of(&self, graph: usize, running: &[Option<usize>]) -> FxHashSet<CodeId> {
        let trace = self.history.trace;
        let began = self.history.captures[graph].began.record.stack;
        let is_own = |id: &FrameId| {
            let frame = trace.resolved(*id);
            frame.is_some_and(|frame| stack::is_own_code(&frame))
        };
        let root = began.and_then(|it| self.frames(it).find(is_own));
        let Some(root) = root.and_then(|it| Some(trace.frame(it)?.1)) else {
            return FxHashSet::default();
        };
        let of_graph = self.activity.operations.iter().zip(running);
        let stacks: FxHashSet<FrameId> = of_graph
            .filter(|(_, capture)| **capture == Some(graph))
            .filter_map(|(operation, _)| operation.stack)
            .collect();
        let inside = stacks.into_iter().flat_map(|stack| {
            let codes = self.frames(stack).filter_map(|id| Some(trace.frame(id)?.1));
            codes.take_while(|code| *code != root)
        });
        inside.collect()
    }

    /// The stacks of operators that ran without a capture, each once.
    fn eager_stacks(&self, running: &[Option<usize>]) -> FxHashSet<FrameId> {
        let operations = self.activity.operations.iter().zip(running);
        operations
            .filter(|(_, capture)| capture.is_none())
            .filter_map(|(operation, _)| operation.stack)
            .collect()
    }

    /// The frames below which one of these functions runs.
    fn callers(
        &self,
        stack: FrameId,
        functions: &FxHashSet<CodeId>,
    ) -> impl Iterator<Item = FrameId> {
        let trace = self.history.trace;
        let is_of_region =
            |id: &FrameId| trace.frame(*id).is_some_and(|it| functions.contains(&it.1));
        self.frames(stack)
            .skip_while(move |id| !is_of_region(id))
            .skip(1)
    }

    /// The frames of a stack, innermost first.
    fn frames(&self, innermost: FrameId) -> impl Iterator<Item = FrameId> + use<'h, 't> {
        let trace = self.history.trace;
        std::iter::successors(Some(innermost), move |id| trace.frame(*id)?.0)
    }
}

/// Whether a frame is of a function.
fn is_of(frame: &StackFrame, function: &StackFrame) -> bool {
    let name = frame.function.rsplit('.').next();
    frame.file == function.file && name == Some(function.function.as_str())
}
