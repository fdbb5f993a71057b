//! CG204: the casts that autocast keeps are baked into a graph.

use super::judge::Judge;
use crate::draft::{Argument, Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::torch::state::capture::CaptureKind;

/// The graph reads cast copies that autocast drops when it is left.
pub(crate) static CACHE: Rule = Rule::new("CG204", Confidence::Likely);

/// A capture begins.
pub(super) fn capture_begins(judge: &mut Judge<'_, '_>, kind: CaptureKind) {
    if kind == CaptureKind::Compiler {
        return;
    }
    let Some((site, true, true)) = judge.flow.autocast.last().copied() else {
        return;
    };
    let draft = Draft::new(
        &CACHE,
        site,
        "a graph is captured under autocast whose cache is in use",
    )
    .note(says::cg204::STALE)
    .help(says::cg204::CACHE_OFF)
    .repair(Repair::Pass(site, Argument::safe("cache_enabled", "False")));
    judge.report(draft);
}
