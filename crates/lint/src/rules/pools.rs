//! CG303: the pools of graphs that run one after the other.

use rustc_hash::FxHashSet;

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::site::Site;
use crate::torch::state::capture::CaptureId;

/// Each graph has a pool of its own.
pub(crate) static POOL_PER_GRAPH: Rule = Rule::new("CG303", Confidence::Likely);

/// Bytes from which on a pool of its own is worth a word.
pub(super) const LARGE: i64 = 64 << 20;

/// For how many sizes a server captures graphs, where the program does not say.
pub(super) const MANY_GRAPHS: i64 = 64;

/// How many graphs are too few to be worth a pool for all, if it is not known that they are large.
const FEW: usize = 3;

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Where graphs are captured that threads or streams may run at once.
    at_once: FxHashSet<Site>,
}

/// A graph is one of several, each of which has a pool of its own.
pub(super) fn each_has_one(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let site = judge.library.captures[id.0].site;
    if judge.has_reported(&POOL_PER_GRAPH, site) || is_small(judge, id) {
        return;
    }
    // A pool from which nothing was asked holds nothing.
    let is_empty = !judge.library.captures[id.0].makes;
    let at_once = judge.notes.of::<Noted>().at_once.contains(&site);
    let draft = Draft::new(
        &POOL_PER_GRAPH,
        site,
        "each graph gets a memory pool of its own",
    )
    .possible_if(at_once || is_empty)
    .note("what one graph has free, the others cannot use")
    .help(says::cg303::SHARE)
    .help(says::cg303::ONE_AT_A_TIME)
    .repair(Repair::SharePool(judge.shown(id)));
    judge.report(draft);
}

/// Whether a graph certainly reads so little, weights included, that many like it do not add up to much.
fn is_small(judge: &Judge<'_, '_>, id: CaptureId) -> bool {
    let asked = judge.library.captures[id.0].bytes;
    let read = bytes_read(judge, id).and_then(|it| it.checked_add(asked));
    read.is_some_and(|it| it < LARGE / MANY_GRAPHS)
}

/// Whether so many graphs like this are too few to be worth a pool for all.
pub(super) fn are_few(judge: &Judge<'_, '_>, id: CaptureId, count: usize) -> bool {
    count < FEW || count == FEW && bytes_read(judge, id).is_none()
}

/// The bytes at most of what a graph reads, where all of it is known.
fn bytes_read(judge: &Judge<'_, '_>, id: CaptureId) -> Option<i64> {
    let capture = &judge.library.captures[id.0];
    let mut inputs = capture.inputs.keys().map(|it| judge.heap.tensor(*it));
    let read = inputs.try_fold(0_i64, |sum, it| sum.checked_add(it?.at_most?));
    read.filter(|_| !capture.opaque)
}

/// A graph is captured.
pub(super) fn captured(judge: &mut Judge<'_, '_>, id: CaptureId) {
    if judge.is_in_thread() {
        may_run_at_once(judge, id);
    }
}

/// A graph is replayed.
pub(super) fn replayed(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let has_own_stream = match judge.current_stream() {
        Value::Object(_) => !judge.is_on_default_stream(),
        // Nor is it known where nobody was seen to call the function.
        _ => !judge.is_from_nowhere(),
    };
    if has_own_stream || judge.is_in_thread() {
        may_run_at_once(judge, id);
    }
}

/// Notes that another graph may run meanwhile, on another thread or stream: then each needs a pool of its own.
fn may_run_at_once(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let site = judge.library.captures[id.0].site;
    if judge.notes.of_mut::<Noted>().at_once.insert(site) {
        judge.weaken(&POOL_PER_GRAPH, site);
    }
}
