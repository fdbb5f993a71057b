//! The first collective at which ranks differ, and which of them are the odd ones.

use std::collections::{BTreeMap, BTreeSet};

use super::shared::Shared;
use super::side::{Called, Groups, Side};

/// Where the ranks of a group part, as two camps of them.
#[derive(Clone, Debug)]
pub(super) struct Parting {
    pub(super) group: String,
    /// The number of the collective in its group, from 1.
    pub(super) number: usize,
    pub(super) kind: Kind,
    /// Ranks that call a collective there; the fewer, if the others call one as well and are more.
    pub(super) one: Camp,
    pub(super) other: Camp,
}

/// Ranks that do the same where ranks part.
#[derive(Clone, Debug)]
pub(super) struct Camp {
    /// The ranks, by their places among all, ascending.
    pub(super) sides: Vec<usize>,
    /// What they call.
    pub(super) called: Option<Called>,
    /// What they called last before.
    pub(super) last: Option<Called>,
}

/// How they part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// They call different collectives.
    Others,
    /// Some call a collective that the others never do.
    Missing,
    /// Some call by a replay what the others call eagerly.
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
    /// The collectives of its first rank.
    called: Vec<Called>,
    /// Its ranks, the first one first.
    members: Vec<Member>,
    ranks: BTreeSet<Option<u32>>,
    /// Whether no rank is there twice, as in a run of several jobs, or of one that was started again.
    is_of_one_job: bool,
    /// The ranks that diverge from the first one.
    apart: Vec<Apart>,
}

/// A rank of a group.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Its place among all.
    side: usize,
    /// How many collectives it called.
    calls: usize,
    has_finished: bool,
}

/// A rank that parts from the first one of its group.
#[derive(Debug)]
struct Apart {
    side: usize,
    /// How many collectives both called before.
    after: usize,
    kind: Kind,
    called: Option<Called>,
    last: Option<Called>,
}

impl Comparison {
    /// Compares the last of these ranks with those before it.
    pub(super) fn add(&mut self, sides: &[Side], groups: Groups, shared: &mut Shared) {
        let Some((index, side)) = sides.iter().enumerate().next_back() else {
            return;
        };
        for (name, called) in groups {
            let member = Member {
                side: index,
                calls: called.len(),
                has_finished: side.has_finished,
            };
            let Some(group) = self.groups.get_mut(&name) else {
                let group = Group {
                    called: called.into_iter().map(|it| shared.called(it)).collect(),
                    members: vec![member],
                    ranks: BTreeSet::from([side.process.rank]),
                    is_of_one_job: true,
                    apart: Vec::new(),
                };
                self.groups.insert(name, group);
                continue;
            };
            group.is_of_one_job &= group.ranks.insert(side.process.rank);
            group.apart.extend(group.apart(member, &called, shared));
            group.members.push(member);
        }
    }

    /// Where the ranks part first, by what cannot be right before what may be.
    pub(super) fn first(&self) -> Option<Parting> {
        let groups = self.groups.iter().filter(|(_, it)| it.is_of_one_job);
        let first = groups.filter_map(|(name, group)| Some((group.first()?, name, group)));
        let (first, name, group) =
            first.min_by_key(|(first, ..)| (first.kind == Kind::Ways, first.after))?;
        Some(group.parting(name, first))
    }
}

impl Group {
    /// How a rank that made these calls parts from the first one; `None` if it does not.
    fn apart(&self, member: Member, called: &[Called], shared: &mut Shared) -> Option<Apart> {
        let (after, kind) = between(&self.called, called, (self.members[0], member))?;
        let mut share = |called: Option<&Called>| called.map(|it| shared.called(it.clone()));
        Some(Apart {
            side: member.side,
            after,
            kind,
            called: share(called.get(after)),
            last: share(after.checked_sub(1).and_then(|it| called.get(it))),
        })
    }

    /// The rank that parts first, by what cannot be right before what may be.
    fn first(&self) -> Option<&Apart> {
        let order = |it: &&Apart| (it.kind == Kind::Ways, it.after, it.kind);
        self.apart.iter().min_by_key(order)
    }

    /// The camps, where one rank parts first.
    fn parting(&self, name: &str, first: &Apart) -> Parting {
        let after = first.after;
        let with_first = self.with_first(first);
        let mut camps = vec![with_first];
        for apart in &self.apart {
            if (apart.after, apart.kind) != (after, first.kind) {
                continue;
            }
            let is_of = |camp: &&mut Camp| first.kind.is_same(camp, apart.called.as_ref());
            match camps[1..].iter_mut().find(is_of) {
                Some(camp) => camp.sides.push(apart.side),
                None => camps.push(Camp {
                    sides: vec![apart.side],
                    called: apart.called.clone(),
                    last: apart.last.clone(),
                }),
            }
        }
        // Of several that are as large, the first: that of the group's first rank, then that of the next.
        let size = |camp: &Camp| camp.sides.len();
        let most = camps.iter().map(size).max().unwrap_or_default();
        let largest = camps.iter().position(|it| size(it) == most);
        let largest = camps.remove(largest.unwrap_or_default());
        let fewest = camps.iter().map(size).min().unwrap_or_default();
        let odd = camps.iter().position(|it| size(it) == fewest);
        let odd = camps.swap_remove(odd.unwrap_or_default());
        let odd_is_one = match first.kind {
            Kind::Missing => odd.called.is_some(),
            Kind::Others | Kind::Ways => size(&odd) < size(&largest),
        };
        let (one, other) = if odd_is_one {
            (odd, largest)
        } else {
            (largest, odd)
        };
        Parting {
            group: name.to_owned(),
            number: after + 1,
            kind: first.kind,
            one,
            other,
        }
    }

    /// The first rank and those that are known to have done the same as it, where another one parts.
    fn with_first(&self, parting: &Apart) -> Camp {
        let after = parting.after;
        let called = self.called.get(after);
        let parted: BTreeSet<usize> = self
            .apart
            .iter()
            .filter(|it| it.kind != Kind::Ways || parting.kind == Kind::Ways)
            .filter(|it| it.after <= after)
            .map(|it| it.side)
            .collect();
        let did_the_same = |it: &&Member| match called {
            Some(_) => it.calls > after,
            None => it.calls == after && it.has_finished,
        };
        let members = self.members.iter().filter(did_the_same);
        Camp {
            sides: members
                .map(|it| it.side)
                .filter(|side| !parted.contains(side))
                .collect(),
            called: called.cloned(),
            last: after
                .checked_sub(1)
                .and_then(|it| self.called.get(it))
                .cloned(),
        }
    }
}

impl Kind {
    /// Whether a rank that calls this belongs to a camp.
    fn is_same(self, camp: &Camp, called: Option<&Called>) -> bool {
        match (&camp.called, called) {
            (Some(one), Some(other)) if self == Kind::Ways => one.is_replayed == other.is_replayed,
            (Some(one), Some(other)) => one.fits(other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Parting {
    /// The camp of fewer ranks; `None` if both are as large.
    pub(super) fn odd(&self) -> Option<&Camp> {
        match self.one.sides.len().cmp(&self.other.sides.len()) {
            std::cmp::Ordering::Less => Some(&self.one),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(&self.other),
        }
    }

    /// How many collectives of the group a rank of these camps had called before the one that the parting shows of it.
    pub(super) fn calls_before(&self, side: usize) -> Option<usize> {
        let mut camps = [&self.one, &self.other].into_iter();
        let camp = camps.find(|camp| camp.sides.contains(&side))?;
        match &camp.called {
            Some(_) => Some(self.number - 1),
            None => self.number.checked_sub(2),
        }
    }
}

/// How many collectives two ranks call before they part, and how; both members of one group, with whether they ended well.
fn between(
    first: &[Called],
    second: &[Called],
    members: (Member, Member),
) -> Option<(usize, Kind)> {
    let mut pairs = first.iter().zip(second);
    if let Some(number) = pairs.clone().position(|(a, b)| !a.fits(b)) {
        return Some((number, Kind::Others));
    }
    let number = first.len().min(second.len());
    let lacks = |calls: &[Called], member: Member| calls.len() == number && member.has_finished;
    if first.len() != second.len() && (lacks(first, members.0) || lacks(second, members.1)) {
        return Some((number, Kind::Missing));
    }
    let ways = pairs.position(|(a, b)| a.is_replayed != b.is_replayed)?;
    Some((ways, Kind::Ways))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cgsan_finding::Process;

    use super::super::side::Request;
    use super::*;

    /// A rank's collectives of one group: each a kind, in capitals where a graph calls it.
    struct Rank(&'static str, bool);

    fn ended(calls: &'static str) -> Rank {
        Rank(calls, true)
    }

    fn killed(calls: &'static str) -> Rank {
        Rank(calls, false)
    }

    fn called(kind: char) -> Called {
        Called {
            request: Arc::new(Request {
                kind: kind.to_ascii_lowercase().to_string(),
                terms: None,
            }),
            is_replayed: kind.is_ascii_uppercase(),
            location: None,
        }
    }

    /// Where ranks part: the number and how, then each camp's ranks.
    fn parting(ranks: &[Rank]) -> Option<(usize, Kind, Vec<usize>, Vec<usize>)> {
        let mut comparison = Comparison::default();
        let mut sides = Vec::new();
        for (rank, Rank(calls, has_finished)) in (0..).zip(ranks) {
            sides.push(Side {
                process: Process {
                    rank: Some(rank),
                    ..Process::default()
                },
                captures: Vec::new(),
                has_finished: *has_finished,
                has_ended: *has_finished,
                is_recorded_whole: true,
                crashed: None,
                failed: None,
            });
            let groups = Groups::from([("0".to_owned(), calls.chars().map(called).collect())]);
            comparison.add(&sides, groups, &mut Shared::default());
        }
        let parting = comparison.first()?;
        Some((
            parting.number,
            parting.kind,
            parting.one.sides,
            parting.other.sides,
        ))
    }

    #[test]
    fn of_two_ranks_the_first_is_shown_first() {
        let ranks = [ended("abc"), ended("abd")];
        assert_eq!(parting(&ranks), Some((3, Kind::Others, vec![0], vec![1])));
        let ranks = [ended("ab"), ended("abc")];
        assert_eq!(parting(&ranks), Some((3, Kind::Missing, vec![1], vec![0])));
        assert_eq!(
            parting(&[ended("aB"), ended("ab")]),
            Some((2, Kind::Ways, vec![0], vec![1]))
        );
        assert_eq!(parting(&[ended("abc"), ended("abc")]), None);
        assert_eq!(parting(&[ended("abc"), killed("ab")]), None);
    }

    #[test]
    fn of_many_ranks_the_fewer_are_the_odd_ones_also_where_they_come_first() {
        let ranks = [ended("ax"), ended("ay"), ended("ay"), ended("ay")];
        let odd = Some((2, Kind::Others, vec![0], vec![1, 2, 3]));
        assert_eq!(parting(&ranks), odd);
        let ranks = [ended("ay"), ended("ay"), ended("ax"), ended("ay")];
        let odd = Some((2, Kind::Others, vec![2], vec![0, 1, 3]));
        assert_eq!(parting(&ranks), odd);
    }

    #[test]
    fn who_never_calls_is_odd_where_the_others_call() {
        let ranks = [ended("a"), ended("ab"), ended("ab"), killed("a")];
        let odd = Some((2, Kind::Missing, vec![1, 2], vec![0]));
        assert_eq!(parting(&ranks), odd);
    }

    #[test]
    fn what_cannot_be_right_comes_before_what_may_be() {
        let ranks = [ended("abc"), ended("Abc"), ended("abd"), ended("abc")];
        let odd = Some((3, Kind::Others, vec![2], vec![0, 1, 3]));
        assert_eq!(parting(&ranks), odd);
    }
}
