//! CG208: the host overwrites what a replay has yet to copy.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule};
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
    let draft = Draft::new(
        &OVERWRITTEN,
        site,
        "the host writes what the last replay may not have copied yet",
    )
    .label(replay, "this replay copies it, some time later")
    .note("`replay()` returns before the device has run it")
    .help("wait for the replay first, or use two buffers in turn")
    .repair(Repair::Wait(site));
    judge.report(draft);
}
