//! CG115: a generator that no graph knows of.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::fixes::Repair;
use crate::interp::Interp;
use crate::interp::value::{Kind, Value};
use crate::syntax::ast::TextRange;

/// PyTorch refuses to draw from it.
pub(crate) static NOT_REGISTERED: Rule = Rule::new("CG115", Confidence::Confirmed);

/// A generator is drawn from.
pub(crate) fn used<'p>(interp: &mut Interp<'p>, generator: &Value<'p>, range: TextRange) {
    let (Some(id), Value::Object(generator)) = (interp.graph_capture(), generator) else {
        return;
    };
    let Some(Kind::Generator) = interp.heap.object(*generator).map(|it| &it.kind) else {
        return;
    };
    let Some(graph) = interp.captures[id.0].graph.and_then(|it| interp.graph(it)) else {
        return;
    };
    if graph.knows_others || graph.generators.contains(generator) {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &NOT_REGISTERED,
        site,
        "the generator is not registered with the graph",
    )
    .note("a replay has to advance the state of each generator that it draws from")
    .help("before the capture: `graph.register_generator_state(generator)`")
    .repair(Repair::Register(id, site));
    interp.report(draft);
}
