//! CG115: a generator that no graph knows of.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;
use crate::torch::Kind;
use crate::torch::state::object::Own;

/// PyTorch refuses to draw from it.
pub(crate) static NOT_REGISTERED: Rule = Rule::new("CG115", Confidence::Confirmed);

/// A generator is drawn from.
pub(super) fn used<'p>(judge: &mut Judge<'_, 'p>, generator: &Value<'p>, range: TextRange) {
    let (Some(id), Value::Object(generator)) = (judge.graph_capture(), generator) else {
        return;
    };
    let Some(Kind::Library(Own::Generator)) = judge.heap.object(*generator).map(|it| &it.kind)
    else {
        return;
    };
    let Some(graph) = judge.library.captures[id.0]
        .graph
        .and_then(|it| judge.graph(it))
    else {
        return;
    };
    if graph.generators.contains(&None) || graph.generators.contains(&Some(*generator)) {
        return;
    }
    let site = judge.at(range);
    let name = judge.name_of(*generator);
    let title = match &name {
        Some(name) => says::cg115::title(format!("`{name}`")),
        None => says::cg115::title("the generator"),
    };
    let name = name.as_deref().unwrap_or("generator");
    let draft = Draft::new(&NOT_REGISTERED, site, title)
        .note("a replay has to advance the state of each generator that it draws from")
        .help(says::cg115::register(name))
        .help(says::cg115::DEFAULT_GENERATOR)
        .repair(Repair::Register(judge.shown(id), site));
    judge.report(draft);
}
