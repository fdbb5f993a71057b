//! The failures of a process, each with the one event that came first.

use cgsan_model::Code;
use cgsan_trace::{FrameId, StringId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Cause, Failure};
use crate::history::{CaptureRun, History, Refusal, Thrown};

/// Every failure of a history, in the order of their causes; what a loop repeats, once.
pub(crate) fn failures<'h, 't>(history: &'h History<'t>) -> Vec<Failure<'h, 't>> {
    let mut failures: Vec<Failure<'h, 't>> = Vec::new();
    let mut seen = FxHashMap::default();
    for run in &history.captures {
        let Some(cause) = cause_of(history, run) else {
            continue;
        };
        let same = |failure: &&mut Failure<'_, '_>| failure.cause.position() == cause.position();
        match failures.iter_mut().find(same) {
            Some(failure) if cause.position().is_some() => failure.also.push(run),
            _ => add(&mut failures, &mut seen, history, Some(run), cause),
        }
    }
    // A capture that is left because another could not begin in it has failed by that attempt.
    let known: FxHashSet<usize> = failures.iter().map(Failure::position).collect();
    let attempts = history.attempts.iter();
    let attempts = attempts
        .filter(|refusal| !known.contains(&refusal.step.position))
        .map(|refusal| Cause::Refused(*refusal));
    let left_by: FxHashSet<usize> = history
        .captures
        .iter()
        .filter_map(|run| run.left_by)
        .collect();
    let thrown = history.thrown.iter().enumerate();
    let thrown = thrown
        .filter(|(index, _)| !left_by.contains(index))
        .map(|(_, thrown)| Cause::Thrown(thrown));
    for cause in attempts.chain(thrown) {
        add(&mut failures, &mut seen, history, None, cause);
    }
    failures.sort_by_key(|failure| (failure.position(), failure.capture.is_none()));
    failures
}

/// A refused call by its function, its code and its Python stack, and the stack that began the capture.
type Occurrence = (StringId, Code, FrameId, Option<FrameId>);

/// Adds a failure, or counts it where the same call was refused at the same place before. A program that tries again in a
/// loop would otherwise be looked at as often as it tries.
fn add<'h, 't>(
    failures: &mut Vec<Failure<'h, 't>>,
    seen: &mut FxHashMap<Occurrence, usize>,
    history: &'h History<'t>,
    capture: Option<&'h CaptureRun<'t>>,
    cause: Cause<'h, 't>,
) {
    if let Some(occurrence) = occurrence(capture, &cause) {
        if let Some(first) = seen.get(&occurrence) {
            failures[*first].count += 1;
            return;
        }
        seen.insert(occurrence, failures.len());
    }
    failures.push(Failure::new(history, capture, cause));
}

fn occurrence(capture: Option<&CaptureRun<'_>>, cause: &Cause<'_, '_>) -> Option<Occurrence> {
    let Cause::Refused(refusal) = cause else {
        return None;
    };
    let record = refusal.step.record;
    let began = capture.and_then(|run| run.began.record.stack);
    Some((record.function, record.result, record.stack?, began))
}

/// What came first of all that went wrong with a capture; `None` if it went well.
fn cause_of<'h, 't>(history: &'h History<'t>, run: &'h CaptureRun<'t>) -> Option<Cause<'h, 't>> {
    let refusal = run.broken_by().copied();
    let thrown = run.left_by.map(|index| &history.thrown[index]);
    match (refusal, thrown) {
        (Some(refusal), Some(thrown)) if thrown.position < refusal.step.position => {
            Some(of_exception(run, thrown))
        }
        (Some(refusal), _) => Some(Cause::Refused(refusal)),
        (None, Some(thrown)) => Some(of_exception(run, thrown)),
        (None, None) if run.ended_badly() => Some(Cause::Unknown(run.refusals.first().copied())),
        (None, None) => None,
    }
}

/// An exception that reports a call which failed without breaking the capture is caused by that call.
fn of_exception<'h, 't>(run: &CaptureRun<'t>, thrown: &'h Thrown<'t>) -> Cause<'h, 't> {
    let reported = thrown.after.filter(|step| run.spans(step.position));
    let refusal = reported.and_then(|step| {
        let is_it = |refusal: &&Refusal<'_>| refusal.step.position == step.position;
        run.refusals.iter().find(is_it).copied()
    });
    refusal.map_or(Cause::Thrown(thrown), Cause::Refused)
}
