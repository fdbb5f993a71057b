//! CG404: a rank's capture failed, its error was swallowed, and the others count on it.

use cgsan_finding::{Confidence, Finding, Location};
use rustc_hash::FxHashMap;

use super::part::{Kind, Parting};
use super::side::{Captured, Side};
use super::{Place, described, finding};

pub(super) const ID: &str = "CG404";

/// Signal: a capture with collectives failed on one rank, which went on; the same one went well on another, and the ranks did
/// not ask each other. Where they part afterwards, it is certain.
pub(super) fn find(sides: &[Side], parting: Option<&Parting>) -> Option<Finding> {
    let went_well = captured_well(sides);
    sides.iter().enumerate().find_map(|(number, side)| {
        let mut captures = side.captures.iter().enumerate();
        captures.find_map(|(index, capture)| {
            if !capture.has_failed || side.crashed.is_some() || !capture.goes_on {
                return None;
            }
            let other = *went_well.get(&nth_of_its_line(side, index))?;
            let parts = parting.filter(|it| it.kind != Kind::Ways && is_after(it, number, capture));
            if parts.is_none() && capture.asked_others {
                return None;
            }
            Some(told(sides, (side, other), capture, parts))
        })
    })
}

/// A capture as all ranks can name it: its line, and how many captures of that line came before.
type Nth<'a> = (Option<&'a Location>, usize);

fn nth_of_its_line(side: &Side, index: usize) -> Nth<'_> {
    let location = &side.captures[index].location;
    let before = &side.captures[..index];
    let before = before.iter().filter(|it| it.location == *location).count();
    (location.as_deref(), before)
}

/// The first rank on which each capture went well.
fn captured_well(sides: &[Side]) -> FxHashMap<Nth<'_>, &Side> {
    let mut captured = FxHashMap::default();
    for side in sides {
        for (index, capture) in side.captures.iter().enumerate() {
            if !capture.has_failed {
                let nth = nth_of_its_line(side, index);
                captured.entry(nth).or_insert(side);
            }
        }
    }
    captured
}

/// Whether ranks part after a capture of one of them, given by its place, has failed.
fn is_after(parting: &Parting, side: usize, capture: &Captured) -> bool {
    let at_the_end = capture.called_before.get(&parting.group);
    let at_the_end = at_the_end.copied().unwrap_or_default();
    let before = parting.calls_before(side);
    before.is_some_and(|before| before >= at_the_end)
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
        for camp in [&parting.one, &parting.other] {
            let ranks: Vec<&Side> = camp.sides.iter().map(|side| &sides[*side]).collect();
            let did = camp.called.as_ref().or(camp.last.as_ref());
            places.extend(did.map(|did| Place::of(did.place(), described(&ranks, did))));
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
