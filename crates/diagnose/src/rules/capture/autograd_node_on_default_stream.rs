//! CG108: the backward pass reaches a node of the autograd graph that was made on the default stream.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Stream};
use cgsan_trace::{AgentEvent, AutogradNode};

use crate::history::{CaptureRun, Step, stack};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG108",
    check: Check::Failure(check),
};

/// Signal: a backward pass makes the legacy stream depend on the capture (906), or PyTorch refuses to let it.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if !reaches_default_stream(failure) {
        return None;
    }
    let makers = makers(failure);
    let confidence = if makers.is_empty() {
        Confidence::Likely
    } else {
        Confidence::Confirmed
    };
    let mut verdict = Verdict::new(
        confidence,
        says::cg108::TITLE,
        "this backward pass must synchronize with the default stream",
    );
    for (node, step) in makers.iter().take(SHOWN) {
        let text = format!("`{}` was made here, on the default stream", node.name);
        verdict = verdict.label(failure.history.location_of(*step), text);
    }
    if makers.is_empty() {
        verdict = accumulators(failure, verdict);
    }
    Some(
        verdict
            .note(says::cg108::STREAM_OF_NODES)
            .help(says::cg108::COMPUTE_UNDER)
            .help(says::cg108::DETACH),
    )
}

/// What PyTorch says, since 2.13, instead of making the call.
const STALE_REFERENCE: &str = "has a stale reference to the default stream";

/// How many of the nodes are shown.
const SHOWN: usize = 3;

/// Whether the cause is a backward pass that would make the legacy stream depend on the capture.
pub(super) fn reaches_default_stream(failure: &Failure<'_, '_>) -> bool {
    let implicit =
        failure.code() == Some(Code::STREAM_CAPTURE_IMPLICIT) || failure.says(&[STALE_REFERENCE]);
    let in_backward = || {
        failure.actor() == Actor::Autograd
            || failure
                .inside()
                .iter()
                .any(|frame| stack::is_torch_file(frame, "autograd/"))
    };
    implicit && failure.capture.is_some() && in_backward()
}

/// The nodes of the failing backward that operations made on the default stream before the capture, with the launch of
/// each operation; the one made last first, since it is the one that the backward reaches first.
pub(super) fn makers<'t>(failure: &Failure<'_, 't>) -> Vec<(&'t AutogradNode, Step<'t>)> {
    let Some(capture) = failure.capture else {
        return Vec::new();
    };
    let mut nodes: Vec<(u64, &AutogradNode)> = nodes(failure)
        .iter()
        .filter(|node| !is_view(node))
        .filter_map(|node| Some((node.sequence?, node)))
        .collect();
    nodes.sort_by_key(|(sequence, _)| std::cmp::Reverse(*sequence));
    let launches = launches(failure, capture);
    nodes
        .into_iter()
        .filter_map(|(sequence, node)| {
            // Operations that make no node leave the number as it was: the first launch is the node's own.
            let own = |step: &&Step<'_>| step.record.autograd_sequence == Some(sequence + 1);
            let launch = *launches.iter().rev().find(own)?;
            is_on_default_stream(&launch).then_some((node, launch))
        })
        .collect()
}

/// What the capturing thread launched before the capture, the last first.
fn launches<'t>(failure: &Failure<'_, 't>, capture: &CaptureRun<'t>) -> Vec<Step<'t>> {
    let before = failure.history.before(capture.began.position);
    before
        .filter(|step| step.thread == capture.thread())
        .filter(|step| matches!(step.record.call, Call::Work { .. }))
        .collect()
}

fn is_on_default_stream(launch: &Step<'_>) -> bool {
    matches!(
        launch.record.call,
        Call::Work {
            stream: Stream::Legacy(_),
            ..
        }
    )
}

/// The last operation before the capture that made a node on the default stream.
fn last_forward<'t>(failure: &Failure<'_, 't>) -> Option<Step<'t>> {
    let launches = launches(failure, failure.capture?);
    let mut made = 0;
    let mut last = None;
    for launch in launches.into_iter().rev() {
        let sequence = launch.record.autograd_sequence.unwrap_or_default();
        if sequence > made && is_on_default_stream(&launch) {
            last = Some(launch);
        }
        made = made.max(sequence);
    }
    last
}

/// The autograd graph that the failing backward was walking.
fn nodes<'t>(failure: &Failure<'_, 't>) -> &'t [AutogradNode] {
    failure
        .history
        .trace
        .agent_events()
        .filter(|(position, _)| *position > failure.position())
        .find_map(|(_, event)| match event {
            AgentEvent::Autograd { nodes } => Some(nodes.as_slice()),
            _ => None,
        })
        .unwrap_or_default()
}

/// Whether an operation launches nothing of its own, so that no launch tells where it was.
fn is_view(node: &AutogradNode) -> bool {
    const VIEWS: [&str; 14] = [
        "View",
        "UnsafeView",
        "ReshapeAlias",
        "T",
        "Transpose",
        "Permute",
        "Expand",
        "Select",
        "Slice",
        "Squeeze",
        "Unsqueeze",
        "AsStrided",
        "Alias",
        "Split",
    ];
    let name = node.name.trim_end_matches(|end: char| end.is_ascii_digit());
    name.strip_suffix("Backward")
        .is_some_and(|operation| VIEWS.contains(&operation))
}

/// The leaves whose gradients are accumulated, where no operation explains the failure.
fn accumulators(failure: &Failure<'_, '_>, verdict: Verdict) -> Verdict {
    let mut names: Vec<&str> = nodes(failure)
        .iter()
        .filter(|node| node.name == "AccumulateGrad")
        .filter_map(|node| node.variable.as_deref())
        .collect();
    names.truncate(SHOWN);
    if names.is_empty() {
        return verdict;
    }
    let forward = last_forward(failure).and_then(|step| failure.history.location_of(step));
    let verdict = verdict.label(
        forward,
        "the last forward pass on the default stream before the capture",
    );
    verdict.note(format!(
        "the gradient accumulators in this backward are those of `{}`; probably one was made on the default stream \
         by an earlier forward pass, and something keeps it alive, e.g. a loss of that pass",
        names.join("`, `")
    ))
}
