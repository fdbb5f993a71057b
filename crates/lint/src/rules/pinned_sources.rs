//! CG208: the host overwrites what a replay has yet to copy.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// The source of a captured copy is written while a replay may still read it.
pub(crate) static OVERWRITTEN: Rule = Rule::new("CG208", Confidence::Likely);

/// A tensor is written in place.
pub(super) fn written<'p>(judge: &mut Judge<'_, 'p>, target: &Value<'p>, range: TextRange) {
    let Value::Extension(cell) = target else {
        return;
    };
    let root = judge.root(*cell);
    let Some((replay, _)) = judge.heap.tensor(root).and_then(|it| it.in_flight) else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(&OVERWRITTEN, site, says::cg208::TITLE)
        .label(replay, "this replay copies it, some time later")
        .note(says::cg208::DOES_NOT_WAIT)
        .help(says::cg208::WAIT)
        .help(says::cg208::COPY_BEFORE)
        .repair(Repair::Wait(site));
    judge.report(draft);
}
