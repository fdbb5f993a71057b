//! What there is to explain: subjects of several kinds.
//!
//! A kind is a module here that finds its subjects in a history and says what a rule can ask of one, a variant of [`Subject`],
//! and one of [`Check`](crate::rules::Check).

mod afterwards;
mod causes;
mod fact;
mod failure;
mod group;
mod input;
mod left;
mod message;
mod overwritten;
mod partitioned;
mod pool;
mod region;
mod replay;
mod setters;
mod slow;
mod twin;
mod unchanged;
mod unused;

pub(crate) use afterwards::Afterwards;
pub(crate) use fact::{Fact, Growth, Told};
pub(crate) use failure::{Actor, Cause, Failure};
pub(crate) use group::{End, Group};
pub(crate) use input::Input;
pub(crate) use message::Message;
pub(crate) use overwritten::{Overwritten, Reader};
pub(crate) use partitioned::Partitioned;
pub(crate) use pool::{Pool, count, size};
pub(crate) use region::Region;
pub(crate) use replay::Replay;
pub(crate) use slow::Slow;
pub(crate) use twin::Twin;
pub(crate) use unused::Unused;

use cgsan_finding::Note;

use crate::activity::Activity;
use crate::evidence::Evidence;
use crate::history::History;
use crate::notes;
use crate::pools::Pools;
use crate::waste::{Saving, Waste};

/// One thing that a rule may explain.
pub(crate) enum Subject<'h, 't> {
    /// A capture that failed, or a refused attempt at one.
    Failure(Failure<'h, 't>),
    /// A replay that does what the program cannot have meant.
    Replay(Replay<'h, 't>),
    /// A captured function whose calls differ.
    Region(Region<'h, 't>),
    /// Something that only Python knows.
    Fact(Fact<'h, 't>),
    /// Something that a captured region would not do now as it did at the capture.
    Twin(Twin<'h, 't>),
    /// An output of a compiled function that is used too late.
    Overwritten(Overwritten<'h, 't>),
    /// A compiled function with several graphs.
    Partitioned(Partitioned<'h, 't>),
    /// A graph that is never replayed, though its work goes on running eagerly.
    Unused(Unused<'h, 't>),
    /// A graph that gains less than it could.
    Slow(Slow<'h, 't>),
    /// A message that the host sent or received in a capture.
    Message(Message<'h, 't>),
    /// A process group at its end, with graphs that hold its collectives.
    Group(Group<'h, 't>),
    /// Memory that is wasted.
    Pool(Pool<'h, 't>),
}

impl<'h, 't> Subject<'h, 't> {
    /// The input of a graph that it is about, if it is about one that is gone.
    pub(crate) fn input(&self) -> Option<Input> {
        match self {
            Subject::Replay(replay) => replay.input(),
            Subject::Fact(fact) => fact.input(),
            Subject::Twin(twin) => twin.input(),
            Subject::Failure(_)
            | Subject::Region(_)
            | Subject::Overwritten(_)
            | Subject::Partitioned(_)
            | Subject::Unused(_)
            | Subject::Slow(_)
            | Subject::Message(_)
            | Subject::Group(_)
            | Subject::Pool(_) => None,
        }
    }

    /// Where it stands in the trace.
    pub(crate) fn position(&self) -> usize {
        match self {
            Subject::Failure(failure) => failure.position(),
            Subject::Replay(replay) => replay.position(),
            Subject::Region(region) => region.position(),
            Subject::Fact(fact) => fact.position(),
            Subject::Twin(twin) => twin.position(),
            Subject::Overwritten(overwritten) => overwritten.position(),
            Subject::Partitioned(partitioned) => partitioned.position(),
            Subject::Unused(unused) => unused.position(),
            Subject::Slow(slow) => slow.position(),
            Subject::Message(message) => message.position(),
            Subject::Group(group) => group.position(),
            Subject::Pool(pool) => pool.position(),
        }
    }

    /// Whether it belongs to a part of the program before the one that is judged: how a function was captured, and who held
    /// memory, is told with the part that did so.
    pub(crate) fn is_of_earlier_part(&self) -> bool {
        let begins = |history: &History<'_>| history.trace.part_begins();
        match self {
            Subject::Region(region) => region.capture.began.position < begins(region.history),
            Subject::Pool(pool) => self.position() < begins(pool.pools.history),
            Subject::Failure(_)
            | Subject::Replay(_)
            | Subject::Fact(_)
            | Subject::Twin(_)
            | Subject::Overwritten(_)
            | Subject::Partitioned(_)
            | Subject::Unused(_)
            | Subject::Slow(_)
            | Subject::Message(_)
            | Subject::Group(_) => false,
        }
    }

    /// What a finding about it shows.
    pub(crate) fn evidence(&self) -> Evidence<'h, 't> {
        match self {
            Subject::Failure(failure) => failure.evidence(),
            Subject::Replay(replay) => replay.evidence(),
            Subject::Region(region) => region.evidence(),
            Subject::Fact(fact) => fact.evidence(),
            Subject::Twin(twin) => twin.evidence(),
            Subject::Overwritten(overwritten) => overwritten.evidence(),
            Subject::Partitioned(partitioned) => partitioned.evidence(),
            Subject::Unused(unused) => unused.evidence(),
            Subject::Slow(slow) => slow.evidence(),
            Subject::Message(message) => message.evidence(),
            Subject::Group(group) => group.evidence(),
            Subject::Pool(pool) => pool.evidence(),
        }
    }

    /// What is said of it where no rule explains it.
    pub(crate) fn unexplained(&self) -> Option<Note> {
        match self {
            Subject::Failure(failure) => notes::abandoned(failure),
            Subject::Replay(_)
            | Subject::Region(_)
            | Subject::Fact(_)
            | Subject::Twin(_)
            | Subject::Overwritten(_)
            | Subject::Partitioned(_)
            | Subject::Unused(_)
            | Subject::Slow(_)
            | Subject::Message(_)
            | Subject::Group(_)
            | Subject::Pool(_) => None,
        }
    }
}

/// All subjects of a history, in the order of their places in the trace.
pub(crate) fn of<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
    pools: &'h Pools<'h, 't>,
    wastes: &'h [(Waste, Saving)],
) -> Vec<Subject<'h, 't>> {
    let failures = causes::failures(history).into_iter().map(Subject::Failure);
    let replays = replay::replays(history, activity).map(Subject::Replay);
    let regions = region::differing(history, activity)
        .into_iter()
        .map(Subject::Region);
    let facts = fact::facts(history, activity)
        .into_iter()
        .map(Subject::Fact);
    let groups = group::groups(history, activity)
        .into_iter()
        .map(Subject::Group);
    let mut subjects: Vec<_> = failures
        .chain(replays)
        .chain(regions)
        .chain(facts)
        .chain(
            twin::twins(history, activity)
                .into_iter()
                .map(Subject::Twin),
        )
        .chain(
            overwritten::overwritten(history, activity)
                .into_iter()
                .map(Subject::Overwritten),
        )
        .chain(
            partitioned::partitioned(history)
                .into_iter()
                .map(Subject::Partitioned),
        )
        .chain(
            unused::unused(history, activity)
                .into_iter()
                .map(Subject::Unused),
        )
        .chain(slow::slow(history, activity).into_iter().map(Subject::Slow))
        .chain(
            message::messages(history, activity)
                .into_iter()
                .map(Subject::Message),
        )
        .chain(groups)
        .chain(pool::pools(pools, wastes).map(Subject::Pool))
        .collect();
    subjects.sort_by_key(Subject::position);
    subjects
}
