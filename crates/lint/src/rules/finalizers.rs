//! CG124: a graph is destroyed while another one is captured.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::value::{CellId, Mode, Value};
use crate::syntax::ast::TextRange;

/// An executable graph is destroyed, which the capture refuses.
pub(crate) static DESTROYED: Rule = Rule::new("CG124", Confidence::Likely);

/// `graph.reset()`.
pub(crate) fn reset(interp: &mut Interp<'_>, graph: CellId, range: TextRange) {
    if is_refused(interp, graph) {
        report(interp, range);
    }
}

/// A name no longer refers to `values`, or a container no longer holds them.
pub(crate) fn let_go<'p>(interp: &mut Interp<'p>, values: &[Value<'p>], range: TextRange) {
    let gone = values.iter().any(|value| {
        matches!(value, Value::Object(graph)
            if is_refused(interp, *graph) && !interp.is_referred_to(*graph))
    });
    if gone {
        report(interp, range);
    }
}

/// Whether a capture runs that refuses to let this graph, which was captured before, be destroyed.
fn is_refused(interp: &Interp<'_>, graph: CellId) -> bool {
    let Some(id) = interp.graph_capture() else {
        return false;
    };
    matches!(interp.captures[id.0].mode, Mode::Global | Mode::ThreadLocal)
        && interp.graph(graph).is_some_and(|graph| {
            let executable = graph.capture.is_some() && !graph.awaits_instantiation;
            executable && !graph.reset && !graph.lost && graph.one_of.is_empty()
        })
}

fn report(interp: &mut Interp<'_>, range: TextRange) {
    let site = interp.at(range);
    let draft = Draft::new(
        &DESTROYED,
        site,
        "a graph is destroyed while another one is captured",
    )
    .note("it may have to wait for its work, which a thread that captures is refused")
    .help("let it go before the capture, or after it");
    interp.report(draft);
}
