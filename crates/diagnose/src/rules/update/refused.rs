//! What the rules about refused updates have in common.

use cgsan_finding::Confidence;
use cgsan_model::UpdateResult;

use super::super::Verdict;
use crate::history::{RefusedUpdate, UpdatedGraph};
use crate::subjects::{Afterwards, Failure};

/// An update that was refused with this result, and what the program did then; `None` too where it took the refusal into
/// account, as programs do that try an update first.
pub(super) fn with_result<'f>(
    failure: &'f Failure<'_, '_>,
    result: UpdateResult,
    title: &str,
) -> Option<(&'f RefusedUpdate, Verdict)> {
    let update = failure.refused_update()?;
    if update.result != result {
        return None;
    }
    let verdict = Verdict::new(Confidence::Confirmed, title, "the update is refused here");
    let verdict = match failure.afterwards()? {
        Afterwards::WentOn => return None,
        Afterwards::Ended => verdict,
        Afterwards::Launched(launch) => verdict
            .label(
                failure.history.location_of(launch),
                "the executable is launched here as it was before the update",
            )
            .note("the program went on with the executable, which still runs the old graph"),
        Afterwards::Raised(thrown) => verdict.note(format!(
            "the error was not taken away, and PyTorch raised it after a later launch: {}",
            thrown.summary()
        )),
    };
    let verdict = [
        (&update.old, "the executable has"),
        (&update.new, "the new graph has"),
    ]
    .into_iter()
    .fold(verdict, |verdict, (graph, has)| {
        at_obstacle(failure, verdict, graph, has)
    });
    let verdict = verdict.help(
        "where an update is refused, take the error away with `cudaGetLastError`, instantiate the new graph and launch that",
    );
    Some((update, verdict))
}

/// Points to the line that enqueued the node in the way.
fn at_obstacle(
    failure: &Failure<'_, '_>,
    verdict: Verdict,
    graph: &UpdatedGraph,
    has: &str,
) -> Verdict {
    let Some((node, kind)) = &graph.obstacle else {
        return verdict;
    };
    let place = failure
        .history
        .location_of_node(graph.id, *node, failure.position());
    let kind = crate::graphs::kind(kind);
    verdict.label(
        place,
        format!("{has} node {}, a {kind}, from here", node.at()),
    )
}
