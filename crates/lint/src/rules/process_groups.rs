//! CG401 and CG402: graphs with collectives and the process group that these use.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::Reach;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::state::capture::CaptureId;
use crate::torch::state::groups::GroupLife;
use crate::torch::state::object::Backend;

/// The process group goes first.
pub(crate) static DESTROYED_FIRST: Rule = Rule::new("CG401", Confidence::Likely);
/// The graph is still there when the program ends.
pub(crate) static OUTLIVES_GROUP: Rule = Rule::new("CG402", Confidence::Likely);

/// What destroys a graph whose name is not known.
const RESET: &str = "`graph.reset()`";

/// The captures whose graphs hold collectives and were not reset, with the graph and the collective's site.
fn alive(state: &Interp<'_>) -> Vec<(CaptureId, CellId, Site)> {
    state
        .library
        .captures
        .iter()
        .enumerate()
        .filter_map(|(at, capture)| {
            // Asked first: to see what refers to a graph takes long.
            let (graph, collective) = (capture.graph?, capture.collective?);
            let alive = state.graph(graph).is_some_and(|it| !it.reset)
                && state.is_referred_to(graph, Reach::Surely);
            alive.then_some((CaptureId(at), graph, collective))
        })
        .collect()
}

/// `destroy_process_group()`: the default group goes, and with it all others.
pub(super) fn destroyed(judge: &mut Judge<'_, '_>, range: TextRange) {
    if judge.is_from_nowhere() {
        return;
    }
    let Some((id, _, collective)) = alive(judge).first().copied() else {
        return;
    };
    let site = judge.at(range);
    let (rule, title, help) = if judge.library.groups.is_exiting {
        (
            &OUTLIVES_GROUP,
            says::cg402::TITLE,
            says::cg402::graphs_first(RESET),
        )
    } else {
        (
            &DESTROYED_FIRST,
            says::cg401::TITLE,
            says::cg401::graphs_first(RESET),
        )
    };
    let draft = Draft::new(rule, site, title)
        .label(collective, "this collective is part of the graph")
        .note(says::cg401::COMMUNICATOR)
        .help(help)
        .possible_if(is_perhaps_other(judge))
        .repair(Repair::Reset(judge.shown(id), site));
    judge.report(draft);
}

/// The program ends.
pub(super) fn program_ends(judge: &mut Judge<'_, '_>) {
    if judge.library.groups.life == GroupLife::Destroyed {
        return;
    }
    for (_, graph, collective) in alive(judge) {
        if !judge.is_held_by_class(graph) {
            continue;
        }
        let draft = Draft::new(&OUTLIVES_GROUP, collective, says::cg402::TITLE)
            .note("a class holds the graph until after the process group is gone")
            .help(says::cg402::graphs_first(RESET))
            .possible_if(is_perhaps_other(judge));
        judge.report(draft);
    }
}

/// Whether another library may communicate than NCCL.
fn is_perhaps_other(state: &Interp<'_>) -> bool {
    state.library.groups.default.backend == Backend::Unknown
}
