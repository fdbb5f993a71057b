//! CG215: graphed callables that share a pool run in another order than they were captured in.

use cgsan_finding::{Confidence, Location};

use super::super::{Check, Rule, Verdict, says};
use crate::activity::{Harm, Reader};
use crate::history::{History, stack};
use crate::subjects::{Fact, Replay, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG215",
    check: Check::Replay(check),
};

/// The same, where autograd's context says which forward a backward belongs to.
pub(in crate::rules) const BACKWARD: Rule = Rule {
    id: "CG215",
    check: Check::Fact(of_earlier_forward),
};

/// Signal: as CG214, and both graphs come from one call of `make_graphed_callables`.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Overwritten { block, reader, .. } = replay.harm() else {
        return None;
    };
    let owner = replay.block(block).capture?;
    let makers = [owner, replay.found.graph].map(|index| maker(replay.history, index));
    let [Some(one), Some(other)] = makers else {
        return None;
    };
    if one != other {
        return None;
    }
    let (read, who) = replay.reader(reader);
    if matches!(reader, Reader::Graph(graph) if graph == replay.found.graph) {
        return Some(runs_again(
            one,
            "this replay overwrites what the next one of the same graph still needs",
        ));
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg215::TITLE,
            "this replay overwrites what another callable still needs",
        )
        .label(Some(one), "the callables were captured here, in one pool")
        .label(read, format!("{who} needs it here"))
        .note(says::cg215::ORDER)
        .help(says::cg215::KEEP_ORDER),
    )
}

/// Signal: a backward graph is replayed for a forward behind which the forward graph was replayed again, and reads what that writes, or
/// a static input that was written in between.
fn of_earlier_forward(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Backward { forward } = fact.told else {
        return None;
    };
    if !fact.needs_what_changes(forward) || fact.overwrites_itself() {
        return None;
    }
    Some(runs_again(
        maker(fact.history, fact.graph)?,
        "this backward is that of an earlier forward: a later one has overwritten what it needs",
    ))
}

/// A callable runs forward again, and what its forward graph had left for the backward is lost.
fn runs_again(maker: Location, here: &str) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "a graphed callable runs forward again before its backward",
        here,
    )
    .label(Some(maker), "the callable was captured here, with one set of buffers")
    .note("what a forward saves for its backward lies in the graph's memory, which holds that of one forward")
    .help("run the backward of a forward before the next forward; or graph as many copies of the callable as have a forward under way")
}

/// The line that called `make_graphed_callables`, if a capture came from there.
fn maker(history: &History<'_>, capture: usize) -> Option<Location> {
    let frames = history.stack_of(history.captures[capture].began);
    let maker = frames.iter().position(|frame| {
        stack::is_torch_function(frame, "cuda/graphs.py", "make_graphed_callables")
    })?;
    stack::user_location(&frames[maker..])
}
