//! CG213: hooks of graphed callables.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::module_tree::TRAINING;
use crate::torch::state::modules::PART;

/// A hook inside a graphed callable never runs.
pub(crate) static SKIPPED: Rule = Rule::new("CG213", Confidence::Confirmed);
/// A hook is registered on something of a graphed callable.
pub(super) fn registered(
    judge: &mut Judge<'_, '_>,
    object: CellId,
    graphed: Site,
    range: TextRange,
) {
    if !is_skipped(judge, object) {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&SKIPPED, site, says::cg213::TITLE)
        .label(graphed, "it was graphed here")
        .note(says::cg213::INSIDE)
        .help(says::cg213::ONE_BY_ONE);
    judge.report(draft);
}

/// Whether replays skip the hooks of an object: it is a part of something graphed, and that is in the mode of its graphs.
fn is_skipped(state: &Interp<'_>, object: CellId) -> bool {
    let field = |cell, name| state.heap.object(cell)?.fields.get(name);
    let mut whole = object;
    while let Some(Value::Object(around)) = field(whole, PART) {
        whole = *around;
    }
    let is_evaluated = matches!(field(whole, TRAINING), Some(Value::Bool(Some(false))));
    whole != object && !is_evaluated
}
