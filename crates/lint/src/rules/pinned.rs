//! CG104: pinned memory is allocated inside a capture.

use super::{Draft, Rule, threads};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::object::Mode;
use crate::settings::Version;
use crate::syntax::ast::TextRange;

/// Refused by CUDA.
pub(crate) static PINNED_ALLOCATION: Rule = Rule::new("CG104", Confidence::Confirmed);

/// The first version of PyTorch that guards its own allocations.
const GUARDED_SINCE: Version = Version::new(2, 11);

/// PyTorch allocates or frees pinned memory.
pub(crate) fn allocated(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    if interp.flow.foreign.is_some() {
        threads::pinned(interp, range);
    } else if interp.settings.torch < GUARDED_SINCE {
        refused(interp, what, range);
    }
}

/// Another library does.
pub(crate) fn allocated_by_library(interp: &mut Interp<'_>, function: &str, range: TextRange) {
    if interp.flow.foreign.is_none() {
        refused(interp, &format!("`{function}` is called"), range);
    }
}

fn refused(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    if matches!(interp.captures[id.0].mode, Mode::Relaxed | Mode::Unknown) {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(&PINNED_ALLOCATION, site, format!("{what} inside a capture"))
        .note("CUDA refuses it to a thread that captures, unless the mode is `relaxed`")
        .help("allocate pinned memory before the capture")
        .repair(Repair::MakeEarlier(interp.shown(id), site));
    interp.report(draft);
}
