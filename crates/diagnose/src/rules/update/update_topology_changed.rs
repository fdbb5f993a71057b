//! CG601: the new graph has other nodes or edges than the executable.

use cgsan_model::UpdateResult;

use super::super::{Check, Rule, Verdict, nodes};
use super::refused;
use crate::subjects::Failure;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG601",
    check: Check::Failure(check),
};

/// Signal: an update is refused (910), both graphs differ in their number of nodes or in their edges, and the program does not
/// instantiate the new one instead (`u02_graph_update_codes`).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let (update, verdict) = refused::with_result(
        failure,
        UpdateResult::TopologyChanged,
        "the new graph has other nodes or edges than the executable",
    )?;
    let (old, new) = (nodes(update.old.nodes), nodes(update.new.nodes));
    Some(verdict.note(if old == new {
        format!("both graphs have {old}, and their edges differ")
    } else {
        format!("the executable has {old} and the new graph {new}; an update adds and removes none")
    }))
}
