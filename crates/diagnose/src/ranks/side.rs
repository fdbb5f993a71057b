//! What one rank did: its collectives in order, and its captures.

use std::collections::BTreeMap;

use cgsan_finding::{Location, Process};
use cgsan_trace::{AgentEvent, Argument, Ending, Record, TensorRecord};

use crate::activity::{Activity, Collective};
use crate::history::{History, stack, step};
use crate::process;

/// A rank.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) process: Process,
    /// Its collectives by the names of their groups, in the order of their calls, up to the first that may be missing.
    pub(super) groups: BTreeMap<String, Vec<Called>>,
    /// Its captures that hold collectives, or held them until they failed.
    pub(super) captures: Vec<Captured>,
    /// Whether it ended by itself and well, and all of it was recorded: what it did not call, it never called.
    pub(super) has_finished: bool,
    /// The exception that ended it.
    pub(super) crashed: Option<Crash>,
    /// When its first capture failed, in nanoseconds of the machine's clock.
    pub(super) failed: Option<u64>,
}

/// An exception that ended a rank.
#[derive(Clone, Debug)]
pub(super) struct Crash {
    /// When it was reported, in nanoseconds of the machine's clock.
    pub(super) time: u64,
    /// The type and the beginning of the message.
    pub(super) text: String,
    pub(super) location: Option<Location>,
}

/// A collective that took its turn.
#[derive(Clone, Debug)]
pub(super) struct Called {
    /// The operator's name.
    pub(super) kind: String,
    /// Of those whose sizes are the same on all ranks: these, and the type.
    pub(super) terms: Option<(Vec<u64>, u8)>,
    /// Whether a graph called it.
    pub(super) is_replayed: bool,
    /// The line that called it, or replayed the graph.
    pub(super) location: Option<Location>,
    /// Where in the trace that stands.
    pub(super) position: usize,
}

/// A capture with collectives.
#[derive(Clone, Debug)]
pub(super) struct Captured {
    /// The line that began it.
    pub(super) location: Option<Location>,
    /// Whether it failed.
    pub(super) has_failed: bool,
    /// The line at which it failed.
    pub(super) failed_at: Option<Location>,
    /// Where in the trace it ended.
    pub(super) ended: usize,
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

/// Operators by which the host reads a tensor of the GPU.
const READS: &[&str] = &[
    "_local_scalar_dense",
    "item",
    "is_nonzero",
    "equal",
    "nonzero",
];
const COPIES: &[&str] = &["copy_", "_to_copy"];

/// What the process of a trace did.
pub(crate) fn side(history: &History<'_>, activity: &Activity<'_>) -> Side {
    let trace = history.trace;
    let end = recorded_until(history);
    let names = names(history);
    let mut of_captures: BTreeMap<usize, Vec<(String, Called)>> = BTreeMap::new();
    let mut turns: Vec<(String, Called)> = Vec::new();
    for collective in activity.collectives() {
        let Some(group) = names.get(&collective.group) else {
            continue;
        };
        let called = called(history, &collective);
        let entry = (group.clone(), called);
        match capture_of(history, &collective) {
            Some(capture) => of_captures.entry(capture).or_default().push(entry),
            None => turns.push(entry),
        }
    }
    for replay in &activity.replays {
        let location = step::at(trace, replay.position).and_then(|it| history.location_of(it));
        for (group, called) in of_captures.get(&replay.graph).into_iter().flatten() {
            let replayed = Called {
                is_replayed: true,
                location: location.clone(),
                position: replay.position,
                ..called.clone()
            };
            turns.push((group.clone(), replayed));
        }
    }
    turns.retain(|(_, called)| called.position < end);
    turns.sort_by_key(|(_, called)| called.position);
    let mut groups: BTreeMap<String, Vec<Called>> = BTreeMap::new();
    for (group, called) in turns {
        groups.entry(group).or_default().push(called);
    }
    let crashed = crash(history);
    let failed = history
        .captures
        .iter()
        .filter(|run| run.ended_badly() || run.broken_by().is_some());
    let failed = failed.map(|run| time(history, run.began.position)).min();
    Side {
        process: process::of(trace, 1),
        groups,
        captures: of_captures
            .keys()
            .filter_map(|index| captured(history, activity, *index))
            .collect(),
        has_finished: trace.ending() == Ending::Orderly && crashed.is_none() && end == usize::MAX,
        crashed,
        failed,
    }
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
        time: time(history, position),
        text: thrown.summary(),
        location: stack::user_location(&thrown.stack),
    })
}

fn time(history: &History<'_>, position: usize) -> u64 {
    let entry = history.trace.entries().get(position);
    entry.map_or(u64::MAX, |entry| entry.time_ns)
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

fn called(history: &History<'_>, collective: &Collective<'_, '_>) -> Called {
    let operation = collective.operation;
    let stack = operation.stack.map(|id| history.trace.stack(id));
    let is_even = UNEVEN.binary_search(&operation.name).is_err();
    let tensor = operation.arguments.iter().find_map(first_tensor);
    Called {
        kind: operation.name.to_owned(),
        terms: tensor
            .filter(|_| is_even)
            .map(|it| (it.sizes.clone(), it.dtype)),
        is_replayed: false,
        location: stack.and_then(|stack| stack::user_location(&stack)),
        position: operation.position,
    }
}

fn first_tensor(argument: &Argument) -> Option<&TensorRecord> {
    match argument {
        Argument::Tensor(tensor) => Some(tensor),
        Argument::List(elements) => elements.iter().find_map(first_tensor),
        _ => None,
    }
}

fn captured(history: &History<'_>, activity: &Activity<'_>, index: usize) -> Option<Captured> {
    let run = &history.captures[index];
    let ended = run.ended?.position;
    let thrown = run.left_by.and_then(|index| history.thrown.get(index));
    let broken = run.broken_by().map(|refusal| refusal.step);
    let has_failed = run.ended_badly() || thrown.is_some();
    let place = || {
        let thrown = thrown.and_then(|it| stack::user_location(&it.stack));
        broken.and_then(|step| history.location_of(step)).or(thrown)
    };
    Some(Captured {
        location: history.location_of(run.began),
        has_failed,
        failed_at: place().filter(|_| has_failed),
        ended,
        asked_others: asked_others(activity, ended),
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
            let reads = READS.contains(&operation.name)
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
    /// What a sentence calls it: `allreduce` of [1024].
    pub(super) fn what(&self) -> String {
        let kind = self.kind.trim_matches('_');
        match &self.terms {
            Some((sizes, _)) => format!("`{kind}` of {sizes:?}"),
            None => format!("`{kind}`"),
        }
    }

    /// Whether it can be the other rank's part of the same collective.
    pub(super) fn fits(&self, other: &Called) -> bool {
        self.kind == other.kind && self.terms == other.terms
    }
}
