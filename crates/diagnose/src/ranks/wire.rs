//! What a rank did, as text: requests and lines are listed once, and what a program calls in a loop is one turn of it.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use cgsan_finding::{Location, Process};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::OfRank;
use super::clocks::Moment;
use super::side::{Called, Captured, Crash, Groups, Request, Side};

/// How many collectives the turn of a loop may have, to be seen as one.
const LONGEST_TURN: usize = 128;

/// As many collectives of one rank are read.
const MOST_CALLS: usize = 1 << 24;

/// What is wrong with a text about a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It refers to an entry of a list that is not there.
    Reference,
    /// It has more collectives than are read.
    Calls,
}

/// What a rank did, as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Wire {
    began_ns: u64,
    finished: bool,
    ended: bool,
    recorded_whole: bool,
    crashed: Option<WireCrash>,
    failed_ns: Option<u64>,
    places: Vec<Location>,
    requests: Vec<WireRequest>,
    /// Each once: the request, whether a graph called it, the place.
    calls: Vec<(usize, bool, Option<usize>)>,
    /// By group: how often which calls followed each other.
    groups: BTreeMap<String, Vec<(usize, Vec<usize>)>>,
    captures: Vec<WireCaptured>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireCrash {
    ns: u64,
    text: String,
    location: Option<Location>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireRequest {
    kind: String,
    terms: Option<(Vec<u64>, u8)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireCaptured {
    place: Option<usize>,
    failed: bool,
    failed_at: Option<usize>,
    called_before: BTreeMap<String, usize>,
    goes_on: bool,
    asked_others: bool,
}

impl OfRank {
    /// As it is written.
    pub(crate) fn to_wire(&self) -> Wire {
        let mut lists = Lists::default();
        let side = &self.side;
        let groups = self.groups.iter().map(|(name, called)| {
            let calls: Vec<usize> = called.iter().map(|it| lists.call(it)).collect();
            (name.clone(), turns(&calls))
        });
        let groups = groups.collect();
        let captures = side.captures.iter().map(|it| lists.captured(it)).collect();
        Wire {
            began_ns: self.began_ns,
            finished: side.has_finished,
            ended: side.has_ended,
            recorded_whole: side.is_recorded_whole,
            crashed: side.crashed.as_ref().map(|crash| WireCrash {
                ns: crash.time.ns,
                text: crash.text.clone(),
                location: crash.location.clone(),
            }),
            failed_ns: side.failed.as_ref().map(|it| it.ns),
            groups,
            captures,
            calls: lists.written,
            places: lists.places.listed(|it| Location::clone(it)),
            requests: lists.requests.listed(|it| WireRequest {
                kind: it.kind.clone(),
                terms: it.terms.clone(),
            }),
        }
    }
}

impl Wire {
    /// What this process did.
    pub(crate) fn read(self, process: &Process) -> Result<OfRank, Unfit> {
        let requests = self.requests.into_iter().map(|it| {
            Arc::new(Request {
                kind: it.kind,
                terms: it.terms,
            })
        });
        let requests: Vec<Arc<Request>> = requests.collect();
        let places: Vec<Arc<Location>> = self.places.into_iter().map(Arc::new).collect();
        let place = |at: Option<usize>| match at {
            Some(at) => places.get(at).cloned().map(Some).ok_or(Unfit::Reference),
            None => Ok(None),
        };
        let calls = self.calls.into_iter().map(|(request, is_replayed, at)| {
            Ok(Called {
                request: requests.get(request).cloned().ok_or(Unfit::Reference)?,
                is_replayed,
                location: place(at)?,
            })
        });
        let calls: Vec<Called> = calls.collect::<Result<_, Unfit>>()?;
        let mut left = MOST_CALLS;
        let mut groups = Groups::new();
        for (name, turns) in self.groups {
            groups.insert(name, expanded(&turns, &calls, &mut left)?);
        }
        let captures = self.captures.into_iter().map(|it| {
            Ok(Captured {
                location: place(it.place)?,
                has_failed: it.failed,
                failed_at: place(it.failed_at)?,
                called_before: it.called_before,
                goes_on: it.goes_on,
                asked_others: it.asked_others,
            })
        });
        let moment = |ns| Moment {
            host: process.host.clone(),
            ns,
        };
        Ok(OfRank {
            side: Side {
                process: process.clone(),
                captures: captures.collect::<Result<_, Unfit>>()?,
                has_finished: self.finished,
                has_ended: self.ended,
                is_recorded_whole: self.recorded_whole,
                crashed: self.crashed.map(|crash| Crash {
                    time: moment(crash.ns),
                    text: crash.text,
                    location: crash.location,
                }),
                failed: self.failed_ns.map(moment),
            },
            groups,
            began_ns: self.began_ns,
        })
    }
}

/// What was listed so far.
#[derive(Default)]
struct Lists<'a> {
    places: List<&'a Location>,
    requests: List<&'a Request>,
    calls: List<&'a Called>,
    written: Vec<(usize, bool, Option<usize>)>,
}

impl<'a> Lists<'a> {
    fn call(&mut self, called: &'a Called) -> usize {
        let at = self.calls.at(called);
        if at == self.written.len() {
            let request = self.requests.at(&called.request);
            let place = self.place(called.location.as_deref());
            self.written.push((request, called.is_replayed, place));
        }
        at
    }

    fn place(&mut self, location: Option<&'a Location>) -> Option<usize> {
        location.map(|it| self.places.at(it))
    }

    fn captured(&mut self, captured: &'a Captured) -> WireCaptured {
        WireCaptured {
            place: self.place(captured.location.as_deref()),
            failed: captured.has_failed,
            failed_at: self.place(captured.failed_at.as_deref()),
            called_before: captured.called_before.clone(),
            goes_on: captured.goes_on,
            asked_others: captured.asked_others,
        }
    }
}

/// Values, each once, by where they stand.
struct List<T>(FxHashMap<T, usize>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(FxHashMap::default())
    }
}

impl<T: Eq + Hash + Copy> List<T> {
    fn at(&mut self, value: T) -> usize {
        let next = self.0.len();
        *self.0.entry(value).or_insert(next)
    }

    fn listed<W>(&self, write: impl Fn(&T) -> W) -> Vec<W> {
        let mut listed: Vec<(&T, &usize)> = self.0.iter().collect();
        listed.sort_by_key(|(_, at)| **at);
        listed.into_iter().map(|(value, _)| write(value)).collect()
    }
}

/// Calls as turns of loops: how often which calls follow each other.
fn turns(calls: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut turns: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut once: Vec<usize> = Vec::new();
    let mut rest = calls;
    while let Some(first) = rest.first() {
        let Some((length, times)) = repeated(rest) else {
            once.push(*first);
            rest = &rest[1..];
            continue;
        };
        if !once.is_empty() {
            turns.push((1, std::mem::take(&mut once)));
        }
        turns.push((times, rest[..length].to_vec()));
        rest = &rest[length * times..];
    }
    if !once.is_empty() {
        turns.push((1, once));
    }
    turns
}

/// The shortest beginning that follows itself: how long it is, and how often it is there.
fn repeated(calls: &[usize]) -> Option<(usize, usize)> {
    let longest = LONGEST_TURN.min(calls.len() / 2);
    let length = (1..=longest).find(|length| calls[..*length] == calls[*length..2 * length])?;
    let turn = &calls[..length];
    let same = calls.chunks(length).take_while(|it| *it == turn);
    Some((length, same.count()))
}

fn expanded(
    turns: &[(usize, Vec<usize>)],
    calls: &[Called],
    left: &mut usize,
) -> Result<Vec<Called>, Unfit> {
    let mut all = Vec::new();
    for (times, turn) in turns {
        let many = times.checked_mul(turn.len()).ok_or(Unfit::Calls)?;
        *left = left.checked_sub(many).ok_or(Unfit::Calls)?;
        let turn = turn.iter().map(|at| calls.get(*at).ok_or(Unfit::Reference));
        let turn: Vec<&Called> = turn.collect::<Result<_, Unfit>>()?;
        if turn.is_empty() {
            continue;
        }
        for _ in 0..*times {
            all.extend(turn.iter().copied().cloned());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn called(at: usize) -> Called {
        Called {
            request: Arc::new(Request {
                kind: format!("kind {at}"),
                terms: None,
            }),
            is_replayed: false,
            location: None,
        }
    }

    #[test]
    fn what_is_called_in_a_loop_is_one_turn_of_it() {
        let calls = [9, 1, 2, 1, 2, 1, 2, 7];
        let wanted = [(1, vec![9]), (3, vec![1, 2]), (1, vec![7])];
        assert_eq!(turns(&calls), wanted);
    }

    #[test]
    fn what_expands_without_end_is_not_read() {
        let calls = [called(0)];
        let read = |turns| expanded(&turns, &calls, &mut MOST_CALLS.clone());
        assert_eq!(read(vec![(usize::MAX, vec![0, 0])]), Err(Unfit::Calls));
        assert_eq!(read(vec![(MOST_CALLS + 1, vec![0])]), Err(Unfit::Calls));
        assert_eq!(read(vec![(1, vec![1])]), Err(Unfit::Reference));
        assert_eq!(read(vec![(usize::MAX, vec![])]), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn turns_are_what_was_called(calls in proptest::collection::vec(0_usize..3, 0..60)) {
            let all: Vec<Called> = (0..3).map(called).collect();
            let again = expanded(&turns(&calls), &all, &mut MOST_CALLS.clone()).expect("they fit");
            let wanted: Vec<Called> = calls.iter().map(|at| all[*at].clone()).collect();
            prop_assert_eq!(again, wanted);
        }
    }
}
