//! CG215: callables that were graphed together, and run in another order than that call captured them in.

use rustc_hash::FxHashSet;

use super::judge::Judge;
use super::pool_order;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::{CaptureId, CaptureKind};

/// A backward pass comes to a graphed callable whose memory another one has used since its forward.
pub(crate) static OUT_OF_ORDER: Rule = Rule::new("CG215", Confidence::Likely);

/// A forward of a graphed callable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Forward {
    of: CaptureId,
    /// Its number among all replays.
    number: u32,
}

/// The last backward of a graphed callable.
#[derive(Clone, Copy, Debug)]
struct Backward {
    of: CaptureId,
    /// How many replays there were by then.
    replays: u32,
    site: Site,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// The last backward of each graphed callable.
    backwards: Vec<Backward>,
    /// Where callables were graphed of which was said that their order is another one.
    told_callables: FxHashSet<Site>,
}

/// A backward pass is about to run.
pub(super) fn backward<'p>(judge: &mut Judge<'_, 'p>, loss: &Value<'p>, range: TextRange) {
    if !judge.flow.captures.is_empty() || judge.is_in_thread() {
        return;
    }
    let site = judge.at(range);
    let forwards = forwards(judge, loss);
    for forward in &forwards {
        if let Some((other, how)) = used_since(judge, *forward) {
            out_of_order(judge, forward.of, site, (other, how));
        }
    }
    let replays = judge.library.replays;
    for Forward { of, .. } in forwards {
        judge
            .notes
            .of_mut::<Noted>()
            .backwards
            .retain(|it| it.of != of);
        judge
            .notes
            .of_mut::<Noted>()
            .backwards
            .push(Backward { of, replays, site });
    }
}

/// The forwards that a backward pass goes back through, each of a callable that stands for itself alone.
fn forwards<'p>(judge: &Judge<'_, 'p>, loss: &Value<'p>) -> Vec<Forward> {
    let mut found = Vec::new();
    if judge.library.replays == 0 {
        return found;
    }
    for cell in judge.differentiated(loss) {
        let tensor = judge.heap.tensor(cell);
        let forward = tensor.and_then(|it| {
            Some(Forward {
                of: it.captured?,
                number: it.answer?.replay,
            })
        });
        found.extend(forward.filter(|it| is_one(judge, it.of)));
    }
    found.sort_unstable_by_key(|it| (it.of, it.number));
    found.dedup();
    found
}

/// Whether this is certainly the capture of one callable, which nothing unknown decides to run.
fn is_one(judge: &Judge<'_, '_>, id: CaptureId) -> bool {
    let capture = &judge.library.captures[id.0];
    capture.kind == CaptureKind::Callable
        && capture.pool.is_some()
        && judge.doubt() <= capture.doubt
        && pool_order::is_one(judge, id)
}

/// What has run between a forward and the backward that is about to run, and was captured in another order.
fn used_since(judge: &Judge<'_, '_>, forward: Forward) -> Option<(Option<Site>, &'static str)> {
    let pool = judge.library.captures[forward.of.0].pool;
    let shares = |it: CaptureId| judge.library.captures[it.0].pool == pool;
    let last = |it: CaptureId| {
        let graph = judge.library.captures[it.0].graph?;
        judge.graph(graph)?.written
    };
    // Backwards are captured in reverse: those of earlier callables use what those of later ones have freed.
    let mut backwards = judge.notes.of::<Noted>().backwards.iter();
    let early =
        backwards.find(|it| it.of < forward.of && shares(it.of) && it.replays >= forward.number);
    if let Some(early) = early {
        let how = "this backward ran before, and uses what the other one still needs";
        return Some((Some(early.site), how));
    }
    if last(forward.of).is_some_and(|it| it > forward.number) {
        return Some((
            None,
            "the callable ran again before its backward, and keeps the values of its last run only",
        ));
    }
    let mut earlier = (0..forward.of.0).map(CaptureId).filter(|it| shares(*it));
    let is_late = earlier.any(|it| last(it).is_some_and(|it| it > forward.number));
    is_late.then_some((
        None,
        "a callable that was captured before this one ran after it, and has used its memory",
    ))
}

fn out_of_order(
    judge: &mut Judge<'_, '_>,
    of: CaptureId,
    site: Site,
    (other, how): (Option<Site>, &str),
) {
    let graphed = judge.library.captures[of.0].site;
    if !judge.notes.of_mut::<Noted>().told_callables.insert(graphed) {
        return;
    }
    let draft = Draft::new(&OUT_OF_ORDER, site, says::cg215::TITLE)
        .label(graphed, "the callables are graphed here");
    let draft = match other {
        Some(other) => draft.label(other, how),
        None => draft.note(how),
    };
    let draft = draft.note(says::cg215::ORDER).help(says::cg215::KEEP_ORDER);
    judge.report(draft);
}
