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
    let captures: Vec<&CaptureRun<'_>> = evidence.captures().collect();
    let refused = evidence.refused.map(|refusal| refusal.step);
    let reports_one_of_ours = |thrown: &Thrown<'_>| {
        thrown.after.is_some_and(|step| {
            let position = step.position;
            let is_cause = refused.is_some_and(|cause| cause.position == position);
            let is_later = captures.iter().any(|run| {
                run.refusals
                    .iter()
                    .any(|refusal| refusal.step.position == position)
            });
            is_cause || is_later && position > evidence.position
        })
    };
    // What a library or another thread makes of the error, e.g. a DataLoader that passes it on.
    let text = refused.and_then(|step| step.record.result.text());
    let passes_it_on = |thrown: &Thrown<'_>| {
        thrown.reported.is_some() && text.is_some_and(|text| thrown.message.contains(text))
    };
    let left_a_capture = |index: usize| captures.iter().any(|run| run.left_by == Some(index));
    evidence
        .history
        .thrown
        .iter()
        .enumerate()
        .filter(|(_, thrown)| thrown.position > evidence.position)
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

fn describe(evidence: &Evidence<'_, '_>, step: Step<'_>) -> String {
    let function = evidence.history.trace.string(step.record.function);
    let code = step.record.result;
    format!("{function} returned {} ({})", code.0, code_name(code))
}

fn location(thrown: &Thrown<'_>) -> Option<Location> {
    stack::user_location(&thrown.stack)
}
