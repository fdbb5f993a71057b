//! CG302 and CG306: memory that graphs hold.

use super::{Draft, Rule, pools, threads};
use crate::finding::Confidence;
use crate::interp::value::{CaptureId, CellId, Device, LoopId, Value};
use crate::interp::{Capture, Interp, Reach, Turns};
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// Each graph has inputs of its own.
pub(crate) static INPUTS_PER_GRAPH: Rule = Rule::new("CG302", Confidence::Likely);
/// Memory is not used again within the capture.
pub(crate) static RECORD_STREAM: Rule = Rule::new("CG306", Confidence::Likely);

/// Bytes of temporaries from which on a pool of its own is worth a word.
const LARGE: i64 = 64 << 20;

/// Bytes of the inputs of all graphs together from which on they are worth a word. PyTorch asks the driver for no less
/// at once (`kSmallBuffer` in `c10/core/AllocatorConfig.h`), and each graph's own nodes take more.
const INPUTS_OF_ALL: i64 = 2 << 20;

/// For how many sizes a server captures graphs, where a loop does not say.
const MANY_GRAPHS: i64 = 64;

/// `tensor.record_stream(stream)`.
pub(crate) fn recorded(interp: &mut Interp<'_>, tensor: CellId, range: TextRange) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    let root = interp.root(tensor);
    if interp
        .heap
        .tensor(root)
        .is_some_and(|it| it.captured == Some(id))
    {
        let site = interp.at(range);
        interp.notes.recorded.push((id, root, site));
    }
}

/// A name no longer refers to this.
pub(crate) fn let_go<'p>(interp: &mut Interp<'p>, value: &Value<'p>) {
    let (Some(id), Value::Tensor(cell)) = (interp.graph_capture(), value) else {
        return;
    };
    let root = interp.root(*cell);
    let mut recorded = interp.notes.recorded.iter();
    let found = recorded.find(|(of, it, _)| *of == id && *it == root);
    if let Some((_, _, site)) = found.copied() {
        interp.notes.released.insert(id, site);
    }
}

/// A name has a new value. What it was before may have been let go with that, and what a loop makes is made again in the
/// turns that are not followed.
pub(crate) fn rebound(interp: &mut Interp<'_>) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    let (Some(site), Some(innermost)) = (
        interp.notes.released.get(&id).copied(),
        interp.flow.loops.last().copied(),
    ) else {
        return;
    };
    let is_followed = matches!(interp.loop_lengths.get(&innermost), Some(Turns::Each(_)));
    let is_made_again = interp.notes.recorded.iter().any(|(of, tensor, at)| {
        let tensor = interp.heap.tensor(*tensor);
        *of == id && *at == site && tensor.is_some_and(|it| it.loops.contains(&innermost))
    });
    if !is_followed && is_made_again {
        allocated(interp);
    }
}

/// A function is left: its names are gone.
pub(crate) fn left<'p>(interp: &mut Interp<'p>, result: &Value<'p>) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    if !interp.notes.recorded.iter().any(|it| it.0 == id) {
        return;
    }
    let reached = interp.reachable_after_return(result, Reach::Possibly);
    let mut recorded = interp.notes.recorded.iter();
    let gone = recorded.find(|it| it.0 == id && !reached.contains(&it.1));
    if let Some((_, _, site)) = gone.copied() {
        interp.notes.released.insert(id, site);
    }
}

/// Memory is asked for.
pub(crate) fn allocated(interp: &mut Interp<'_>) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    let Some(site) = interp.notes.released.remove(&id) else {
        return;
    };
    let mut recorded = interp.notes.recorded.iter();
    let gone = recorded
        .any(|it| it.0 == id && it.2 == site && !interp.is_referred_to(it.1, Reach::Possibly));
    if !gone || reuses(interp, site) {
        return;
    }
    let draft = Draft::new(
        &RECORD_STREAM,
        site,
        "`record_stream` keeps this memory from being used again in the capture",
    )
    .note("inside a capture its event never completes, so the block waits for the capture's end")
    .help("join the streams before the tensor is let go, and leave `record_stream` out");
    interp.report(draft);
}

/// Whether the program sets PyTorch's allocator to use such memory again within a capture.
fn reuses(interp: &Interp<'_>, site: Site) -> bool {
    let source = interp.project.source(site.file);
    source.text.contains("graph_capture_record_stream_reuse")
}

/// A capture ends.
pub(crate) fn capture_ends(interp: &mut Interp<'_>, id: CaptureId) {
    threads::capture_ends(interp, id);
    let capture = &interp.captures[id.0];
    let Some(graph) = capture.graph else { return };
    let (site, bytes, pool_given) = (capture.site, capture.bytes, capture.pool_given);
    let in_loop = capture.loops.last().copied();
    let made_in_loop = in_loop.is_some_and(|it| {
        interp
            .heap
            .object(graph)
            .is_some_and(|graph| graph.loops.contains(&it))
    });
    let earlier = |wanted: &dyn Fn(&Capture<'_>) -> bool| -> Vec<CellId> {
        interp.captures[..id.0]
            .iter()
            .filter(|it| wanted(it))
            .filter_map(|it| it.graph)
            .filter(|it| *it != graph)
            .collect()
    };
    let is_short = in_loop.is_some_and(|it| interp.loop_lengths.get(&it) == Some(&Turns::Each(2)));
    let again = made_in_loop
        && !is_short
        && !is_perhaps_the_same(interp, id)
        && interp.is_one_collected(&earlier(&|it| it.site == site));
    let large = bytes >= LARGE
        && interp.is_one_referred_to(&earlier(&|it| it.bytes >= LARGE), Reach::Surely);
    if !pool_given && (again || large) {
        pools::each_has_one(interp, id);
    }
    if again {
        inputs_per_graph(interp, id);
    }
}

/// Whether a capture of a later turn runs only if something unknown says so, such as that there is no graph for a key yet.
fn is_perhaps_the_same(interp: &Interp<'_>, id: CaptureId) -> bool {
    let capture = &interp.captures[id.0];
    let mut earlier = interp.captures[..id.0].iter();
    earlier.any(|it| it.site == capture.site && it.doubt < capture.doubt)
}

/// A graph of a loop is one of several, and so is what it reads, if that is made in the loop.
pub(crate) fn inputs_per_graph(interp: &mut Interp<'_>, id: CaptureId) {
    let Some(innermost) = interp.captures[id.0].loops.last().copied() else {
        return;
    };
    let inputs: Vec<_> = interp.captures[id.0].inputs.keys().copied().collect();
    for input in inputs {
        let Some(tensor) = interp.heap.tensor(input) else {
            continue;
        };
        if tensor.device != Device::Cuda
            || tensor.captured.is_some()
            || !tensor.loops.contains(&innermost)
        {
            continue;
        }
        let (made, rank) = (tensor.made, tensor.rank);
        let together: Vec<_> = interp.captures[..=id.0]
            .iter()
            .flat_map(|it| it.inputs.keys().copied())
            .filter(|it| interp.heap.tensor(*it).is_some_and(|it| it.made == made))
            .collect();
        let bytes = bytes_of_all(interp, &together, innermost);
        if bytes.is_some_and(|it| it < INPUTS_OF_ALL) {
            continue;
        }
        let earlier: Vec<_> = together.into_iter().filter(|it| *it != input).collect();
        if !interp.is_one_referred_to(&earlier, Reach::Surely) {
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
        .help(
            "make them once, as large as the largest graph needs, and let each graph read a part",
        );
        interp.report(draft);
    }
}

/// The bytes at most of what one line makes for all graphs of a loop, where they are known. Of a loop that is followed
/// turn by turn, these are those made so far.
fn bytes_of_all(interp: &Interp<'_>, made: &[CellId], of: LoopId) -> Option<i64> {
    let at_most = |cell: &CellId| interp.heap.tensor(*cell)?.at_most;
    let one = |made: &[CellId]| at_most(made.first()?);
    match interp.loop_lengths.get(&of) {
        Some(Turns::Each(_)) => made
            .iter()
            .map(at_most)
            .try_fold(0, |sum: i64, it| sum.checked_add(it?)),
        Some(Turns::OneForAll(turns)) => one(made)?.checked_mul(i64::try_from(*turns).ok()?),
        None => one(made)?.checked_mul(MANY_GRAPHS),
    }
}
