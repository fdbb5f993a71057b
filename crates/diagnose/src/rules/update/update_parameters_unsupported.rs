//! CG603: a parameter of a node may not change in an update.

use cgsan_model::UpdateResult;

use super::super::{Check, Rule, Verdict};
use super::refused;
use crate::subjects::Failure;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG603",
    check: Check::Failure(check),
};

/// Signal: an update is refused (910), the graphs have the same nodes and edges, and the direction of a copy differs, or whether a
/// fill has rows; the program does not instantiate the new graph instead (`u02_graph_update_codes`).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let (_, verdict) = refused::with_result(
        failure,
        UpdateResult::ParametersChanged,
        "the update changes a parameter that may not change",
    )?;
    Some(verdict.note(
        "the direction of a copy, and whether a fill has rows, stay as they were instantiated",
    ))
}
