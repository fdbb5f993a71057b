//! What a rule about a captured function can ask.

use cgsan_finding::Location;
use cgsan_model::Call;
use cgsan_trace::FrameId;

use super::left::{Left, LeftEagerly};
use super::unchanged::Unchanged;
use crate::activity::{Activity, Difference, Forms, Operation, frozen, only_in_capture, regions};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, Step, stack};

/// A function that ran eagerly and was captured, and that does not do the same in all of its calls.
pub(crate) struct Region<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    pub(crate) capture: &'h CaptureRun<'t>,
    /// Its place in [`History::captures`].
    pub(crate) graph: usize,
    pub(crate) difference: Difference,
    /// The question whether a capture runs that the function asked, if it did and the capture alone differs.
    pub(crate) asked: Option<Step<'t>>,
    /// What it leaves if no capture runs.
    pub(crate) left: LeftEagerly,
    replays: usize,
}

/// The functions whose calls differ, in the order of their captures.
pub(super) fn differing<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Region<'h, 't>> {
    let unchanged = Unchanged::of(history);
    let left = Left::of(history);
    let forms = Forms::of(activity);
    let differing = regions(history, activity).into_iter().filter_map(|region| {
        let capture = &history.captures[region.graph];
        if history.is_of_inductor(capture) {
            return None;
        }
        let asked = question(history, capture);
        let by_question = asked.and_then(|asked| {
            let difference = only_in_capture(activity, &region)?;
            Some((difference, Some(asked)))
        });
        let (difference, asked) = by_question.or_else(|| {
            let difference = frozen(activity, &forms, &region)?;
            let is_frozen = !unchanged.contradicts(region.graph, region.function, &difference.kind);
            is_frozen.then_some((difference, None))
        })?;
        Some(Region {
            history,
            activity,
            capture,
            graph: region.graph,
            difference,
            asked,
            left: left.by(region.graph),
            replays: activity.graphs[region.graph].replays,
        })
    });
    differing.collect()
}

/// Where the program asked during a capture whether one runs.
fn question<'t>(history: &History<'t>, capture: &CaptureRun<'t>) -> Option<Step<'t>> {
    let end = capture.ended?.position;
    let mut asked: Vec<Step<'t>> = history
        .between(capture.began.position, end)
        .filter(|step| {
            step.thread == capture.thread()
                && matches!(
                    step.record.call,
                    Call::StreamIsCapturing { .. } | Call::StreamGetCaptureInfo { .. }
                )
                && is_asked_by_program(&history.stack_of(*step))
        })
        .collect();
    asked.pop()
}

/// Libraries that ask take another way to the same result, as transformers does with its masks.
fn is_asked_by_program(frames: &[cgsan_trace::StackFrame]) -> bool {
    let [first, second, ..] = frames else {
        return false;
    };
    stack::is_torch_function(first, "cuda/graphs.py", "is_current_stream_capturing")
        && stack::is_own_code(second)
}

impl<'h, 't> Region<'h, 't> {
    pub(crate) fn operation(&self, index: usize) -> &'h Operation<'t> {
        &self.activity.operations[index]
    }

    /// The line that called an operator.
    pub(crate) fn location_of(&self, operation: Option<usize>) -> Option<Location> {
        let frame = self.operation(operation?).stack?;
        stack::user_location(&self.history.trace.stack(frame))
    }

    /// Values of the eager calls as a phrase: `0, 1 and 2`.
    pub(crate) fn phrase<T: std::fmt::Display + PartialEq>(values: &[T]) -> String {
        let mut distinct: Vec<&T> = Vec::new();
        for value in values {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        let shown: Vec<String> = distinct.iter().take(4).map(ToString::to_string).collect();
        match shown.as_slice() {
            [first @ .., last] if !first.is_empty() && distinct.len() <= 4 => {
                format!("{} and {last}", first.join(", "))
            }
            _ if distinct.len() > 4 => format!("{}, …", shown.join(", ")),
            _ => shown.join(", "),
        }
    }

    /// The operator that the difference shows in.
    fn shown(&self) -> Option<usize> {
        self.difference.captured.or(self.difference.eager)
    }

    /// The line of that.
    pub(crate) fn location(&self) -> Option<Location> {
        self.location_of(self.shown())
    }

    fn frame(&self) -> (usize, Option<FrameId>) {
        if let Some(asked) = self.asked {
            return (asked.position, asked.record.stack);
        }
        self.shown()
            .map_or((self.capture.began.position, None), |index| {
                let operation = self.operation(index);
                (operation.position, operation.stack)
            })
    }

    pub(super) fn position(&self) -> usize {
        self.frame().0
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let (position, frame) = self.frame();
        let mut evidence = Evidence::at(self.history, position);
        evidence.thread = Some(self.capture.thread());
        evidence.stack = frame
            .map(|frame| self.history.trace.stack(frame))
            .unwrap_or_default();
        evidence.capture = Some(self.capture);
        evidence.count = self.replays.max(1);
        evidence
    }
}
