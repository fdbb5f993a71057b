//! The first collective at which two ranks differ.

use std::collections::{BTreeMap, BTreeSet};

use super::side::{Called, Groups, Side};

/// Two ranks, and where they part.
#[derive(Clone, Debug)]
pub(super) struct Parting {
    pub(super) group: String,
    /// The number of the collective in its group, from 1.
    pub(super) number: usize,
    /// A rank, by its place among all, and what it called.
    pub(super) first: (usize, Called),
    pub(super) second: usize,
    /// What the second rank did in its place, or did last before if it did nothing.
    pub(super) instead: Option<Called>,
    pub(super) kind: Kind,
}

/// How they part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// They call different collectives.
    Others,
    /// One calls a collective that the other never does.
    Missing,
    /// One calls by a replay what the other calls eagerly.
    Ways,
}

/// The groups of a run. Each rank is compared with the first one of its group, whose collectives alone are kept.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    groups: BTreeMap<String, Group>,
}

/// A group.
#[derive(Debug)]
struct Group {
    /// Its first rank, by its place among all.
    first: usize,
    called: Vec<Called>,
    ranks: BTreeSet<Option<u32>>,
    /// Whether no rank is there twice, as in a run of several jobs, or of one that was started again.
    is_of_one_job: bool,
    parting: Option<Parting>,
}

impl Comparison {
    /// Compares the last of these ranks with those before it.
    pub(super) fn add(&mut self, sides: &[Side], groups: Groups) {
        let Some((index, side)) = sides.iter().enumerate().next_back() else {
            return;
        };
        for (name, called) in groups {
            let Some(group) = self.groups.get_mut(&name) else {
                let group = Group {
                    first: index,
                    called,
                    ranks: BTreeSet::from([side.process.rank]),
                    is_of_one_job: true,
                    parting: None,
                };
                self.groups.insert(name, group);
                continue;
            };
            group.is_of_one_job &= group.ranks.insert(side.process.rank);
            let finished = (sides[group.first].has_finished, side.has_finished);
            let parting = between(
                &name,
                (group.first, &group.called),
                (index, &called),
                finished,
            );
            if let Some(parting) = parting
                && group
                    .parting
                    .as_ref()
                    .is_none_or(|before| parting.comes_before(before))
            {
                group.parting = Some(parting);
            }
        }
    }

    /// Where the ranks part first, by what cannot be right before what may be.
    pub(super) fn first(&self) -> Option<&Parting> {
        let groups = self.groups.values().filter(|group| group.is_of_one_job);
        let partings = groups.filter_map(|group| group.parting.as_ref());
        partings.min_by_key(|it| it.order())
    }
}

impl Parting {
    fn order(&self) -> (bool, usize) {
        (self.kind == Kind::Ways, self.number)
    }

    fn comes_before(&self, other: &Parting) -> bool {
        self.order() < other.order()
    }
}

/// Where two ranks part, each given by its place and what it called; `finished` says of both whether they ended well.
fn between(
    group: &str,
    (one, first): (usize, &[Called]),
    (other, second): (usize, &[Called]),
    finished: (bool, bool),
) -> Option<Parting> {
    let parting =
        |number: usize, first: (usize, &Called), second, instead: Option<&Called>, kind| Parting {
            group: group.to_owned(),
            number: number + 1,
            first: (first.0, first.1.clone()),
            second,
            instead: instead.cloned(),
            kind,
        };
    let mut pairs = first.iter().zip(second).enumerate();
    if let Some((number, (a, b))) = pairs.clone().find(|(_, (a, b))| !a.fits(b)) {
        return Some(parting(number, (one, a), other, Some(b), Kind::Others));
    }
    let number = first.len().min(second.len());
    if let Some(a) = first.get(number)
        && finished.1
    {
        return Some(parting(
            number,
            (one, a),
            other,
            second.last(),
            Kind::Missing,
        ));
    }
    if let Some(b) = second.get(number)
        && finished.0
    {
        return Some(parting(
            number,
            (other, b),
            one,
            first.last(),
            Kind::Missing,
        ));
    }
    let (number, (a, b)) = pairs.find(|(_, (a, b))| a.is_replayed != b.is_replayed)?;
    Some(parting(number, (one, a), other, Some(b), Kind::Ways))
}
