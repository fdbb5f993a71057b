//! CG302 and CG306: memory that graphs hold.

use std::collections::BTreeMap;

use super::judge::Judge;
use super::pools::{self, LARGE, MANY_GRAPHS};
use super::{kept_back, threads};
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, LoopId, Value};
use crate::interp::{Reach, Turns};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::state::capture::{Capture, CaptureId};
use crate::torch::state::switches::Switch;
use crate::torch::state::tensor::Device;

/// Each graph has inputs of its own.
pub(crate) static INPUTS_PER_GRAPH: Rule = Rule::new("CG302", Confidence::Likely);
/// Memory is not used again within the capture.
pub(crate) static RECORD_STREAM: Rule = Rule::new("CG306", Confidence::Likely);

/// Bytes of the inputs of all graphs together from which on they are worth a word. PyTorch asks the driver for no less
/// at once (`kSmallBuffer` in `c10/core/AllocatorConfig.h`), and each graph's own nodes take more.
const INPUTS_OF_ALL: i64 = 2 << 20;

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Tensors that `record_stream` was called on in captures, and where.
    recorded: Vec<(CaptureId, CellId, Site)>,
    /// Where the first of these was released, by the capture.
    released: BTreeMap<CaptureId, Site>,
}

/// `tensor.record_stream(stream)`.
pub(super) fn recorded(judge: &mut Judge<'_, '_>, tensor: CellId, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let root = judge.root(tensor);
    if judge
        .heap
        .tensor(root)
        .is_some_and(|it| it.captured == Some(id))
    {
        let site = judge.at(range);
        judge
            .notes
            .of_mut::<Noted>()
            .recorded
            .push((id, root, site));
    }
}

/// A name no longer refers to this.
pub(super) fn let_go<'p>(judge: &mut Judge<'_, 'p>, value: &Value<'p>) {
    let (Some(id), Value::Extension(cell)) = (judge.graph_capture(), value) else {
        return;
    };
    let root = judge.root(*cell);
    let mut recorded = judge.notes.of::<Noted>().recorded.iter();
    let found = recorded.find(|(of, it, _)| *of == id && *it == root);
    if let Some((_, _, site)) = found.copied() {
        judge.notes.of_mut::<Noted>().released.insert(id, site);
    }
}

/// A name has a new value. What it was before may have been released with that, and what a loop makes is made again in the
/// turns that are not followed.
pub(super) fn rebound(judge: &mut Judge<'_, '_>) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let (Some(site), Some(innermost)) = (
        judge.notes.of::<Noted>().released.get(&id).copied(),
        judge.loops.around.last().copied(),
    ) else {
        return;
    };
    let is_followed = matches!(judge.turns_in(innermost), Some(Turns::Each(_)));
    let is_made_again = judge
        .notes
        .of::<Noted>()
        .recorded
        .iter()
        .any(|(of, tensor, at)| {
            let tensor = judge.heap.tensor(*tensor);
            *of == id && *at == site && tensor.is_some_and(|it| it.loops.contains(&innermost))
        });
    if !is_followed && is_made_again {
        allocated(judge);
    }
}

/// A function is left: its names are gone.
pub(super) fn left<'p>(judge: &mut Judge<'_, 'p>, result: &Value<'p>) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    if !judge
        .notes
        .of::<Noted>()
        .recorded
        .iter()
        .any(|it| it.0 == id)
    {
        return;
    }
    let reached = judge.reachable_after_return(result, Reach::Possibly);
    let mut recorded = judge.notes.of::<Noted>().recorded.iter();
    let gone = recorded.find(|it| it.0 == id && !reached.contains(it.1));
    if let Some((_, _, site)) = gone.copied() {
        judge.notes.of_mut::<Noted>().released.insert(id, site);
    }
}

/// Memory is asked for.
pub(super) fn allocated(judge: &mut Judge<'_, '_>) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let Some(site) = judge.notes.of_mut::<Noted>().released.remove(&id) else {
        return;
    };
    let mut recorded = judge.notes.of::<Noted>().recorded.iter();
    let gone = recorded
        .any(|it| it.0 == id && it.2 == site && !judge.is_referred_to(it.1, Reach::Possibly));
    if !gone || judge.may_have_switched(Switch::RecordedBlocks) {
        return;
    }
    let draft = Draft::new(&RECORD_STREAM, site, says::cg306::TITLE)
        .note(
            "inside a capture its event never completes, so the block waits for the capture's end",
        )
        .help(says::cg306::KEEP)
        .help(says::cg306::REUSE);
    judge.report(draft);
}

/// A capture ends.
pub(super) fn capture_ends(judge: &mut Judge<'_, '_>, id: CaptureId) {
    threads::capture_ends(judge, id);
    pools::captured(judge, id);
    kept_back::capture_ends(judge, id);
    let capture = &judge.library.captures[id.0];
    let Some(graph) = capture.graph else { return };
    let (site, bytes, pool_given) = (capture.site, capture.bytes, capture.pool_given);
    let in_loop = capture.loops.last().copied();
    let made_in_loop = in_loop.is_some_and(|it| {
        judge
            .heap
            .object(graph)
            .is_some_and(|graph| graph.loops.contains(&it))
    });
    let earlier = |wanted: &dyn Fn(&Capture<'_>) -> bool| -> Vec<CellId> {
        judge.library.captures[..id.0]
            .iter()
            .filter(|it| wanted(it))
            .filter_map(|it| it.graph)
            .filter(|it| *it != graph)
            .collect()
    };
    let turns = in_loop.and_then(|it| judge.turns_in(it));
    let are_few = turns.is_some_and(|it| pools::are_few(judge, id, it.count()));
    let again = made_in_loop
        && !are_few
        && !is_perhaps_the_same(judge, id)
        && judge.is_one_collected(&earlier(&|it| it.site == site));
    let large = bytes >= LARGE
        && judge.is_one_referred_to(&earlier(&|it| it.bytes >= LARGE), Reach::Surely);
    if !pool_given && (again || large) {
        pools::each_has_one(judge, id);
    }
    if again {
        inputs_per_graph(judge, id);
    }
}

/// Whether a capture of a later turn runs only if something unknown says so, such as that there is no graph for a key yet.
fn is_perhaps_the_same(state: &Interp<'_>, id: CaptureId) -> bool {
    let capture = &state.library.captures[id.0];
    let mut earlier = state.library.captures[..id.0].iter();
    earlier.any(|it| it.site == capture.site && it.doubt < capture.doubt)
}

/// A graph of a loop is one of several, and so is what it reads, if that is made in the loop.
pub(super) fn inputs_per_graph(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let Some(innermost) = judge.library.captures[id.0].loops.last().copied() else {
        return;
    };
    let inputs: Vec<_> = judge.library.captures[id.0]
        .inputs
        .keys()
        .copied()
        .collect();
    for input in inputs {
        let Some(tensor) = judge.heap.tensor(input) else {
            continue;
        };
        if tensor.device != Device::Cuda
            || tensor.captured.is_some()
            || !tensor.loops.contains(&innermost)
        {
            continue;
        }
        let (made, rank) = (tensor.made, tensor.rank);
        let together: Vec<_> = judge.library.captures[..=id.0]
            .iter()
            .flat_map(|it| it.inputs.keys().copied())
            .filter(|it| judge.heap.tensor(*it).is_some_and(|it| it.made == made))
            .collect();
        let bytes = bytes_of_all(judge, &together, innermost);
        if bytes.is_some_and(|it| it < INPUTS_OF_ALL) {
            continue;
        }
        let earlier: Vec<_> = together.into_iter().filter(|it| *it != input).collect();
        if !judge.is_one_referred_to(&earlier, Reach::Surely) {
            continue;
        }
        let draft = Draft::new(
            &INPUTS_PER_GRAPH,
            made,
            "each graph gets static inputs of its own",
        )
        // A number for each sequence or token does not add up to much.
        .possible_if(bytes.is_none() && rank.is_none_or(|it| it < 2))
        .note("what a graph reads stays allocated as long as the graph is replayed")
        .help(says::cg302::SLICE);
        judge.report(draft);
    }
}

/// The bytes at most of what one line makes for all graphs of a loop, where they are known. Of a loop that is followed
/// turn by turn, these are those made so far.
fn bytes_of_all(state: &Interp<'_>, made: &[CellId], of: LoopId) -> Option<i64> {
    let at_most = |cell: &CellId| state.heap.tensor(*cell)?.at_most;
    let one = |made: &[CellId]| at_most(made.first()?);
    match state.turns_in(of) {
        Some(Turns::Each(_)) => made
            .iter()
            .map(at_most)
            .try_fold(0, |sum: i64, it| sum.checked_add(it?)),
        Some(Turns::OneForAll(turns)) => one(made)?.checked_mul(i64::try_from(turns).ok()?),
        None => one(made)?.checked_mul(MANY_GRAPHS),
    }
}
