//! CG213: hooks on submodules of a graphed module do not run.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG213",
    check: Check::Fact(check),
};

/// Signal: a module's `forward` is replayed, and a module inside it has hooks.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Hook(hook) = fact.told else {
        return None;
    };
    let kind = hook.kind.replace('_', "-");
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg213::TITLE,
            "the replay runs no Python inside the module",
        )
        .label(
            Fact::place(hook.file.as_ref(), hook.line, &hook.hook),
            format!("this {kind} hook is on the submodule `{}`", hook.module),
        )
        .note(says::cg213::INSIDE)
        .help(says::cg213::ONE_BY_ONE),
    )
}
