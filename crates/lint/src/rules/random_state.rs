//! CG116: the state of the random numbers is read or written inside a capture.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::settings::Version;
use crate::syntax::ast::TextRange;

/// Read or written: no longer refused since 2.10.
pub(crate) static STATE_TOUCHED: Rule =
    Rule::new("CG116", Confidence::Confirmed).until(Version::new(2, 10));
/// Seeded: refused in every version.
pub(crate) static SEEDED: Rule = Rule::new("CG116", Confidence::Confirmed);

/// `get_rng_state` or `set_rng_state`.
pub(super) fn touched(judge: &mut Judge<'_, '_>, name: &str, range: TextRange) {
    report(judge, &STATE_TOUCHED, name, range);
}

/// `manual_seed` and its kin.
pub(super) fn seeded(judge: &mut Judge<'_, '_>, name: &str, range: TextRange) {
    report(judge, &SEEDED, name, range);
}

fn report(judge: &mut Judge<'_, '_>, rule: &'static Rule, name: &str, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(rule, site, format!("`{name}` is called inside a capture"))
        .note("a replay reads the seed and the offset of its own moment, so what is read or set here says nothing about it")
        .help(says::cg116::OUTSIDE)
        .help(says::cg116::GRAPHSAFE)
        .repair(Repair::DoEarlier(judge.shown(id), site, "do it before the capture"));
    judge.report(draft);
}
