//! CG403: the ranks of a process group disagree about a collective.

use cgsan_finding::{Confidence, Finding};

use super::part::{Kind, Parting};
use super::side::Side;
use super::{Place, described, finding};

pub(super) const ID: &str = "CG403";

/// Signal: of all collectives of a group, in order, a replay standing for those of its graph, one differs between two ranks.
pub(super) fn told(sides: &[Side], parting: &Parting) -> Finding {
    let (first, called) = &parting.first;
    let (first, second) = (&sides[*first], &sides[parting.second]);
    let at = Place::of(called.place(), described(first, called));
    let other = parting.instead.as_ref().map(|instead| {
        let text = match parting.kind {
            Kind::Missing => format!("the last one of {}", second.name()),
            Kind::Others | Kind::Ways => described(second, instead),
        };
        Place::of(instead.place(), text)
    });
    let (title, confidence, note) = match parting.kind {
        Kind::Others => (
            "the ranks disagree about a collective",
            Confidence::Likely,
            "ranks that wait for different collectives wait for ever, or take each other's data",
        ),
        Kind::Missing => (
            "a rank calls a collective that another one never calls",
            Confidence::Likely,
            "a collective ends when all ranks have called it",
        ),
        Kind::Ways => (
            "one rank replays a collective that another one calls eagerly",
            Confidence::Possible,
            "NCCL pairs what ranks call in order: this goes well as long as sizes and order are the same on all of them",
        ),
    };
    Finding {
        title: title.to_owned(),
        confidence,
        notes: vec![
            format!("it is collective {} of process group {}", parting.number, parting.group),
            note.to_owned(),
        ],
        help: vec![
            "let all ranks decide the same: as many steps, and the same choice between replay and eager code"
                .to_owned(),
        ],
        ..finding(ID, at, other.into_iter().collect(), &[first, second])
    }
}
