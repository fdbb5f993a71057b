//! Replays of graphs, and what is copied for them.

use std::rc::Rc;

use super::Interp;
use super::state::event::Event;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;

/// A graph is replayed.
pub(super) fn replayed(interp: &mut Interp<'_>, cell: CellId, range: TextRange) {
    if !interp.flow.captures.is_empty() {
        return;
    }
    let site = interp.at(range);
    let loops = Rc::clone(&interp.loops.around);
    interp.library.replays += 1;
    let number = interp.library.replays;
    let launched = match interp.graph(cell) {
        Some(graph) if graph.one_of.is_empty() => graph.capture,
        _ => None,
    };
    let launched = launched.and_then(|capture| interp.launch(capture, site));
    let Some(graph) = interp.graph_mut(cell) else {
        return;
    };
    graph.written = Some(number);
    graph.launched = launched;
    let before = graph.replayed.replace(loops);
    let copies = std::mem::take(&mut graph.copies);
    let capture = graph.capture;
    interp.emit(Event::Replayed {
        graph: cell,
        before: before.as_deref(),
        copies,
        range,
    });
    let Some(id) = capture else { return };
    let waits = interp.host_waits();
    for (result, _) in interp.library.captures[id.0].results.clone() {
        if let Some(tensor) = interp.heap.tensor_mut(result) {
            tensor.arriving = Some((site, waits));
        }
    }
    let now = interp.heap.next().0;
    for (source, _) in interp.library.captures[id.0].sources.clone() {
        if let Some(tensor) = interp.heap.tensor_mut(source) {
            tensor.in_flight = Some((site, now));
        }
    }
}

/// Something is copied into a tensor.
pub(super) fn copied_in(interp: &mut Interp<'_>, tensor: CellId) {
    if !interp.flow.captures.is_empty() {
        return;
    }
    let root = interp.root(tensor);
    let graphs: Vec<_> = interp
        .library
        .captures
        .iter()
        .filter(|it| it.inputs.contains_key(&root))
        .filter_map(|it| it.graph)
        .collect();
    for graph in graphs {
        if let Some(graph) = interp.graph_mut(graph) {
            graph.copies += 1;
        }
    }
}
