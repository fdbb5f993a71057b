//! The later errors that an event brought about.

use cgsan_finding::{Consequence, Location};
use cgsan_model::Code;

use crate::evidence::{Evidence, code_name};
use crate::history::{CaptureRun, Step, Thrown, stack};

/// What followed from an event, in order: refused calls of the captures that it concerns, and exceptions.
pub(crate) fn of(evidence: &Evidence<'_, '_>) -> Vec<Consequence> {
    let mut events: Vec<(usize, Consequence)> = Vec::new();
    for run in evidence.captures() {
        events.extend(refused_calls(evidence, run));
    }
    events.extend(exceptions(evidence));
    events.sort_by_key(|(position, _)| *position);
    let mut consequences: Vec<Consequence> = Vec::new();
    for (_, consequence) in events {
        if !consequences.contains(&consequence) {
            consequences.push(consequence);
        }
    }
    let left_out = consequences.len().saturating_sub(SHOWN);
    consequences.truncate(SHOWN);
    if left_out > 0 {
        consequences.push(Consequence {
            id: None,
            text: format!("{left_out} more errors followed"),
            location: None,
        });
    }
    consequences
}

/// How many are listed: a worker that tries again in a loop must not bury the rest.
const SHOWN: usize = 8;

fn refused_calls(evidence: &Evidence<'_, '_>, run: &CaptureRun<'_>) -> Vec<(usize, Consequence)> {
    let after_cause = |position: usize| {
        position > evidence.position || evidence.surfaced && position == evidence.position
    };
    run.refusals
        .iter()
        .map(|refusal| refusal.step)
        .filter(|step| after_cause(step.position) && is_about_captures(step.record.result))
        .map(|step| {
            let invalidated = step.record.result == Code::STREAM_CAPTURE_INVALIDATED;
            let consequence = Consequence {
                id: invalidated.then_some("CG190"),
                text: describe(evidence, step),
                location: evidence.history.location_of(step),
            };
            (step.position, consequence)
        })
        .collect()
}

/// Whether a code reports the state of a capture; a call may also fail for reasons of its own.
fn is_about_captures(code: Code) -> bool {
    code.is_capture_refusal() || code == Code::ILLEGAL_STATE
}

/// The exceptions that report the cause or what followed from it.
fn exceptions(evidence: &Evidence<'_, '_>) -> Vec<(usize, Consequence)> {
    let thrown = evidence.history.thrown.iter().enumerate();
    thrown
        .filter(|(_, thrown)| thrown.position > evidence.position)
        .filter(|(index, thrown)| {
            left_a_capture(evidence, *index)
                || reports_a_refusal(evidence, thrown)
                || passes_it_on(evidence, thrown)
        })
        .map(|(_, thrown)| {
            let consequence = Consequence {
                id: None,
                text: thrown.summary(),
                location: location(thrown),
            };
            (thrown.position, consequence)
        })
        .collect()
}

fn left_a_capture(evidence: &Evidence<'_, '_>, index: usize) -> bool {
    evidence.captures().any(|run| run.left_by == Some(index))
}

/// Whether an exception reports the refused call that is the cause, or a later one of its captures: PyTorch threw it for that, or
/// it says so. What the program raises of its own, before it makes another call, has nothing to do with it.
fn reports_a_refusal(evidence: &Evidence<'_, '_>, thrown: &Thrown<'_>) -> bool {
    let Some(step) = thrown.after else {
        return false;
    };
    let position = step.position;
    let is_cause = evidence
        .refused
        .is_some_and(|cause| cause.step.position == position);
    let is_later =
        position > evidence.position && evidence.captures().any(|run| refuses(run, position));
    (is_cause || is_later) && (thrown.by_pytorch() || names(&thrown.message, step.record.result))
}

/// Whether an exception is what a library or another thread makes of the error, e.g. a `DataLoader` that passes it on. Other failures
/// are told in the same words: theirs is an exception after a refusal of theirs, and all that comes once another capture has failed.
fn passes_it_on(evidence: &Evidence<'_, '_>, thrown: &Thrown<'_>) -> bool {
    let history = evidence.history;
    let text = evidence
        .refused
        .and_then(|refusal| refusal.step.record.result.text());
    let is_own = |run: &CaptureRun<'_>| {
        evidence
            .captures()
            .any(|own| own.began.position == run.began.position)
    };
    let others = || history.captures.iter().filter(|run| !is_own(run));
    let of_ours = |index: &usize| left_a_capture(evidence, *index);
    let left_at = |run: &CaptureRun<'_>| {
        let index = run.left_by.filter(|index| !of_ours(index))?;
        Some(history.thrown.get(index)?.position)
    };
    let of_another = |step: Step<'_>| {
        others().any(|run| refuses(run, step.position))
            || history
                .attempts
                .iter()
                .any(|refusal| refusal.step.position == step.position)
    };
    let since = evidence.position..thrown.position;
    let another_failed = || {
        let failed = others().filter_map(|run| run.failed_at().or_else(|| left_at(run)));
        let refused = history.attempts.iter().map(|it| it.step.position);
        failed
            .chain(refused)
            .any(|position| since.contains(&position) && position != evidence.position)
    };
    thrown.reported.is_some()
        && text.is_some_and(|text| thrown.message.contains(text))
        && !thrown.after.is_some_and(of_another)
        && !another_failed()
}

/// Whether a capture refused the call at a position.
fn refuses(run: &CaptureRun<'_>, position: usize) -> bool {
    run.refusals
        .iter()
        .any(|refusal| refusal.step.position == position)
}

/// Whether a message tells of a code, in words or by its name.
fn names(message: &str, code: Code) -> bool {
    [code.text(), code.runtime_name(), code.driver_name()]
        .into_iter()
        .flatten()
        .any(|name| message.contains(name))
}

fn describe(evidence: &Evidence<'_, '_>, step: Step<'_>) -> String {
    let function = evidence.history.trace.string(step.record.function);
    let code = step.record.result;
    format!("{function} returned {} ({})", code.0, code_name(code))
}

fn location(thrown: &Thrown<'_>) -> Option<Location> {
    stack::user_location(&thrown.stack)
}
