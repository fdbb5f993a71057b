//! What a rule about a captured function can ask.

use cgsan_finding::Location;
use cgsan_trace::FrameId;

use super::left::Left;
use super::unchanged::Unchanged;
use crate::activity::{Activity, Difference, Forms, Operation, frozen, regions};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, stack};

/// A function that ran eagerly and was captured, and that does not do the same in all of its calls.
pub(crate) struct Region<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    pub(crate) capture: &'h CaptureRun<'t>,
    /// Its place in [`History::captures`].
    pub(crate) graph: usize,
    pub(crate) difference: Difference,
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
        // What eager calls do otherwise for that question is the twin's to judge.
        if history.is_of_inductor(capture) || left.asks(region.graph) {
            return None;
        }
        let difference = frozen(activity, &forms, &region)?;
        if unchanged.contradicts(region.graph, region.function, &difference.kind) {
            return None;
        }
        Some(Region {
            history,
            activity,
            capture,
            graph: region.graph,
            difference,
            replays: activity.graphs[region.graph].replays,
        })
    });
    differing.collect()
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
