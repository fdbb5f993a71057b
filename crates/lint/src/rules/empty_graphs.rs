//! CG607: a graph is replayed that was never captured, or not since it was reset.

use super::judge::Judge;
use crate::draft::{Draft, Report, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::{Capture, CaptureKind};

/// There is nothing to replay.
pub(crate) static NOTHING_TO_REPLAY: Rule = Rule::new("CG607", Confidence::Confirmed);

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Replays of graphs that have nothing to replay, where the same line never replays them with something.
    empty_replays: Vec<(CellId, Site, Option<Report>)>,
}

/// A graph is replayed that has nothing to replay. In another iteration of a loop, or at another call, the same line may
/// find a captured one: what is to be said is kept until the end.
pub(super) fn replayed(judge: &mut Judge<'_, '_>, graph: CellId, range: TextRange) {
    let site = judge.at(range);
    let is_known = |it: &(CellId, Site, _)| it.0 == graph && it.1 == site;
    if judge.notes.of::<Noted>().empty_replays.iter().any(is_known) || is_unsure(judge) {
        return;
    }
    let is_reset = judge.graph(graph).is_some_and(|it| it.reset);
    let title = if is_reset {
        "the graph was reset, and is replayed without another capture"
    } else {
        "the graph is replayed, and nothing was captured into it"
    };
    let draft = Draft::new(&NOTHING_TO_REPLAY, site, title)
        .note("there is no executable graph, and PyTorch refuses the replay")
        .help(says::cg607::CAPTURE_FIRST);
    let report = judge.report_of(draft);
    judge
        .notes
        .of_mut::<Noted>()
        .empty_replays
        .push((graph, site, report));
}

/// A graph is replayed that was captured.
pub(super) fn filled(judge: &mut Judge<'_, '_>, graph: CellId, site: Site) {
    let mut all = judge.notes.of_mut::<Noted>().empty_replays.iter_mut();
    if let Some(known) = all.find(|it| it.0 == graph && it.1 == site) {
        known.2 = None;
    }
}

/// The program ends.
pub(super) fn program_ends(judge: &mut Judge<'_, '_>) {
    for (.., report) in std::mem::take(&mut judge.notes.of_mut::<Noted>().empty_replays) {
        if let Some(report) = report {
            judge.add(report);
        }
    }
}

/// Whether the replay may not be reached like this, or another graph may be captured than it seems.
fn is_unsure(judge: &Judge<'_, '_>) -> bool {
    let is_unknown = |it: &Capture<'_>| it.kind == CaptureKind::Graph && it.graph.is_none();
    judge.doubt() > 0
        || judge.is_from_nowhere()
        || judge.flow.foreign.is_some()
        || judge.library.captures.iter().any(is_unknown)
}
