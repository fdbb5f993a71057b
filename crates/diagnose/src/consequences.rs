//! The later errors that a cause brought about.

use cgsan_model::Code;

use crate::failure::{Cause, Failure, code_name};
use crate::history::{CaptureRun, Step, Thrown, stack};
use crate::{Consequence, Location};

/// What followed from a failure's cause, in order: refused calls of the capture, and exceptions.
pub(crate) fn of(failure: &Failure<'_, '_>) -> Vec<Consequence> {
    let mut events: Vec<(usize, Consequence)> = Vec::new();
    for run in failure.capture.iter().chain(&failure.also) {
        events.extend(refused_calls(failure, run));
    }
    events.extend(exceptions(failure));
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

fn refused_calls(failure: &Failure<'_, '_>, run: &CaptureRun<'_>) -> Vec<(usize, Consequence)> {
    let after_cause = |position: usize| match failure.cause {
        Cause::Unknown(_) => position >= failure.position(),
        _ => position > failure.position(),
    };
    run.refusals
        .iter()
        .map(|refusal| refusal.step)
        .filter(|step| after_cause(step.position) && is_about_captures(step.record.result))
        .map(|step| {
            let invalidated = step.record.result == Code::STREAM_CAPTURE_INVALIDATED;
            let consequence = Consequence {
                id: invalidated.then_some("CG190"),
                text: describe(failure, step),
                location: failure.history.location_of(step),
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
fn exceptions(failure: &Failure<'_, '_>) -> Vec<(usize, Consequence)> {
    let captures: Vec<&CaptureRun<'_>> = failure
        .capture
        .into_iter()
        .chain(failure.also.iter().copied())
        .collect();
    let reports_one_of_ours = |thrown: &Thrown<'_>| {
        thrown.after.is_some_and(|step| {
            let position = step.position;
            let is_cause = failure
                .refused()
                .is_some_and(|cause| cause.position == position);
            let is_later = captures.iter().any(|run| {
                run.refusals
                    .iter()
                    .any(|refusal| refusal.step.position == position)
            });
            is_cause || is_later && position > failure.position()
        })
    };
    // What a library or another thread makes of the error, e.g. a DataLoader that passes it on.
    let text = failure.code().and_then(Code::text);
    let passes_it_on = |thrown: &Thrown<'_>| {
        thrown.reported.is_some() && text.is_some_and(|text| thrown.message.contains(text))
    };
    let left_a_capture = |index: usize| captures.iter().any(|run| run.left_by == Some(index));
    failure
        .history
        .thrown
        .iter()
        .enumerate()
        .filter(|(_, thrown)| thrown.position > failure.position())
        .filter(|(index, thrown)| {
            reports_one_of_ours(thrown) || left_a_capture(*index) || passes_it_on(thrown)
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

fn describe(failure: &Failure<'_, '_>, step: Step<'_>) -> String {
    let function = failure.history.trace.string(step.record.function);
    let code = step.record.result;
    format!("{function} returned {} ({})", code.0, code_name(code))
}

fn location(thrown: &Thrown<'_>) -> Option<Location> {
    stack::user_location(&thrown.stack)
}
