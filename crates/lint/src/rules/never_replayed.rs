//! CG509: what is graphed is never replayed.

use rustc_hash::FxHashSet;

use super::judge::Judge;
use crate::draft::{Draft, Report, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;
use crate::torch::Kind;
use crate::torch::state::object::Own;

/// The graphs take memory, and save nothing.
pub(crate) static NEVER: Rule = Rule::new("CG509", Confidence::Likely);

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Graphed modules that ran themselves, and what is to be said if none of their calls is a replay.
    eager: Vec<(CellId, Report)>,
    /// Graphed callables that were replayed.
    replayed: FxHashSet<CellId>,
}

/// What PyTorch graphed is called: a replay, or in another mode than it was graphed in.
pub(super) fn called(judge: &mut Judge<'_, '_>, cell: CellId, is_eager: bool, range: TextRange) {
    if !is_eager {
        judge.notes.of_mut::<Noted>().replayed.insert(cell);
        return;
    }
    let Some(Kind::Library(Own::Graphed(_, graphed))) = judge.heap.object(cell).map(|it| &it.kind)
    else {
        return;
    };
    let graphed = *graphed;
    let is_known = judge
        .notes
        .of::<Noted>()
        .eager
        .iter()
        .any(|it| it.0 == cell);
    if judge.is_from_nowhere() || judge.capture().is_some() || is_known {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &NEVER,
        site,
        "the graphed module runs eagerly: it was graphed in the other mode",
    )
    .label(graphed, "it was graphed here")
    .help(says::cg509::MODE);
    if let Some(report) = judge.report_of(draft) {
        judge.notes.of_mut::<Noted>().eager.push((cell, report));
    }
}

/// What `make_graphed_callables` made of a function is dropped: the function itself is as it was.
pub(super) fn dropped(judge: &mut Judge<'_, '_>, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(
        &NEVER,
        site,
        "the graphed function is dropped, and nothing can replay its graphs",
    )
    .note(
        "`make_graphed_callables` changes modules in place; of a function it returns a graphed one",
    )
    .help(says::cg509::CALL);
    judge.report(draft);
}

/// The program ends.
pub(super) fn program_ends(judge: &mut Judge<'_, '_>) {
    for (cell, report) in std::mem::take(&mut judge.notes.of_mut::<Noted>().eager) {
        // Code that is not seen may have called it.
        let is_known = judge.heap.forgotten().any(|it| it == cell);
        if !judge.notes.of::<Noted>().replayed.contains(&cell) && !is_known {
            judge.add(report);
        }
    }
}
