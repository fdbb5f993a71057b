//! CG211 and CG218: what a graph writes is kept, and the next replay writes it again.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};
use crate::torch::state::capture::{CaptureId, CaptureKind};
use crate::torch::state::tensor::Answer;
use crate::torch::{Cell, Interp, Kind, Object};

/// A static output is kept across replays.
pub(crate) static NOT_CLONED: Rule = Rule::new("CG211", Confidence::Likely);
/// A gradient is the graph's own buffer.
pub(crate) static GRADIENT_ALIASED: Rule = Rule::new("CG218", Confidence::Likely);

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// The same of what a turn of a loop gave to other threads, and how often the program had waited for something of theirs.
    handed: Vec<(CaptureId, LoopId, Site, u32)>,
    /// What turns of loops kept.
    kept: Vec<Kept>,
    /// Outputs of graphs of which was said that replays overwrite them.
    told_outputs: BTreeSet<CellId>,
    /// Gradients that a captured backward wrote.
    gradients: Vec<CellId>,
    /// How often the program waited for something that other threads do.
    meetings: u32,
}

/// An output that a turn of a loop kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    capture: CaptureId,
    /// The innermost loop.
    turns: LoopId,
    site: Site,
    container: CellId,
}

/// A container loses all that it holds: what earlier turns kept there is gone.
pub(super) fn emptied(judge: &mut Judge<'_, '_>, container: CellId) {
    let kept = &mut judge.notes.of_mut::<Noted>().kept;
    kept.retain(|it| it.container != container);
}

/// It loses an entry: what this turn kept there, if that is the last one, or if a loop takes out all there are.
pub(super) fn taken_out(judge: &mut Judge<'_, '_>, container: CellId, is_last: bool) {
    let innermost = judge.loops.around.last().copied();
    let kept = &mut judge.notes.of_mut::<Noted>().kept;
    kept.retain(|it| it.container != container || !is_last && innermost == Some(it.turns));
}

/// `list.append(value)`.
pub(super) fn appended<'p>(
    judge: &mut Judge<'_, 'p>,
    list: &Value<'p>,
    value: &Value<'p>,
    call: Option<&'p ast::ExprCall>,
    range: TextRange,
) {
    let kept = call.and_then(|call| call.arguments.args.last());
    keeps(judge, list, value, kept, range);
}

/// `container[index] = value`.
pub(super) fn stored<'p>(
    judge: &mut Judge<'_, 'p>,
    container: &Value<'p>,
    index: &Value<'p>,
    value: &Value<'p>,
    range: TextRange,
) {
    match container {
        Value::List(cell) if index.is_whole_slice() => emptied(judge, *cell),
        // At a place, or under a key, that stays the same, only the last is kept.
        Value::List(_) if index.as_integer().is_some() && index.varies().is_none() => {}
        Value::List(_) => keeps(judge, container, value, None, range),
        Value::Dict(cell)
            if index
                .varies()
                .is_some_and(|it| judge.loops.around.last() == Some(&it)) =>
        {
            keeps_each(judge, *cell, value, None, range);
        }
        _ => {}
    }
}

/// `[element for …]` has given a list; `inside` is the first loop that can be one of its own.
pub(super) fn collected<'p>(
    judge: &mut Judge<'_, 'p>,
    list: &Value<'p>,
    element: &'p Expr,
    inside: LoopId,
) {
    let Value::List(list) = list else { return };
    let Some(list) = judge.heap.list(*list) else {
        return;
    };
    let twice = |tensor: CellId| {
        let root = judge.root(tensor);
        let items = list.items.iter();
        let same =
            items.filter(|it| matches!(it, Value::Extension(other) if judge.root(*other) == root));
        same.count() > 1
    };
    let kept = list.items.iter().find_map(|item| match item {
        Value::Extension(tensor) if !list.exact || twice(*tensor) => Some(*tensor),
        _ => None,
    });
    let Some(tensor) = kept else { return };
    let Some(capture) = judge.heap.tensor(tensor).and_then(|it| it.captured) else {
        return;
    };
    let around = judge.loops.around.len();
    let replayed = replays(judge, capture)
        .is_some_and(|loops| loops.get(around).is_some_and(|it| *it >= inside));
    let is_one = !stands_for_several(judge, capture);
    if replayed && is_one && judge.capture() != Some(capture) {
        overwritten(judge, tensor, Some(element), element.range());
    }
}

/// Whether one graphed callable stands for as many as a loop has made, each of which gives a tensor of its own.
fn stands_for_several(state: &Interp<'_>, capture: CaptureId) -> bool {
    let capture = &state.library.captures[capture.0];
    capture.kind == CaptureKind::Callable && !state.loops.around.starts_with(&capture.loops)
}

/// `list += values`, of which `any` stands for each.
pub(super) fn extended<'p>(
    judge: &mut Judge<'_, 'p>,
    list: &Value<'p>,
    any: &Value<'p>,
    range: TextRange,
) {
    keeps(judge, list, any, None, range);
}

fn keeps<'p>(
    judge: &mut Judge<'_, 'p>,
    list: &Value<'p>,
    value: &Value<'p>,
    kept: Option<&'p Expr>,
    range: TextRange,
) {
    let Value::List(container) = list else {
        return;
    };
    let innermost = judge.loops.around.last();
    let before_loop = judge
        .heap
        .list(*container)
        .is_some_and(|list| innermost.is_some_and(|it| !list.loops.contains(it)));
    if before_loop {
        keeps_each(judge, *container, value, kept, range);
    }
}

/// Each turn of the innermost loop keeps this, or what it holds, beside that of the others.
fn keeps_each<'p>(
    judge: &mut Judge<'_, 'p>,
    container: CellId,
    value: &Value<'p>,
    kept: Option<&'p Expr>,
    range: TextRange,
) {
    match value {
        Value::Extension(tensor) => keeps_tensor(judge, container, *tensor, kept, range),
        Value::Object(_) if !kept.is_some_and(Expr::is_call_expr) => {}
        Value::Dict(_) if !kept.is_some_and(Expr::is_dict_expr) => {}
        held => {
            for tensor in tensors_in(judge, held) {
                keeps_tensor(judge, container, tensor, None, range);
            }
        }
    }
}

/// The tensors in a tuple, a dictionary or an object of the program.
fn tensors_in<'p>(state: &Interp<'p>, held: &Value<'p>) -> Vec<CellId> {
    let named = match held {
        Value::Dict(cell) => match state.heap.get(*cell) {
            Cell::Dict(items) => Some(items),
            _ => None,
        },
        Value::Object(cell) => state
            .heap
            .object(*cell)
            .filter(|it| matches!(it.kind, Kind::Instance(_)))
            .map(|it| &it.fields),
        other => return state.tensors_of(other),
    };
    let mut named: Vec<_> = named.into_iter().flatten().collect();
    named.sort_unstable_by_key(|it| it.0);
    let values = named.into_iter();
    values.flat_map(|it| state.tensors_of(it.1)).collect()
}

/// Something is given to other threads, by a queue or as a task. Unless the program waits for them, they come to it after
/// later replays.
pub(super) fn handed<'p>(
    judge: &mut Judge<'_, 'p>,
    by: CellId,
    value: &Value<'p>,
    range: TextRange,
) {
    let Some(innermost) = judge.loops.around.last().copied() else {
        return;
    };
    let is_older = |it: &Object<'p>| !it.loops.contains(&innermost);
    if !judge.heap.object(by).is_some_and(is_older) {
        return;
    }
    for tensor in tensors_in(judge, value) {
        let Some(capture) = judge.heap.tensor(tensor).and_then(|it| it.captured) else {
            continue;
        };
        let replayed = replays(judge, capture).is_some_and(|it| it.contains(&innermost));
        if judge.capture() == Some(capture) || !replayed {
            continue;
        }
        let this = (
            capture,
            innermost,
            judge.at(range),
            judge.notes.of::<Noted>().meetings,
        );
        if judge.notes.of::<Noted>().handed.contains(&this) {
            overwritten(judge, tensor, None, range);
        } else {
            judge.notes.of_mut::<Noted>().handed.push(this);
        }
    }
}

fn keeps_tensor<'p>(
    judge: &mut Judge<'_, 'p>,
    container: CellId,
    tensor: CellId,
    kept: Option<&'p Expr>,
    range: TextRange,
) {
    let Some(innermost) = judge.loops.around.last().copied() else {
        return;
    };
    let Some(capture) = judge.heap.tensor(tensor).and_then(|it| it.captured) else {
        return;
    };
    let replayed = replays(judge, capture).is_some_and(|it| it.contains(&innermost));
    if judge.capture() == Some(capture) || !replayed {
        return;
    }
    // Each turn may keep what another graph wrote.
    let this = Kept {
        capture,
        turns: innermost,
        site: judge.at(range),
        container,
    };
    if judge.notes.of::<Noted>().kept.contains(&this) {
        overwritten(judge, tensor, kept, range);
    } else {
        judge.notes.of_mut::<Noted>().kept.push(this);
    }
}

/// A tensor is kept that a replay writes again.
pub(super) fn overwritten<'p>(
    judge: &mut Judge<'_, 'p>,
    tensor: CellId,
    kept: Option<&'p Expr>,
    range: TextRange,
) {
    let site = judge.at(range);
    overwritten_at(judge, tensor, kept, site);
}

/// The same, of what was kept at a site.
fn overwritten_at<'p>(
    judge: &mut Judge<'_, 'p>,
    tensor: CellId,
    kept: Option<&'p Expr>,
    site: Site,
) {
    let is_held =
        |it: &&Expr| matches!(it, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_));
    let repair = kept
        .filter(is_held)
        .map(|kept| Repair::Clone(judge.at(kept.range())));
    let repair = repair.or_else(|| kept.is_none().then_some(Repair::CloneStored(site)));
    let draft = draft(
        judge,
        tensor,
        site,
        "an output of the graph is kept, and the next replay overwrites it",
        "a gradient is kept that the next replay overwrites",
    );
    judge.report(draft.repair(repair));
}

/// References to one output that were made after different replays are used together.
pub(super) fn used_late(
    judge: &mut Judge<'_, '_>,
    tensor: CellId,
    answer: Answer,
    range: TextRange,
) {
    let root = judge.root(tensor);
    if judge.notes.of::<Noted>().told_outputs.contains(&root) {
        return;
    }
    if answer.by_call {
        mixed(judge, tensor, answer.site, range);
    } else {
        overwritten_at(judge, tensor, None, answer.site);
    }
}

/// What a call gave is used beside what a later one gave: the later replay has overwritten it.
fn mixed(judge: &mut Judge<'_, '_>, tensor: CellId, given: Site, range: TextRange) {
    let site = judge.at(range);
    let draft = draft(
        judge,
        tensor,
        site,
        "an output of the graph is used after a later replay has overwritten it",
        "a gradient is used after a later replay has overwritten it",
    );
    judge.report(draft.label(given, "this gave it"));
}

/// What is said of an output, or of a gradient, that a replay writes again.
fn draft(
    judge: &mut Judge<'_, '_>,
    tensor: CellId,
    site: Site,
    of_output: &str,
    of_gradient: &str,
) -> Draft {
    let root = judge.root(tensor);
    judge.notes.of_mut::<Noted>().told_outputs.insert(root);
    let draft = if judge.notes.of::<Noted>().gradients.contains(&root) {
        Draft::new(&GRADIENT_ALIASED, site, of_gradient)
    } else {
        let made = judge.heap.tensor(root).map_or(site, |it| it.made);
        Draft::new(&NOT_CLONED, site, of_output).label(made, "the graph writes it here")
    };
    draft
        .note("each replay writes to the same memory")
        .help(says::cg211::clone("tensor"))
}

/// The loops around the last replay of a capture's graph.
fn replays(state: &Interp<'_>, capture: CaptureId) -> Option<Rc<[LoopId]>> {
    let graph = state.library.captures[capture.0].graph?;
    state.graph(graph)?.replayed.clone()
}

/// A captured backward pass wrote this gradient.
pub(super) fn gradient_made(judge: &mut Judge<'_, '_>, gradient: CellId) {
    judge.notes.of_mut::<Noted>().gradients.push(gradient);
}

/// The program waits for something that other threads do.
pub(super) fn met(judge: &mut Judge<'_, '_>) {
    judge.notes.of_mut::<Noted>().meetings += 1;
}
