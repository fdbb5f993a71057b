//! CG213: a hook was registered or removed after the capture, and the graph does not know of it.

use std::slice;

use cgsan_finding::Confidence;
use cgsan_trace::TwinCause;

use super::super::{Check, Rule, Verdict};
use super::{captured, short};
use crate::history::stack;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG213",
    check: Check::Since(check),
};

/// Signal: the region, run again at a replay, does work in the code of a hook that was registered after the capture; or no longer
/// does that of one that was there at the capture, and at another replay still did. One that is removed before all replays was there
/// for the capture alone, which may be meant so.
fn check(twin: &Twin<'_, '_>, cause: &TwinCause) -> Option<Verdict> {
    let TwinCause::Hook {
        added,
        kind,
        hook,
        registered,
    } = cause
    else {
        return None;
    };
    let kind = kind.replace('_', "-");
    let registered = registered.as_ref().map(slice::from_ref);
    let registered = registered.and_then(stack::user_location);
    let verdict = if *added {
        let operator = twin.difference.now.as_ref().map(short)?;
        Verdict::new(
            Confidence::Confirmed,
            "a hook that was registered after the capture does not run",
            format!("eager now would run `{operator}` of the {kind} hook `{hook}`, no replay does"),
        )
        .at(twin.difference.now.as_ref()?.stack.clone())
        .label(
            registered,
            "the hook was registered here, after the capture",
        )
        .label(twin.replay_location(), "this replay runs without it")
    } else {
        let operator = captured(twin).filter(|_| twin.varies)?;
        Verdict::new(
            Confidence::Likely,
            "the graph goes on with a hook that was removed since",
            format!("the capture recorded `{operator}` of the {kind} hook `{hook}`, which is removed since"),
        )
        .label(registered, "the hook was registered here")
        .label(twin.replay_location(), "this replay still does what the hook did")
    };
    Some(
        verdict
            .note("a graph holds the work of the hooks that were there when it was captured, and calls none")
            .help("register hooks before the capture, and capture again when they change"),
    )
}
