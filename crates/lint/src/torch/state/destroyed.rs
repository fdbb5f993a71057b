//! Graphs that are destroyed while a capture runs, by themselves or with the objects that hold them.

use super::event::Event;
use super::object::{Mode, Own};
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;
use crate::torch::{Interp, Kind};

/// `graph.reset()`.
pub(crate) fn reset(interp: &mut Interp<'_>, graph: CellId, range: TextRange) {
    if is_refused(interp, graph) {
        report(interp, range);
    }
}

/// Whether the end of an object does something to graphs.
pub(crate) fn matters(interp: &Interp<'_>, cell: CellId) -> bool {
    match interp.heap.object(cell).map(|it| &it.kind) {
        Some(Kind::Library(Own::Graph(_))) => is_refused(interp, cell),
        Some(Kind::Instance(_)) => holds_graph(interp, cell),
        _ => false,
    }
}

/// An object is about to end: whether it is a graph that the capture refuses to release.
pub(crate) fn ends(interp: &mut Interp<'_>, cell: CellId, range: TextRange) -> bool {
    let refused = is_refused(interp, cell);
    if refused {
        report(interp, range);
    }
    refused
}

/// An object has ended, and with it the graphs that it alone held.
pub(crate) fn ended(interp: &mut Interp<'_>, object: CellId, range: TextRange) {
    if destroys_graph(interp, object) {
        report(interp, range);
    }
}

/// Whether an object leads to a graph that was captured.
fn holds_graph(interp: &Interp<'_>, object: CellId) -> bool {
    let is_captured = |cell: CellId| interp.graph(cell).is_some_and(|it| it.capture.is_some());
    !interp.library.captures.is_empty() && interp.kept_by(object).iter().any(is_captured)
}

/// Whether a capture runs that refuses what the end of an object destroys.
fn destroys_graph(interp: &Interp<'_>, object: CellId) -> bool {
    if interp.graph_capture().is_none() {
        return false;
    }
    let kept = interp.kept_by(object);
    let graphs: Vec<_> = kept.iter().filter(|it| is_refused(interp, *it)).collect();
    !interp.unreferred(graphs).is_empty()
}

/// Whether a capture runs that refuses to let this graph, which was captured before, be destroyed.
fn is_refused(interp: &Interp<'_>, graph: CellId) -> bool {
    let Some(id) = interp.graph_capture() else {
        return false;
    };
    matches!(
        interp.library.captures[id.0].mode,
        Mode::Global | Mode::ThreadLocal
    ) && interp.graph(graph).is_some_and(|graph| {
        let executable = graph.capture.is_some_and(|it| it < id) && !graph.awaits_instantiation;
        executable && !graph.reset && !graph.lost && graph.one_of.is_empty()
    })
}

fn report(interp: &mut Interp<'_>, range: TextRange) {
    let site = interp.at(range);
    interp.emit(Event::GraphDestroyed { site });
}
