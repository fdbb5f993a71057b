//! Ranks by what they did, so that of a thousand the odd one is seen.

use std::collections::BTreeSet;

use cgsan_finding::{Location, RankGroup};
use rustc_hash::FxHashMap;

use super::side::Side;
use super::{OfRank, Parting};
use crate::summary::Found;

/// With more groups than this, numbers do not tell ranks apart: a job that was ended from outside stops its ranks anywhere.
const GROUPS: usize = 8;

/// Fewer ranks are seen at a glance.
const FEWEST: usize = 3;

/// What a rank did, as far as ranks are told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Did {
    findings: Vec<(&'static str, Option<Location>)>,
    /// The exception that ended it.
    crashed: Option<String>,
    has_ended: bool,
    captures: u64,
    /// What it called in another way than most ranks.
    parts: Option<String>,
    counts: Option<Counts>,
}

/// How often it did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Counts {
    replays: u64,
    /// `None` if not all were recorded.
    collectives: Option<usize>,
}

impl Did {
    /// What a rank did of which this was found out.
    pub(super) fn of(found: &Found, rank: &OfRank) -> Did {
        let findings = found.findings.iter();
        let mut findings: Vec<_> = findings.map(|it| (it.id, it.location.clone())).collect();
        findings.sort_by(|one, other| key(one).cmp(&key(other)));
        findings.dedup();
        let crashed = rank.side.crashed.as_ref();
        let collectives = rank.groups.values().map(Vec::len).sum();
        Did {
            findings,
            crashed: crashed.map(|crash| crash.text.clone()),
            has_ended: rank.side.has_ended,
            captures: found.coverage.captures,
            parts: None,
            counts: Some(Counts {
                replays: found.coverage.replays,
                collectives: rank.side.is_recorded_whole.then_some(collectives),
            }),
        }
    }

    /// In what it differs from what most ranks did.
    fn differs_from(&self, most: &Did) -> Vec<String> {
        let place = |(id, location): &(&str, Option<Location>)| match location {
            Some(location) => format!("{id} at {}", location.short()),
            None => (*id).to_owned(),
        };
        let only = |one: &Did, other: &Did| {
            let only = one
                .findings
                .iter()
                .filter(|it| !other.findings.contains(it));
            only.map(place).collect::<Vec<String>>()
        };
        let mut differs = only(self, most);
        differs.extend(only(most, self).into_iter().map(|it| format!("no {it}")));
        differs.extend(self.parts.clone());
        if self.crashed != most.crashed {
            differs.push(match &self.crashed {
                Some(text) => format!("ended by {text}"),
                None => "no exception ended it".to_owned(),
            });
        }
        if self.has_ended != most.has_ended && self.crashed.is_none() {
            let ended = if self.has_ended {
                "ended"
            } else {
                "did not end"
            };
            differs.push(format!("{ended} by itself"));
        }
        let mut number = |own: u64, other: u64, what: &str| {
            if own != other {
                differs.push(format!("{own} {what} instead of {other}"));
            }
        };
        number(self.captures, most.captures, "captures");
        if let (Some(own), Some(other)) = (self.counts, most.counts) {
            number(own.replays, other.replays, "replays");
            if let (Some(own), Some(other)) = (own.collectives, other.collectives) {
                number(own as u64, other as u64, "collectives");
            }
        }
        differs
    }
}

fn key((id, location): &(&'static str, Option<Location>)) -> (&'static str, String, u32) {
    let file = location.as_ref().map(Location::file_name);
    let line = location.as_ref().map(|it| it.line);
    (id, file.unwrap_or_default(), line.unwrap_or_default())
}

/// The ranks of a job by what they did, the fewest first; nothing if there are few, or if all did the same.
pub(super) fn groups(sides: &[Side], did: &[Did], parting: Option<&Parting>) -> Vec<RankGroup> {
    if sides.len() < FEWEST {
        return Vec::new();
    }
    let mut did = did.to_vec();
    let odd = parting.and_then(|parting| Some((parting, parting.odd()?)));
    if let Some((parting, odd)) = odd {
        for side in &odd.sides {
            did[*side].parts = Some(format!(
                "parts at collective {} of process group {}",
                parting.number, parting.group
            ));
        }
    }
    // Ranks that all come to their ends may do some things more often than others, and mean it.
    if did.iter().all(|it| it.has_ended) || grouped(&did).len() > GROUPS {
        for it in &mut did {
            it.counts = None;
        }
    }
    let mut groups = grouped(&did);
    if groups.len() < 2 {
        return Vec::new();
    }
    // The largest comes last; of several that are as large, that of the first rank.
    groups.sort_by_key(|members| (members.len(), std::cmp::Reverse(members[0])));
    let most = groups.last().map(|members| did[members[0]].clone());
    let most = most.unwrap_or_default();
    let told = groups.into_iter().map(|members| {
        let processes = members.iter().map(|side| &sides[*side].process);
        let ranks: BTreeSet<u32> = processes.clone().filter_map(|it| it.rank).collect();
        let hosts: BTreeSet<String> = processes.filter_map(|it| it.host.clone()).collect();
        RankGroup {
            ranks: ranks.into_iter().collect(),
            hosts: hosts.into_iter().collect(),
            differs: did[members[0]].differs_from(&most),
        }
    });
    told.collect()
}

/// Those that did the same, each group in the order of the ranks.
fn grouped(did: &[Did]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<&Did, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (side, did) in did.iter().enumerate() {
        let at = *known.entry(did).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(side),
            None => groups.push(vec![side]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Process;

    use super::*;

    fn side(rank: u32) -> Side {
        Side {
            process: Process {
                rank: Some(rank),
                host: Some(format!("node-{}", rank / 8)),
                ..Process::default()
            },
            captures: Vec::new(),
            has_finished: true,
            has_ended: true,
            is_recorded_whole: true,
            crashed: None,
            failed: None,
        }
    }

    fn counted(replays: u64) -> Counts {
        Counts {
            replays,
            collectives: Some(10),
        }
    }

    /// The groups of ranks that did this: names, and what each differs in.
    fn told(did: &[Did]) -> Vec<(String, Vec<String>)> {
        let sides: Vec<Side> = (0..).zip(did).map(|(rank, _)| side(rank)).collect();
        let groups = groups(&sides, did, None).into_iter();
        groups.map(|it| (it.name(), it.differs)).collect()
    }

    fn ended(captures: u64) -> Did {
        Did {
            has_ended: true,
            captures,
            counts: Some(counted(captures)),
            ..Did::default()
        }
    }

    #[test]
    fn the_odd_one_comes_first_with_what_it_did() {
        let mut did = vec![ended(4); 20];
        did[17].findings = vec![("CG101", None)];
        did[17].captures = 3;
        let told = told(&did);
        assert_eq!(told[0].0, "rank 17 (node-2)");
        assert_eq!(told[0].1, ["CG101", "3 captures instead of 4"]);
        assert_eq!(
            told[1].0,
            "ranks 0 to 16, 18 and 19 (node-0, node-1, node-2)"
        );
        assert!(told[1].1.is_empty());
    }

    #[test]
    fn ranks_that_all_come_to_their_ends_may_do_things_more_often() {
        let mut did = vec![ended(4); 4];
        did[0].counts = Some(counted(9));
        assert!(told(&did).is_empty());
        for it in &mut did {
            it.has_ended = false;
        }
        let told = told(&did);
        assert_eq!(told[0].1, ["9 replays instead of 4"]);
    }

    #[test]
    fn where_each_rank_was_stopped_elsewhere_numbers_say_nothing() {
        let mut did: Vec<Did> = (0..20).map(|_| ended(4)).collect();
        for (at, it) in (0..).zip(&mut did) {
            it.has_ended = false;
            it.counts = Some(counted(at));
        }
        assert!(told(&did).is_empty());
    }

    #[test]
    fn two_ranks_are_seen_at_a_glance() {
        let mut did = vec![ended(4); 2];
        did[1].captures = 3;
        assert!(told(&did).is_empty());
    }
}
