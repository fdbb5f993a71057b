//! CG404: a rank's capture failed, its error was swallowed, and the others count on it.

use cgsan_finding::{Confidence, Finding};

use super::part::{Kind, Parting};
use super::side::{Captured, Side};
use super::{Place, described, finding};

pub(super) const ID: &str = "CG404";

/// Signal: a capture with collectives failed on one rank, which went on; the same one went well on another, and the ranks did
/// not ask each other. Where they part afterwards, it is certain.
pub(super) fn find(sides: &[Side], parting: Option<&Parting>) -> Option<Finding> {
    sides.iter().enumerate().find_map(|(number, side)| {
        let mut captures = side.captures.iter().enumerate();
        captures.find_map(|(index, capture)| {
            if !capture.has_failed || side.crashed.is_some() || !capture.goes_on {
                return None;
            }
            let nth = nth_of_its_line(side, index);
            let same = |other: &&Side| {
                let mut theirs = other
                    .captures
                    .iter()
                    .filter(|it| it.location == capture.location);
                theirs.nth(nth).is_some_and(|it| !it.has_failed)
            };
            let other = sides.iter().find(same)?;
            let parts = parting.filter(|it| it.kind != Kind::Ways && is_after(it, number, capture));
            if parts.is_none() && capture.asked_others {
                return None;
            }
            Some(told(sides, (side, other), capture, parts))
        })
    })
}

fn nth_of_its_line(side: &Side, index: usize) -> usize {
    let location = &side.captures[index].location;
    let before = &side.captures[..index];
    before.iter().filter(|it| it.location == *location).count()
}

/// Whether ranks part after a capture of one of them, given by its place, has failed.
fn is_after(parting: &Parting, side: usize, capture: &Captured) -> bool {
    let (first, called) = &parting.first;
    let of_side = if *first == side {
        Some(called)
    } else {
        parting.instead.as_ref().filter(|_| parting.second == side)
    };
    of_side.is_some_and(|called| called.position > capture.ended)
}

fn told(
    sides: &[Side],
    (side, other): (&Side, &Side),
    capture: &Captured,
    parts: Option<&Parting>,
) -> Finding {
    let (name, others) = (side.name(), other.name());
    let at = Place::of(
        capture.location.as_deref().cloned(),
        format!("{name} failed in this capture and went on; {others} captured it"),
    );
    let mut places = vec![Place::of(
        capture.failed_at.as_deref().cloned(),
        format!("it failed here in {name}"),
    )];
    if let Some(parting) = parts {
        let (first, called) = &parting.first;
        places.push(Place::of(called.place(), described(&sides[*first], called)));
        if let Some(instead) = &parting.instead {
            places.push(Place::of(
                instead.place(),
                described(&sides[parting.second], instead),
            ));
        }
    }
    let (confidence, note) = match parts {
        Some(_) => (
            Confidence::Likely,
            "from then on the ranks call different collectives, and wait for each other",
        ),
        None => (
            Confidence::Possible,
            "the ranks did not ask each other whether the capture went well: once one replays, it waits for a rank that does not",
        ),
    };
    Finding {
        title: "a rank swallowed the error of its capture, and the others count on it".to_owned(),
        confidence,
        notes: vec![note.to_owned()],
        help: vec![
            "let the error end the rank, so that the launcher stops the others".to_owned(),
            "or let the ranks tell each other whether the capture succeeded (`all_reduce` of a flag, read on the host) before any \
             of them replays"
                .to_owned(),
        ],
        ..finding(ID, at, places, &[side, other])
    }
}
