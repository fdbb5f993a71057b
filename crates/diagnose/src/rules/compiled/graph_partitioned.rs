//! CG508: Inductor splits a compiled function into several graphs.

use cgsan_finding::Confidence;
use cgsan_trace::SplitAround;

use super::super::{Check, Rule, Verdict};
use crate::subjects::Partitioned;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG508",
    check: Check::Partitioned(check),
};

/// The lines that are shown of the operators.
const SHOWN: usize = 8;

/// Signal: a function that was compiled with graphs has two of them or more (`torch/_inductor/scheduler.py`, 2.8 to 2.15), and not only
/// where the program asks for it (`custom_should_partition_ops`).
fn check(partitioned: &Partitioned<'_, '_>) -> Option<Verdict> {
    let graphs = partitioned.graphs;
    let verdict = Verdict::new(
        Confidence::Confirmed,
        format!("Inductor splits this function into {graphs} graphs"),
        format!("each call replays {graphs} graphs, and runs something between them"),
    );
    if partitioned.operators.is_empty() {
        return Some(
            verdict
                .note("it was compiled by an earlier run, so what it is split around is not known here")
                .help("run once with `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` to see the operators"),
        );
    }
    let is_asked_for = |operator: &SplitAround| {
        let reason = operator.reason.as_deref();
        reason.is_some_and(|it| it.starts_with("custom partition op"))
    };
    if partitioned.operators.iter().all(is_asked_for) {
        return None;
    }
    let shown = partitioned.operators.iter().take(SHOWN);
    let verdict = shown.fold(verdict, |verdict, operator| {
        let why = match operator.reason.as_deref() {
            Some(reason) => format!("`{}` is in no graph: {reason}", operator.operator),
            None => format!("`{}` is in no graph", operator.operator),
        };
        verdict.label(Some(Partitioned::place(operator)), why)
    });
    Some(verdict.help(
        "keep these values on the device, or call the operators before the compiled function or behind it",
    ))
}
