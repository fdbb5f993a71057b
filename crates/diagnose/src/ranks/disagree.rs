//! CG403: the ranks of a process group disagree about a collective.

use cgsan_finding::{Confidence, Finding};

use super::part::{Camp, Kind, Parting};
use super::side::Side;
use super::{Place, described, finding, name};

pub(super) const ID: &str = "CG403";

/// Signal: of all collectives of a group, in order, a replay standing for those of its graph, one differs between two ranks.
pub(super) fn told(sides: &[Side], parting: &Parting) -> Finding {
    let odd = parting.odd();
    let all = odd.is_some();
    let one = Told::of(sides, &parting.one, all);
    let other = Told::of(sides, &parting.other, all);
    let places: Vec<Place> = [&one, &other].into_iter().filter_map(Told::place).collect();
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
    let concerned = match odd {
        Some(odd) => Told::of(sides, odd, all).ranks,
        None => one.ranks.into_iter().chain(other.ranks).collect(),
    };
    let mut places = places.into_iter();
    let at = places.next().unwrap_or_default();
    Finding {
        title: odd.map_or_else(
            || title.to_owned(),
            |odd| title_of_odd(sides, parting, odd),
        ),
        confidence,
        notes: vec![
            format!("it is collective {} of process group {}", parting.number, parting.group),
            note.to_owned(),
        ],
        help: vec![
            "let all ranks decide the same: as many steps, and the same choice between replay and eager code"
                .to_owned(),
        ],
        ..finding(ID, at, places.collect(), &concerned)
    }
}

/// What is said of a camp: of all of its ranks where the other one is larger or smaller, else of the first.
struct Told<'a> {
    ranks: Vec<&'a Side>,
    camp: &'a Camp,
}

impl<'a> Told<'a> {
    fn of(sides: &'a [Side], camp: &'a Camp, all: bool) -> Told<'a> {
        let ranks = camp.sides.iter().take(if all { usize::MAX } else { 1 });
        Told {
            ranks: ranks.map(|side| &sides[*side]).collect(),
            camp,
        }
    }

    fn place(&self) -> Option<Place> {
        if let Some(called) = &self.camp.called {
            return Some(Place::of(called.place(), described(&self.ranks, called)));
        }
        let last = self.camp.last.as_ref()?;
        let text = format!("the last one of {}", name(&self.ranks));
        Some(Place::of(last.place(), text))
    }
}

/// One line on ranks that do something else than more others do.
fn title_of_odd(sides: &[Side], parting: &Parting, odd: &Camp) -> String {
    let is_one = odd.sides == parting.one.sides;
    let others = if is_one { &parting.other } else { &parting.one };
    let ranks: Vec<&Side> = odd.sides.iter().map(|side| &sides[*side]).collect();
    let (name, are_many) = (name(&ranks), ranks.len() > 1);
    let verb = |one: &'static str, many: &'static str| if are_many { many } else { one };
    let others = others.sides.len();
    match parting.kind {
        Kind::Others => format!(
            "{name} {} with {others} others about a collective",
            verb("disagrees", "disagree")
        ),
        Kind::Missing if is_one => format!(
            "{name} {} a collective that {others} others never call",
            verb("calls", "call")
        ),
        Kind::Missing => format!(
            "{name} never {} a collective that {others} others call",
            verb("calls", "call")
        ),
        Kind::Ways if parting.one.called.as_ref().is_some_and(|it| it.is_replayed) == is_one => {
            format!(
                "{name} {} a collective that {others} others call eagerly",
                verb("replays", "replay")
            )
        }
        Kind::Ways => format!(
            "{name} {} a collective eagerly that {others} others replay",
            verb("calls", "call")
        ),
    }
}
