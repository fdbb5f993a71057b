//! CG203 and CG209: the graph reads memory that the program has released.

use super::judge::Judge;
use super::{copies, host_numbers, kept_back, memory, pinned_sources};
use crate::draft::{Draft, Repair, Report, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Value};
use crate::interp::{Reach, Reached};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::{CaptureId, CaptureKind};
use crate::torch::state::tensor::Device;
use crate::torch::{Cell, Interp};

/// A name that the captured code read refers to another tensor now.
pub(crate) static REBOUND: Rule = Rule::new("CG203", Confidence::Likely);
/// Nothing refers to a tensor that the graph reads.
pub(crate) static FREED: Rule = Rule::new("CG209", Confidence::Likely);

pub(super) const SAME_MEMORY: &str =
    "a graph keeps addresses, and each replay reads the same memory";

/// An input of a graph that a name no longer refers to.
#[derive(Clone, Copy, Debug)]
struct LetGo {
    capture: CaptureId,
    tensor: CellId,
    at: Site,
    how: Gone,
    /// How many unknown conditions led there.
    doubt: u32,
}

/// How a name came to refer to an input no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// It refers to another tensor.
    Rebound,
    /// It refers to another container, which has others in it.
    Refilled,
    /// It refers to nothing.
    Deleted,
}

/// How many elements of a container are looked at.
const MOST_ELEMENTS: usize = 64;

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Inputs of graphs that names no longer refer to.
    let_go: Vec<LetGo>,
    /// What is to be said of captures whose inputs were freed with the function that captured.
    freed: Vec<(CaptureId, Report)>,
}

/// A name gets a new value.
pub(super) fn rebound<'p>(
    judge: &mut Judge<'_, 'p>,
    old: Option<&Value<'p>>,
    new: &Value<'p>,
    range: TextRange,
) {
    match (old, new) {
        (Some(Value::Extension(old)), Value::Extension(new)) if !judge.may_share(*old, *new) => {
            memory::let_go(judge, &Value::Extension(*old));
            let_go(judge, *old, Gone::Rebound, range);
        }
        (Some(Value::Extension(old)), Value::None) => let_go(judge, *old, Gone::Deleted, range),
        (Some(old), Value::List(_) | Value::Dict(_) | Value::Object(_) | Value::None)
            if !judge.library.captures.is_empty() && !old.same(new) =>
        {
            let how = match new {
                Value::None => Gone::Deleted,
                _ => Gone::Refilled,
            };
            for tensor in elements(judge, old) {
                let_go(judge, tensor, how, range);
            }
        }
        _ => {}
    }
}

/// The tensors in a container.
fn elements<'p>(state: &Interp<'p>, container: &Value<'p>) -> Vec<CellId> {
    let cell = match container {
        Value::List(cell) | Value::Dict(cell) | Value::Object(cell) => *cell,
        _ => return Vec::new(),
    };
    let tensor = |value: &Value<'p>| match value {
        Value::Extension(cell) => Some(*cell),
        _ => None,
    };
    let mut found: Vec<CellId> = match state.heap.get(cell) {
        Cell::List(list) => list.items.iter().filter_map(tensor).collect(),
        Cell::Dict(items) => items.values().filter_map(tensor).collect(),
        Cell::Object(object) => object.fields.values().filter_map(tensor).collect(),
        _ => Vec::new(),
    };
    found.sort();
    found.truncate(MOST_ELEMENTS);
    found
}

/// A name is deleted, or an entry.
pub(super) fn deleted<'p>(judge: &mut Judge<'_, 'p>, old: &Value<'p>, range: TextRange) {
    if let Value::Extension(old) = old {
        let_go(judge, *old, Gone::Deleted, range);
    }
}

/// Notes that something refers to an input of graphs no longer.
pub(super) fn let_go(judge: &mut Judge<'_, '_>, tensor: CellId, how: Gone, range: TextRange) {
    if !judge.flow.captures.is_empty() {
        kept_back::let_go(judge, tensor, range);
        return;
    }
    let root = judge.root(tensor);
    let Some(found) = judge.heap.tensor(root) else {
        return;
    };
    if found.escaped || found.device != Device::Cuda || found.captured.is_some() {
        return;
    }
    let (at, doubt) = (judge.at(range), judge.doubt());
    // Whose graph was reset is not replayed before it is captured again.
    let is_reset = |id: CaptureId| {
        let graph = judge.library.captures[id.0].graph;
        graph.is_some_and(|graph| judge.graph(graph).is_some_and(|it| it.reset))
    };
    let of: Vec<_> = (0..judge.library.captures.len())
        .map(CaptureId)
        .filter(|id| judge.library.captures[id.0].inputs.contains_key(&root) && !is_reset(*id))
        .collect();
    judge
        .notes
        .of_mut::<Noted>()
        .let_go
        .extend(of.into_iter().map(|capture| LetGo {
            capture,
            tensor: root,
            at,
            how,
            doubt,
        }));
}

/// Whether the program was seen to release an input of a capture.
pub(super) fn is_let_go(judge: &Judge<'_, '_>, capture: CaptureId, tensor: CellId) -> bool {
    let mut let_go = judge.notes.of::<Noted>().let_go.iter();
    let_go.any(|it| it.capture == capture && it.tensor == tensor)
}

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, capture: CaptureId) {
    let freed = std::mem::take(&mut judge.notes.of_mut::<Noted>().freed).into_iter();
    let (now, later): (Vec<_>, _) = freed.partition(|it| it.0 == capture);
    judge.notes.of_mut::<Noted>().freed = later;
    for (_, report) in now {
        judge.add(report);
    }
    let gone: Vec<LetGo> = judge
        .notes
        .of::<Noted>()
        .let_go
        .iter()
        .copied()
        .filter(|it| it.capture == capture)
        .collect();
    for gone in gone {
        if judge.is_referred_to(gone.tensor, Reach::Possibly) {
            continue;
        }
        let read = judge.library.captures[capture.0]
            .inputs
            .get(&gone.tensor)
            .copied();
        let draft = draft(judge, gone);
        let draft = draft.possible_if(gone.doubt > judge.doubt());
        let draft = match read {
            Some(read) => draft.label(read, "the graph reads it here"),
            None => draft,
        };
        judge.report(draft);
    }
}

/// What is to be said of an input that is released.
fn draft(state: &Interp<'_>, gone: LetGo) -> Draft {
    let before = match gone.how {
        Gone::Rebound => "was before",
        Gone::Refilled => "had in it before",
        Gone::Deleted => {
            let title = "the graph still reads the tensor that is released here";
            return Draft::new(&FREED, gone.at, title)
                .note(says::cg209::ADDRESSES)
                .help(says::cg209::keep("the tensor"))
                .repair(Repair::Keep(gone.at));
        }
    };
    let name = state.project.source(gone.at.file).slice(gone.at.range);
    let name = is_short(name).then_some(name);
    let shown = name.map_or_else(|| "this".to_owned(), |name| format!("`{name}`"));
    let title = format!("the graph still reads the tensor that {shown} {before}");
    let written = name.filter(|_| gone.how == Gone::Rebound);
    let tensor = state.heap.tensor(gone.tensor);
    let made = tensor.filter(|it| !it.requires_grad).map(|it| it.made);
    let made = made.filter(|_| gone.how == Gone::Rebound);
    Draft::new(&REBOUND, gone.at, title)
        .help(says::cg203::write_into(written.unwrap_or("tensor")))
        .note(SAME_MEMORY)
        .repair(made.map(|made| Repair::Refill(gone.at, made)))
}

/// Whether the target of an assignment is a name that can be shown in a sentence.
fn is_short(target: &str) -> bool {
    const LONGEST: usize = 40;
    target.len() <= LONGEST && !target.contains(['\n', ',', '('])
}

/// A function is left: what it alone referred to is freed.
pub(super) fn left<'p>(judge: &mut Judge<'_, 'p>, result: &Value<'p>) {
    memory::left(judge, result);
    if !judge.flow.captures.is_empty() {
        return;
    }
    let depth = judge.depth();
    let graphs = judge.frame_graphs();
    if graphs.is_empty() {
        return;
    }
    let kept = judge.reachable_after_return(result, Reach::Surely);
    let is_kept = |id: &CaptureId| {
        let capture = &judge.library.captures[id.0];
        let graph = capture.graph.filter(|_| capture.kind == CaptureKind::Graph);
        graph.is_some_and(|graph| kept.contains(graph))
    };
    let graphs: Vec<CaptureId> = graphs.into_iter().filter(is_kept).collect();
    if graphs.is_empty() {
        return;
    }
    let reached = judge.reachable_after_return(result, Reach::Possibly);
    for id in graphs {
        let capture = &judge.library.captures[id.0];
        let inputs = capture.inputs.clone();
        sources_left(judge, id, &reached, depth);
        for (tensor, read) in inputs {
            if !judge.may_be_among(&reached, tensor) {
                input_left(judge, id, (tensor, read));
            }
        }
    }
}

/// Nothing refers to an input of a graph once the function is left.
fn input_left(judge: &mut Judge<'_, '_>, capture: CaptureId, (tensor, read): (CellId, Site)) {
    let Some(found) = judge.heap.tensor(tensor) else {
        return;
    };
    if found.device != Device::Cuda || found.captured.is_some() {
        return;
    }
    if found.requires_grad || found.escaped || found.depth < judge.depth() {
        return;
    }
    let made = found.made;
    let title = match judge.name_of(tensor) {
        Some(name) => {
            format!("the graph reads `{name}`, which is freed when the function returns")
        }
        None => "the graph reads a tensor that is freed when the function returns".to_owned(),
    };
    let draft = Draft::new(&FREED, read, title)
        .label(made, "it was made here, and nothing keeps it")
        .note(says::cg209::ADDRESSES)
        .help(says::cg209::keep("the tensor"))
        .repair(Repair::KeepBeside(judge.shown(capture), made));
    freed(judge, capture, draft);
}

/// An input is freed with the function that captured. A function that has replayed the graph itself may be done with it: then
/// what counts is whether it is replayed again.
fn freed(judge: &mut Judge<'_, '_>, capture: CaptureId, draft: Draft) {
    let graph = judge.library.captures[capture.0].graph;
    let graph = graph.and_then(|it| judge.graph(it));
    if graph.is_none_or(|it| it.replayed.is_none()) {
        judge.report(draft);
    } else if let Some(report) = judge.report_of(draft) {
        judge.notes.of_mut::<Noted>().freed.push((capture, report));
    }
}

/// The pinned sources of a graph's copies that only the function which is left referred to.
fn sources_left(judge: &mut Judge<'_, '_>, capture: CaptureId, reached: &Reached, depth: usize) {
    for (source, site) in judge.library.captures[capture.0].sources.clone() {
        let is_own = judge.heap.tensor(source).is_some_and(|found| {
            found.depth >= depth && !found.escaped && found.captured.is_none()
        });
        if is_own && !judge.may_be_among(reached, source) {
            copies::source_left(judge, source, site);
        }
    }
}

/// A tensor is written in place.
pub(super) fn written<'p>(judge: &mut Judge<'_, 'p>, target: &Value<'p>, range: TextRange) {
    host_numbers::written(judge, target);
    pinned_sources::written(judge, target, range);
}
