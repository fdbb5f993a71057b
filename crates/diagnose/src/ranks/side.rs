//! What one rank did: its collectives in order, and its captures.

use std::collections::BTreeMap;
use std::sync::Arc;

use cgsan_finding::{Location, Process};
use cgsan_trace::{AgentEvent, Argument, Ending, Record, TensorRecord};

use super::clocks::Moment;
use super::shared::Shared;
use crate::activity::{Activity, Collective};
use crate::history::{History, stack};
use crate::process;

/// A rank, with what is kept of it until the report is made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    pub(super) process: Process,
    /// Its captures that hold collectives, or held them until they failed.
    pub(super) captures: Vec<Captured>,
    /// Whether it ended by itself and well, and all of it was recorded: what it did not call, it never called.
    pub(super) has_finished: bool,
    /// Whether it ended by itself, and no exception ended it.
    pub(super) has_ended: bool,
    /// Whether all of it was recorded.
    pub(super) is_recorded_whole: bool,
    /// The exception that ended it.
    pub(super) crashed: Option<Crash>,
    /// When its first capture failed.
    pub(super) failed: Option<Moment>,
}

/// The collectives of a rank by the names of their groups, in the order of their calls, up to the first that may be missing.
pub(super) type Groups = BTreeMap<String, Vec<Called>>;

/// An exception that ended a rank.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crash {
    /// When it was reported.
    pub(super) time: Moment,
    /// The type and the beginning of the message.
    pub(super) text: String,
    pub(super) location: Option<Location>,
}

impl Crash {
    /// Whether it is the same exception in another rank.
    pub(super) fn is_like(&self, other: &Crash) -> bool {
        self.text == other.text && self.location == other.location
    }
}

/// A collective that took its turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Called {
    /// What it asks for.
    pub(super) request: Arc<Request>,
    /// Whether a graph called it.
    pub(super) is_replayed: bool,
    /// The line that called it, or replayed the graph.
    pub(super) location: Option<Arc<Location>>,
}

/// What a collective asks for. Those of two ranks can be parts of one collective if it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Request {
    /// The operator's name.
    pub(super) kind: String,
    /// Of those whose sizes are the same on all ranks: these, and the type.
    pub(super) terms: Option<(Vec<u64>, u8)>,
}

/// A capture with collectives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Captured {
    /// The line that began it.
    pub(super) location: Option<Arc<Location>>,
    /// Whether it failed.
    pub(super) has_failed: bool,
    /// The line at which it failed.
    pub(super) failed_at: Option<Arc<Location>>,
    /// How many collectives of each group the rank had called when it ended.
    pub(super) called_before: BTreeMap<String, usize>,
    /// Whether the rank called a collective afterwards.
    pub(super) goes_on: bool,
    /// Whether, afterwards, the host read what a collective left: so do ranks that ask each other how it went.
    pub(super) asked_others: bool,
}

/// Operators whose sizes may differ from rank to rank.
const UNEVEN: &[&str] = &[
    "allgather_",
    "alltoall_",
    "alltoall_base_",
    "barrier",
    "gather_",
    "reduce_scatter_",
    "scatter_",
];

/// Operators that copy, which may be to the host.
const COPIES: &[&str] = &["copy_", "_to_copy"];

/// A collective that took its turn: where in the trace, of which group, and what it was.
struct Turn {
    position: usize,
    group: String,
    called: Called,
}

/// What the process of a trace did.
pub(super) fn side(history: &History<'_>, activity: &Activity<'_>) -> (Side, Groups) {
    let trace = history.trace;
    let shared = &mut Shared::default();
    let end = recorded_until(history);
    let names = names(history);
    let mut of_captures: BTreeMap<usize, Vec<(String, Called)>> = BTreeMap::new();
    let mut turns: Vec<Turn> = Vec::new();
    for collective in activity.collectives() {
        let Some(group) = names.get(&collective.group) else {
            continue;
        };
        let group = group.clone();
        let called = called(history, &collective, shared);
        match capture_of(history, &collective) {
            Some(capture) => of_captures
                .entry(capture)
                .or_default()
                .push((group, called)),
            None => turns.push(Turn {
                position: collective.operation.position,
                group,
                called,
            }),
        }
    }
    for replay in &activity.replays {
        let location = history.location_at(replay.position);
        let location = location.map(|it| shared.location(it));
        for (group, called) in of_captures.get(&replay.graph).into_iter().flatten() {
            let replayed = Called {
                is_replayed: true,
                location: location.clone(),
                ..called.clone()
            };
            turns.push(Turn {
                position: replay.position,
                group: group.clone(),
                called: replayed,
            });
        }
    }
    turns.retain(|turn| turn.position < end);
    turns.sort_by_key(|turn| turn.position);
    let mut by_group: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for turn in &turns {
        by_group.entry(&turn.group).or_default().push(turn.position);
    }
    let crashed = crash(history);
    let failed = history
        .captures
        .iter()
        .filter(|run| run.ended_badly() || run.broken_by().is_some());
    let failed = failed.map(|run| run.began.position).min();
    let side = Side {
        process: process::of(trace, 1),
        captures: of_captures
            .keys()
            .filter_map(|index| captured(history, activity, *index, &by_group, shared))
            .collect(),
        has_finished: trace.ending() == Ending::Orderly && crashed.is_none() && end == usize::MAX,
        has_ended: trace.ending() == Ending::Orderly && crashed.is_none(),
        is_recorded_whole: end == usize::MAX,
        crashed,
        failed: failed.and_then(|position| Moment::of(trace, position)),
    };
    let mut groups = Groups::new();
    for turn in turns {
        groups.entry(turn.group).or_default().push(turn.called);
    }
    (side, groups)
}

/// The exception that ended a process: the last one that nobody caught.
fn crash(history: &History<'_>) -> Option<Crash> {
    let mut events = history.trace.agent_events().rev();
    let position = events.find_map(|(position, event)| match event {
        AgentEvent::Exception { uncaught: true, .. } => Some(position),
        _ => None,
    })?;
    let mut thrown = history.thrown.iter().rev();
    let thrown = thrown.find(|it| it.reported.is_some_and(|reported| reported <= position))?;
    Some(Crash {
        time: Moment::of(history.trace, position)?,
        text: thrown.summary(),
        location: stack::user_location(&thrown.stack),
    })
}

/// Where in the trace the first call stands that was counted and not recorded; `usize::MAX` if there is none.
fn recorded_until(history: &History<'_>) -> usize {
    let mut entries = history.trace.entries().iter();
    let gap = entries.position(|entry| match &entry.record {
        Record::Counted(counted) => counted.calls > 0 || !counted.replays.is_empty(),
        _ => false,
    });
    gap.unwrap_or(usize::MAX)
}

/// The names of groups, by their addresses; of several at one address, the last.
fn names(history: &History<'_>) -> BTreeMap<u64, String> {
    let events = history.trace.agent_events();
    events
        .filter_map(|(_, event)| match event {
            AgentEvent::GroupCreated {
                name,
                address,
                size,
                ..
            } if *size > 1 => Some((*address, name.clone())),
            _ => None,
        })
        .collect()
}

/// The capture that a collective was called in.
fn capture_of(history: &History<'_>, collective: &Collective<'_, '_>) -> Option<usize> {
    let operation = collective.operation;
    collective.capture.or_else(|| {
        history
            .captures
            .iter()
            .position(|run| run.thread() == operation.thread && run.spans(operation.position))
    })
}

fn called(history: &History<'_>, collective: &Collective<'_, '_>, shared: &mut Shared) -> Called {
    let operation = collective.operation;
    let stack = operation.stack.map(|id| history.trace.stack(id));
    let location = stack.and_then(|stack| stack::user_location(&stack));
    let is_even = UNEVEN.binary_search(&operation.name).is_err();
    let tensor = operation.arguments.iter().find_map(first_tensor);
    let request = Request {
        kind: operation.name.to_owned(),
        terms: tensor
            .filter(|_| is_even)
            .map(|it| (it.sizes.clone(), it.dtype)),
    };
    Called {
        request: shared.request(request),
        is_replayed: false,
        location: location.map(|it| shared.location(it)),
    }
}

fn first_tensor(argument: &Argument) -> Option<&TensorRecord> {
    match argument {
        Argument::Tensor(tensor) | Argument::Changed(tensor) => Some(tensor),
        Argument::List(elements) => elements.iter().find_map(first_tensor),
        _ => None,
    }
}

/// What is kept of a capture of a rank whose collectives, by group, took their turns at these positions.
fn captured(
    history: &History<'_>,
    activity: &Activity<'_>,
    index: usize,
    by_group: &BTreeMap<&str, Vec<usize>>,
    shared: &mut Shared,
) -> Option<Captured> {
    let run = &history.captures[index];
    let ended = run.ended?.position;
    let thrown = run.left_by.and_then(|index| history.thrown.get(index));
    let broken = run.broken_by().map(|refusal| refusal.step);
    let has_failed = run.ended_badly() || thrown.is_some();
    let place = || {
        let thrown = thrown.and_then(|it| stack::user_location(&it.stack));
        broken.and_then(|step| history.location_of(step)).or(thrown)
    };
    let before = |turns: &Vec<usize>| turns.partition_point(|position| *position <= ended);
    Some(Captured {
        location: history.location_of(run.began).map(|it| shared.location(it)),
        has_failed,
        failed_at: place().filter(|_| has_failed).map(|it| shared.location(it)),
        called_before: by_group
            .iter()
            .map(|(group, turns)| ((*group).to_owned(), before(turns)))
            .collect(),
        goes_on: by_group.values().any(|turns| before(turns) < turns.len()),
        asked_others: has_failed && asked_others(activity, ended),
    })
}

/// Whether, after a place of the trace, the host read what a collective left.
fn asked_others(activity: &Activity<'_>, after: usize) -> bool {
    let mut left: Vec<u64> = Vec::new();
    let mut collectives = activity
        .collectives()
        .filter(|it| it.operation.position > after)
        .peekable();
    activity
        .operations
        .iter()
        .filter(|operation| operation.position > after)
        .any(|operation| {
            if let Some(it) = collectives.next_if(|it| it.operation.position == operation.position)
            {
                left.extend(
                    it.operation
                        .arguments
                        .iter()
                        .filter_map(first_tensor)
                        .map(|it| it.address),
                );
                return false;
            }
            let on_host = |argument: &Argument| first_tensor(argument).is_some_and(|it| !it.on_gpu);
            let reads = operation.reads_elements()
                || operation.name == "nonzero"
                || COPIES.contains(&operation.name)
                    && operation
                        .arguments
                        .iter()
                        .chain(operation.results)
                        .any(on_host);
            let mut tensors = operation.arguments.iter().filter_map(first_tensor);
            reads && tensors.any(|it| left.contains(&it.address))
        })
}

impl Side {
    /// What a sentence calls it.
    pub(super) fn name(&self) -> String {
        Process::names(std::slice::from_ref(&self.process))
    }
}

impl Called {
    /// What a sentence calls it: `allreduce` of `[1024]`.
    pub(super) fn what(&self) -> String {
        let Request { kind, terms } = &*self.request;
        let kind = kind.trim_matches('_');
        match terms {
            Some((sizes, _)) => format!("`{kind}` of {sizes:?}"),
            None => format!("`{kind}`"),
        }
    }

    /// The line that called it, for a label.
    pub(super) fn place(&self) -> Option<Location> {
        self.location.as_deref().cloned()
    }

    /// Whether it can be the other rank's part of the same collective.
    pub(super) fn fits(&self, other: &Called) -> bool {
        self.request == other.request
    }
}
