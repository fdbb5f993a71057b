//! CG133: the body of a conditional node holds what no body may.

use cgsan_finding::{Confidence, Location};
use cgsan_model::{Call, GraphId, NodeIndex, NodeKind, Reason};
use rustc_hash::FxHashSet;

use crate::history::step;
use crate::rules::rule::succeeds_later;
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG133",
    check: Check::Failure(check),
};

/// Signal: the instantiation of a graph is refused (1) on account of what is in the body of an IF, WHILE or SWITCH node (CUDA programming
/// guide, conditional nodes; `built` recordings), and its thread makes no other executable afterwards.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let is_instantiation = |call: &Call| matches!(call, Call::GraphInstantiate { .. });
    if failure.reason()? != Reason::UnsupportedBody || succeeds_later(failure, is_instantiation) {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a conditional node cannot run what its body holds",
        "no executable can be made of this graph",
    );
    let verdict = match forbidden(failure) {
        Some((place, kind)) => verdict.label(
            place,
            format!(
                "the body has a node of kind `{}` from here",
                crate::graphs::kind(&kind)
            ),
        ),
        None => verdict,
    };
    Some(
        verdict
            .note("a body may hold kernels, copies, fills, child graphs and conditional nodes, all of one device")
            .help("allocate before the conditional node, and put host functions and events in front of it or behind it"),
    )
}

/// The first node that does not fit, in a body that was built by hand or that a capture filled, with the line that added it.
fn forbidden(failure: &Failure<'_, '_>) -> Option<(Option<Location>, NodeKind)> {
    let history = failure.history;
    let mut bodies: FxHashSet<GraphId> = FxHashSet::default();
    for step in step::steps(history.trace, 0..failure.position()) {
        match &step.record.call {
            Call::GraphBody { body, .. } | Call::CaptureBody { body, .. } => {
                bodies.insert(*body);
            }
            Call::GraphAddNode { graph, node, .. }
                if bodies.contains(graph) && !node.fits_a_body() =>
            {
                return Some((history.location_of(step), node.clone()));
            }
            _ => {}
        }
    }
    history.captures.iter().find_map(|run| {
        let Call::StreamEndCapture { graph, .. } = run.ended?.record.call else {
            return None;
        };
        let recorded = run.graph.as_ref().filter(|_| bodies.contains(&graph))?;
        let mut nodes = recorded.nodes().iter().enumerate();
        let (at, node) = nodes.find(|(_, node)| !node.kind.fits_a_body())?;
        let index = NodeIndex(u32::try_from(at).ok()?);
        let place = history.location_of_node(graph, index, failure.position());
        Some((place, node.kind.clone()))
    })
}
