//! CG401: a process group is destroyed while graphs hold its collectives.

use super::super::{Check, Rule, Verdict};
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
    let verdict = Verdict::new(
        confidence,
        "a process group is destroyed while graphs hold its collectives",
        here,
    );
    Some(
        with_places(verdict, group)
            .note("NCCL frees a communicator only when CUDA has destroyed each graph with a collective of it")
            .help(format!(
                "on every rank, {} before the group is destroyed, or drop all references to the graph",
                resets(group)
            )),
    )
}
