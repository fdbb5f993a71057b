//! CG104: pinned memory is allocated inside a capture.

use super::judge::Judge;
use super::threads;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::settings::Version;
use crate::syntax::ast::TextRange;
use crate::torch::state::object::Mode;

/// Refused by CUDA.
pub(crate) static PINNED_ALLOCATION: Rule = Rule::new("CG104", Confidence::Confirmed);

/// The first version of PyTorch that guards its own allocations.
const GUARDED_SINCE: Version = Version::new(2, 11);

/// PyTorch allocates or frees pinned memory.
pub(super) fn allocated(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    if judge.flow.foreign.is_some() {
        threads::pinned(judge, range);
    } else if judge.settings.torch < GUARDED_SINCE {
        refused(judge, what, range);
    }
}

/// Another library does.
pub(super) fn allocated_by_library(judge: &mut Judge<'_, '_>, function: &str, range: TextRange) {
    if judge.flow.foreign.is_none() {
        refused(judge, &format!("`{function}` is called"), range);
    }
}

fn refused(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    if matches!(
        judge.library.captures[id.0].mode,
        Mode::Relaxed | Mode::Unknown
    ) {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&PINNED_ALLOCATION, site, format!("{what} inside a capture"))
        .help(says::cg104::PIN_BEFORE)
        .help(says::cg104::RELAXED)
        .repair(Repair::PinEarlier(judge.shown(id), site));
    judge.report(draft);
}
