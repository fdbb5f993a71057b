//! The ends of objects: what their finalizers do, and the graphs that go with them.

use std::rc::Rc;

use super::event::Event;
use super::object::{Kind, Mode};
use super::value::{CellId, Value};
use super::{Args, Interp, Reach};
use crate::syntax::ast::TextRange;

/// The field of an object with what is called at its end.
const AT_END: &str = "<at end>";

/// `graph.reset()`.
pub(crate) fn reset(interp: &mut Interp<'_>, graph: CellId, range: TextRange) {
    if is_refused(interp, graph) {
        report(interp, range);
    }
}

/// A name no longer refers to `values`, or a container no longer holds them.
pub(crate) fn let_go<'p>(interp: &mut Interp<'p>, values: &[Value<'p>], range: TextRange) {
    for value in values {
        if let Value::Object(object) = value
            && matters(interp, *object)
            && !interp.is_referred_to(*object, Reach::Possibly)
        {
            ends(interp, *object, range);
        }
    }
}

/// A function is left with this result: its names are gone.
pub(crate) fn left<'p>(interp: &mut Interp<'p>, result: &Value<'p>) {
    if interp.graph_capture().is_none() {
        return;
    }
    let graphs: Vec<_> = interp
        .local_objects()
        .into_iter()
        .filter(|it| is_refused(interp, *it))
        .collect();
    let Some(call) = interp.call_site().filter(|_| !graphs.is_empty()) else {
        return;
    };
    let reached = interp.reachable_after_return(result, Reach::Possibly);
    if graphs.iter().any(|it| !reached.contains(*it)) {
        interp.emit(Event::GraphDestroyed { site: call });
    }
}

/// `gc.collect()`: objects that refer to themselves end here.
pub(crate) fn collected(interp: &mut Interp<'_>, range: TextRange) {
    for object in std::mem::take(&mut interp.garbage) {
        if destroys_graph(interp, object) {
            report(interp, range);
        }
    }
}

/// Something is to be called when an object ends: `weakref.finalize`, or the callback of a `weakref.ref`.
pub(crate) fn called_at_end<'p>(interp: &mut Interp<'p>, value: &Value<'p>, call: Value<'p>) {
    if let Value::Object(object) = value
        && let Some(object) = interp.heap.object_mut(*object)
    {
        object.fields.insert(Rc::from(AT_END), call);
    }
}

/// Whether the end of an object does anything.
fn matters(interp: &Interp<'_>, cell: CellId) -> bool {
    let Some(object) = interp.heap.object(cell) else {
        return false;
    };
    match object.kind {
        Kind::Graph(_) => is_refused(interp, cell),
        Kind::Instance(_) if interp.has_method(cell, "__del__") => true,
        Kind::Instance(_) => object.fields.contains_key(AT_END) || holds_graph(interp, cell),
        _ => object.fields.contains_key(AT_END),
    }
}

/// Whether an object leads to a graph that was captured.
fn holds_graph(interp: &Interp<'_>, object: CellId) -> bool {
    let is_captured = |cell: CellId| interp.graph(cell).is_some_and(|it| it.capture.is_some());
    !interp.captures.is_empty() && interp.kept_by(object).into_iter().any(is_captured)
}

/// An object ends: what its finalizers do, and the graphs that it alone holds.
fn ends(interp: &mut Interp<'_>, cell: CellId, range: TextRange) {
    if is_refused(interp, cell) {
        report(interp, range);
        return;
    }
    if interp.kept_by(cell).contains(&cell) {
        interp.garbage.push(cell);
        return;
    }
    let at_end = interp
        .heap
        .object_mut(cell)
        .and_then(|it| it.fields.remove(AT_END));
    if let Some(call) = at_end {
        interp.call(&call, Args::default(), range);
    }
    if interp.has_method(cell, "__del__") {
        let delete = interp.attribute(&Value::Object(cell), "__del__", range);
        interp.call(&delete, Args::default(), range);
    }
    if destroys_graph(interp, cell) {
        report(interp, range);
    }
}

/// Whether a capture runs that refuses what the end of an object destroys.
fn destroys_graph(interp: &Interp<'_>, object: CellId) -> bool {
    if interp.graph_capture().is_none() {
        return false;
    }
    let kept = interp.kept_by(object).into_iter();
    let graphs: Vec<_> = kept.filter(|it| is_refused(interp, *it)).collect();
    !interp.unreferred(graphs).is_empty()
}

/// Whether a capture runs that refuses to let this graph, which was captured before, be destroyed.
fn is_refused(interp: &Interp<'_>, graph: CellId) -> bool {
    let Some(id) = interp.graph_capture() else {
        return false;
    };
    matches!(interp.captures[id.0].mode, Mode::Global | Mode::ThreadLocal)
        && interp.graph(graph).is_some_and(|graph| {
            let executable = graph.capture.is_some_and(|it| it < id) && !graph.awaits_instantiation;
            executable && !graph.reset && !graph.lost && graph.one_of.is_empty()
        })
}

fn report(interp: &mut Interp<'_>, range: TextRange) {
    let site = interp.at(range);
    interp.emit(Event::GraphDestroyed { site });
}
