//! CG227: the host reads what a replay has yet to copy to it.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;

/// Pinned memory is read while a replay may still write it.
pub(crate) static READ_EARLY: Rule = Rule::new("CG227", Confidence::Likely);

/// The host reads a tensor of its own, outside captures.
pub(super) fn read(judge: &mut Judge<'_, '_>, tensor: CellId, range: TextRange) {
    let root = judge.root(tensor);
    let Some((replay, waits)) = judge.heap.tensor(root).and_then(|it| it.arriving) else {
        return;
    };
    if waits != judge.host_waits() || judge.flow.foreign.is_some() {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&READ_EARLY, site, says::cg227::TITLE)
        .label(replay, "this replay copies to it, some time later")
        .note(says::cg227::QUEUED)
        .help(says::cg227::WAIT)
        .repair(Repair::Wait(site));
    judge.report(draft);
}
