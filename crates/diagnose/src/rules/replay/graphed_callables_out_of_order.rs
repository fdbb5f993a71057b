//! CG215: graphed callables that share a pool run in another order than they were captured in.

use cgsan_finding::{Confidence, Location};

use super::super::{Check, Rule, Verdict};
use crate::activity::{Harm, Reader};
use crate::history::stack;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG215",
    check: Check::Replay(check),
};

/// Signal: as CG214, and both graphs come from one call of `make_graphed_callables`.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Overwritten { block, reader, .. } = replay.harm() else {
        return None;
    };
    let owner = replay.block(block).capture?;
    let makers = [owner, replay.found.graph].map(|index| maker(replay, index));
    let [Some(one), Some(other)] = makers else {
        return None;
    };
    if one != other {
        return None;
    }
    let (read, who) = replay.reader(reader);
    if matches!(reader, Reader::Graph(graph) if graph == replay.found.graph) {
        return Some(runs_again(one));
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "graphed callables run in another order than captured",
            "this replay overwrites what another callable still needs",
        )
        .label(Some(one), "the callables were captured here, in one pool")
        .label(read, format!("{who} needs it here"))
        .note("all forwards in the order of the tuple, then all backwards in reverse, is the only order that is safe")
        .help("run them in capture order, or graph each callable in a call of its own"),
    )
}

/// A backward graph runs again, and has overwritten what its forward graph had left for it.
fn runs_again(maker: Location) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "a graphed callable runs forward again before its backward",
        "this replay overwrites what the next one of the same graph still needs",
    )
    .label(Some(maker), "the callable was captured here, with one set of buffers")
    .note("what a forward saves for its backward lies in the graph's memory, which holds that of one forward")
    .help("run the backward of a forward before the next forward; or graph as many copies of the callable as have a forward under way")
}

/// The line that called `make_graphed_callables`, if a capture came from there.
fn maker(replay: &Replay<'_, '_>, capture: usize) -> Option<Location> {
    let frames = replay
        .history
        .stack_of(replay.history.captures[capture].began);
    let maker = frames.iter().position(|frame| {
        stack::is_torch_function(frame, "cuda/graphs.py", "make_graphed_callables")
    })?;
    stack::user_location(&frames[maker..])
}
