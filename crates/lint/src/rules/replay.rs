//! Replays: what they mean to the other rules, and CG504.

use std::rc::Rc;

use super::{Draft, Rule, control_flow, held_numbers, host_numbers, inputs};
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;

/// Copies before each replay cost more launches than the graph saves.
pub(crate) static COPIES_DOMINATE: Rule = Rule::new("CG504", Confidence::Likely);

/// Copies below which nothing is said.
const FEW: u32 = 3;

/// `graph.replay()`.
pub(crate) fn replays(interp: &mut Interp<'_>, cell: CellId, range: TextRange) {
    if !interp.flow.captures.is_empty() {
        return;
    }
    inputs::replays(interp, cell);
    let site = interp.at(range);
    let loops = Rc::clone(&interp.flow.loops);
    interp.replays += 1;
    let number = interp.replays;
    let Some(graph) = interp.graph_mut(cell) else {
        return;
    };
    graph.written = Some(number);
    let innermost = loops.last().copied();
    let before = graph.replayed.replace(loops);
    let copies = std::mem::take(&mut graph.copies);
    let Some(id) = graph.capture else { return };
    control_flow::replays(interp, id);
    held_numbers::replays(interp, cell, id);
    host_numbers::replays(interp, id);
    let now = interp.heap.next().0;
    for (source, _) in interp.captures[id.0].sources.clone() {
        if let Some(tensor) = interp.heap.tensor_mut(source) {
            tensor.in_flight = Some((site, now));
        }
    }
    let capture = &interp.captures[id.0];
    if copies < FEW || capture.opaque || copies < capture.operations {
        return;
    }
    // What was copied before the loop's first replay may have been copied before the loop.
    let again = innermost.is_some_and(|it| before.is_some_and(|loops| loops.contains(&it)));
    // What others call, they call again.
    let is_called_again = interp.from_nowhere && !interp.frame_graphs().contains(&id);
    if !again && !is_called_again {
        return;
    }
    let title = format!(
        "{copies} copies before a replay of {} operations",
        capture.operations
    );
    let draft = Draft::new(&COPIES_DOMINATE, site, title)
        .note("each copy is a launch of its own")
        .help("let the graph read the tensors where they are made, or copy all in one launch: `torch._foreach_copy_`");
    interp.report(draft);
}

/// Something is copied into a tensor.
pub(crate) fn copied_in(interp: &mut Interp<'_>, tensor: CellId) {
    if !interp.flow.captures.is_empty() {
        return;
    }
    let root = interp.root(tensor);
    let graphs: Vec<_> = interp
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
