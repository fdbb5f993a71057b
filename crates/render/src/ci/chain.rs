//! What happened, step by step, as far as a trace has the order.

use cgsan_finding::{Finding, Location, Observed};

use crate::facts;

/// A step: where, and what.
pub type Step = (Location, String);

/// The capture began, the cause happened, errors followed. Empty where fewer than two steps have a place.
pub fn of(finding: &Finding) -> Vec<Step> {
    let (Some(observed), Some(cause)) = (finding.observed(), &finding.location) else {
        return Vec::new();
    };
    let what = observed.call.as_ref().map_or_else(
        || finding.title.clone(),
        |call| format!("{}: {}", finding.title, facts::call_label(call)),
    );
    let followed = observed
        .consequences
        .iter()
        .filter_map(|it| Some((it.location.clone()?, it.text.clone())));
    let steps: Vec<Step> = began(observed, cause)
        .into_iter()
        .chain([(cause.clone(), what)])
        .chain(followed)
        .collect();
    if steps.len() < 2 { Vec::new() } else { steps }
}

/// Where the capture began, if the cause is the call that it refused. What else a finding points at may have been done before.
fn began(observed: &Observed, cause: &Location) -> Option<Step> {
    let is_of_the_call = observed.call.is_some() && observed.stack.contains(cause);
    let capture = observed.capture.as_ref().filter(|_| is_of_the_call)?;
    let place = Location {
        file: capture.file.as_ref()?.into(),
        line: capture.line?,
        span: None,
        cell: None,
        function: String::new(),
    };
    let what = format!(
        "a capture begins on {}, mode `{}`",
        capture.stream, capture.mode
    );
    Some((place, what))
}
