//! The first collective at which two ranks differ.

use std::collections::BTreeSet;

use super::side::{Called, Side};

/// Two ranks, and where they part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting<'s> {
    pub(super) group: &'s str,
    /// The number of the collective in its group, from 1.
    pub(super) number: usize,
    pub(super) first: (&'s Side, &'s Called),
    pub(super) second: &'s Side,
    /// What the second rank did in its place, or did last before if it did nothing.
    pub(super) instead: Option<&'s Called>,
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

/// Where the ranks part first, by what cannot be right before what may be.
pub(super) fn first<'s>(sides: &[&'s Side]) -> Option<Parting<'s>> {
    let groups: BTreeSet<&str> = sides
        .iter()
        .flat_map(|it| it.groups.keys())
        .map(String::as_str)
        .collect();
    let mut partings: Vec<Parting<'s>> = Vec::new();
    for group in groups {
        let members: Vec<&Side> = sides
            .iter()
            .filter(|it| it.groups.contains_key(group))
            .copied()
            .collect();
        if !are_of_one_job(&members) {
            continue;
        }
        let Some((one, others)) = members.split_first() else {
            continue;
        };
        partings.extend(others.iter().filter_map(|other| between(one, other, group)));
    }
    partings
        .into_iter()
        .min_by_key(|it| (it.kind == Kind::Ways, it.number))
}

/// Whether no rank is there twice, as in a run of several jobs, or of one that was started again.
pub(super) fn are_of_one_job(sides: &[&Side]) -> bool {
    let ranks: BTreeSet<Option<u32>> = sides.iter().map(|side| side.process.rank).collect();
    ranks.len() == sides.len()
}

fn between<'s>(one: &'s Side, other: &'s Side, group: &str) -> Option<Parting<'s>> {
    let ((group, first), second) = (one.groups.get_key_value(group)?, other.groups.get(group)?);
    let parting = |number: usize, first, second, instead, kind| Parting {
        group,
        number: number + 1,
        first,
        second,
        instead,
        kind,
    };
    let mut pairs = first.iter().zip(second).enumerate();
    if let Some((number, (a, b))) = pairs.clone().find(|(_, (a, b))| !a.fits(b)) {
        return Some(parting(number, (one, a), other, Some(b), Kind::Others));
    }
    let number = first.len().min(second.len());
    if let Some(a) = first.get(number)
        && other.has_finished
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
        && one.has_finished
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
