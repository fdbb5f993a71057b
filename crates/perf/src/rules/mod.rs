//! What keeps graphs from paying: one rule per file, each a ladder of early returns over what was measured.

mod bottleneck_outside_the_graph;
mod gpu_bound;
mod gradient_hooks_deferred;
mod graph_breaks;
mod input_copies_dominate;
mod many_small_graphs;
mod subject;
mod too_many_streams;

use cgsan_finding::Finding;

pub(crate) use subject::{CONNECTIONS, Subject};

/// Each gives at most one finding.
type Rule = fn(&Subject<'_>) -> Option<Finding>;

/// The rules, with the failure mode that each finds.
const RULES: [(&str, Rule); 7] = [
    ("CG501", gpu_bound::find),
    ("CG502", bottleneck_outside_the_graph::find),
    ("CG503", many_small_graphs::find),
    ("CG504", input_copies_dominate::find),
    ("CG505", gradient_hooks_deferred::find),
    ("CG506", too_many_streams::find),
    ("CG507", graph_breaks::find),
];

/// Whether there is a rule for a failure mode.
pub fn detects(id: &str) -> bool {
    RULES.iter().any(|rule| rule.0 == id)
}

/// All that is found, by id.
pub(crate) fn findings(subject: &Subject<'_>) -> Vec<Finding> {
    // What happens once is no pattern: a start, a compilation.
    if subject.windows.iter().map(|it| it.1.len()).sum::<usize>() < 2 {
        return Vec::new();
    }
    let found = RULES.iter();
    found
        .filter_map(|(id, rule)| {
            Some(Finding {
                id,
                ..rule(subject)?
            })
        })
        .collect()
}
