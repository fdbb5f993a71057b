//! CG402: a graph outlives its process group while the program ends.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use super::{resets, wait, with_places};
use crate::subjects::{End, Group};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG402",
    check: Check::Group(check),
};

/// Signal: what runs at the end of the program shuts a group down, and graphs that hold its collectives are there. Or nothing
/// shuts it down, and a class or a module keeps such a graph, so that it is a matter of chance which of them goes first.
fn check(group: &Group<'_, '_>) -> Option<Verdict> {
    let verdict = match group.end {
        End::Destroyed => return None,
        End::AtExit => {
            let (confidence, here) = wait(group);
            Verdict::new(confidence, says::cg402::TITLE, here)
        }
        End::Left => {
            let mut graphs = group.graphs.iter();
            let lasting = graphs.find(|it| it.held.is_some_and(|held| held.outlives))?;
            Verdict::new(
                Confidence::Possible,
                "the program ends with a process group and a graph that holds its collectives",
                "this graph is alive when the program ends, and so is the group",
            )
            .at(group.capture_stack(lasting))
            .note("nobody destroys the group, so the order in which Python clears up decides whether it goes before the graph")
        }
    };
    Some(with_places(verdict, group).help(says::cg402::graphs_first(resets(group))))
}
