//! CG124: a graph or a module is destroyed while a capture runs.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Restricted};

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG124",
    check: Check::Failure(check),
};

/// Signal: the refused call destroys something, whichever thread happens to drop the last reference.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let what = match failure.call()? {
        Call::GraphExecDestroy { .. } | Call::GraphDestroy { .. } => "graph",
        Call::EventDestroy { .. } => "event",
        Call::StreamDestroy { .. } => "stream",
        Call::Restricted(Restricted::ModuleUnload) => "module",
        _ => return None,
    };
    if failure.inside_torch("cuda/graphs.py", "reset") {
        return Some(
            Verdict::new(
                Confidence::Confirmed,
                "a graph is reset during a capture",
                "this destroys a graph while another is being captured",
            )
            .help("call `reset()` before the capture begins or after it ends"),
        );
    }
    let article = if what == "event" { "an" } else { "a" };
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg124::title(format!("{article} {what}")),
        format!("the last reference to the {what} was dropped here"),
    )
    .note(format!(
        "the line need not name the {what}: a name was reassigned, went out of scope, or the garbage collector ran and found it"
    ))
    .help(says::cg124::keep(what))
    .help("if it is part of a reference cycle, call `gc.collect()` before the capture and `gc.disable()` during it");
    Some(match failure.actor() {
        Actor::Other => verdict.note("the reference was dropped by another thread"),
        _ => verdict,
    })
}
