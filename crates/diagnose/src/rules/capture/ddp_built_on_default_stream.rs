//! CG109: the backward pass reaches a gradient accumulator that `DistributedDataParallel` made on the default stream.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Stream};

use super::autograd_node_on_default_stream::{makers, reaches_default_stream};
use crate::history::{Step, stack};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG109",
    check: Check::Failure(check),
};

/// Signal: as CG108, where no operation of the program made the node, and a DDP module was constructed while the default
/// stream was current: its reducer keeps the accumulators of all parameters alive.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if !reaches_default_stream(failure) || !makers(failure).is_empty() {
        return None;
    }
    let built = construction(failure)?;
    let verdict = Verdict::new(
        Confidence::Likely,
        says::cg109::TITLE,
        "this backward pass reaches gradient accumulators of the default stream",
    )
    .label(
        failure.history.location_of(built),
        "DDP made the accumulators here, on the default stream",
    );
    Some(
        verdict
            .note(says::cg109::ACCUMULATORS)
            .help(says::cg109::CONSTRUCT)
            .help(says::cg109::WARM_UP),
    )
}

/// A call that a DDP constructor made on the default stream.
fn construction<'t>(failure: &Failure<'_, 't>) -> Option<Step<'t>> {
    let history = failure.history;
    let mut calls = history.before(failure.capture?.began.position);
    calls.find(|step| {
        let on_default = matches!(
            step.record.call,
            Call::Work {
                stream: Stream::Legacy(_),
                ..
            } | Call::EventRecord {
                stream: Stream::Legacy(_),
                ..
            } | Call::StreamWaitEvent {
                stream: Stream::Legacy(_),
                ..
            }
        );
        on_default
            && history.stack_of(*step).iter().any(|frame| {
                stack::is_torch_function(frame, "nn/parallel/distributed.py", "__init__")
            })
    })
}
