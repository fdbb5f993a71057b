//! What a rule is: an id, and how the failure mode is recognised in a subject of one kind.

use cgsan_model::Call;
use cgsan_trace::TwinCause;

use super::verdict::Verdict;
use crate::history::step;
use crate::subjects::{
    Fact, Failure, Group, Message, Overwritten, Partitioned, Pool, Region, Replay, Slow, Subject,
    Twin, Unused,
};

/// A failure mode and how it is recognised.
pub(crate) struct Rule {
    /// The failure mode's stable id.
    pub(crate) id: &'static str,
    /// What it is recognised in.
    pub(crate) check: Check,
}

/// Explains a subject of one kind if it is of the rule's mode.
pub(crate) enum Check {
    /// A rule about failed captures and refused attempts at one.
    Failure(fn(&Failure<'_, '_>) -> Option<Verdict>),
    /// A rule about what goes wrong at replays.
    Replay(fn(&Replay<'_, '_>) -> Option<Verdict>),
    /// A rule about captured functions whose calls differ.
    Region(fn(&Region<'_, '_>) -> Option<Verdict>),
    /// A rule about what only Python knows.
    Fact(fn(&Fact<'_, '_>) -> Option<Verdict>),
    /// A rule about what a captured region would do now.
    Twin(fn(&Twin<'_, '_>) -> Option<Verdict>),
    /// The same, where it is known what the program has switched, registered or removed since the capture.
    Since(fn(&Twin<'_, '_>, &TwinCause) -> Option<Verdict>),
    /// The rule about outputs of compiled functions that are used too late.
    Overwritten(fn(&Overwritten<'_, '_>) -> Verdict),
    /// A rule about compiled functions with several graphs.
    Partitioned(fn(&Partitioned<'_, '_>) -> Option<Verdict>),
    /// A rule about graphs that are never replayed.
    Unused(fn(&Unused<'_, '_>) -> Option<Verdict>),
    /// A rule about graphs that gain less than they could.
    Slow(fn(&Slow<'_, '_>) -> Option<Verdict>),
    /// A rule about messages of the host.
    Message(fn(&Message<'_, '_>) -> Option<Verdict>),
    /// A rule about process groups that end while graphs hold their collectives.
    Group(fn(&Group<'_, '_>) -> Option<Verdict>),
    /// A rule about memory that is wasted.
    Pool(fn(&Pool<'_, '_>) -> Option<Verdict>),
}

impl Check {
    /// What the rule says; `None` too where it is about another kind of subject.
    pub(super) fn ask(&self, subject: &Subject<'_, '_>) -> Option<Verdict> {
        match (self, subject) {
            (Check::Failure(check), Subject::Failure(failure)) => check(failure),
            (Check::Replay(check), Subject::Replay(replay)) => check(replay),
            (Check::Fact(check), Subject::Fact(fact)) => check(fact),
            (Check::Region(check), Subject::Region(region)) => check(region),
            (Check::Twin(check), Subject::Twin(twin)) if twin.cause.is_none() => check(twin),
            (Check::Since(check), Subject::Twin(twin)) => check(twin, twin.cause?),
            (Check::Overwritten(check), Subject::Overwritten(overwritten)) => {
                Some(check(overwritten))
            }
            (Check::Partitioned(check), Subject::Partitioned(partitioned)) => check(partitioned),
            (Check::Unused(check), Subject::Unused(unused)) => check(unused),
            (Check::Slow(check), Subject::Slow(slow)) => check(slow),
            (Check::Message(check), Subject::Message(message)) => check(message),
            (Check::Group(check), Subject::Group(group)) => check(group),
            (Check::Pool(check), Subject::Pool(pool)) => check(pool),
            _ => None,
        }
    }
}

/// Whether the thread of a refused call makes one of this kind afterwards that succeeds: then the program has taken the refusal into
/// account.
pub(super) fn succeeds_later(failure: &Failure<'_, '_>, is_such: impl Fn(&Call) -> bool) -> bool {
    let trace = failure.history.trace;
    let mut later = step::steps(trace, failure.position() + 1..trace.entries().len());
    later.any(|step| {
        Some(step.thread) == failure.thread()
            && step.record.result.is_success()
            && is_such(&step.record.call)
    })
}
