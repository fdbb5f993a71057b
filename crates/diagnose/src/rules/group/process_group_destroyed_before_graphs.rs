//! CG401: a process group is destroyed while graphs hold its collectives.

use super::super::{Check, Rule, Verdict, says};
use super::{resets, wait, with_places};
use crate::subjects::{End, Group};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG401",
    check: Check::Group(check),
};

/// Signal: a group is shut down, and executable graphs are there that hold its collectives.
fn check(group: &Group<'_, '_>) -> Option<Verdict> {
    if group.end != End::Destroyed {
        return None;
    }
    let (confidence, here) = wait(group);
    let verdict = Verdict::new(confidence, says::cg401::TITLE, here);
    Some(
        with_places(verdict, group)
            .note(says::cg401::COMMUNICATOR)
            .help(says::cg401::graphs_first(resets(group))),
    )
}
