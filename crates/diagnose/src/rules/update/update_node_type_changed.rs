//! CG602: a node of the new graph is of another type.

use cgsan_model::UpdateResult;

use super::super::{Check, Rule, Verdict};
use super::refused;
use crate::subjects::Failure;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG602",
    check: Check::Failure(check),
};

/// Signal: an update is refused (910), two nodes that take each other's place are of different types, and the program does not
/// instantiate the new graph instead (`u02_graph_update_codes`).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let (_, verdict) = refused::with_result(
        failure,
        UpdateResult::NodeTypeChanged,
        "a node of the new graph is of another type",
    )?;
    Some(verdict.note("an update gives a node other parameters and never another type"))
}
