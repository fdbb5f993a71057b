//! CG213 and CG505: hooks of graphed callables.

use super::judge::Judge;
use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Code, Value};
use crate::site::Site;
use crate::syntax::ast::{Expr, TextRange, Visitor, walk_expr};
use crate::torch::module_tree::TRAINING;
use crate::torch::state::modules::PART;
use crate::torch::state::object::Own;
use crate::torch::{Interp, Kind};

/// A hook inside a graphed callable never runs.
pub(crate) static SKIPPED: Rule = Rule::new("CG213", Confidence::Confirmed);
/// Hooks of gradients run only after the whole graphed backward.
pub(crate) static DEFERRED: Rule = Rule::new("CG505", Confidence::Likely);

/// Functions of `torch.distributed` in which all processes take part.
const COLLECTIVES: [&str; 8] = [
    "all_gather",
    "all_gather_into_tensor",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "reduce_scatter",
    "reduce_scatter_tensor",
];

/// A hook is registered on something of a graphed callable.
pub(super) fn registered(
    judge: &mut Judge<'_, '_>,
    object: CellId,
    graphed: Site,
    range: TextRange,
) {
    if !is_skipped(judge, object) {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &SKIPPED,
        site,
        "the graph skips hooks of the modules inside it",
    )
    .label(graphed, "it was graphed here")
    .note("a replay repeats kernels, and runs no Python")
    .help("do the hook's work in `forward`, or hook the graphed module itself");
    judge.report(draft);
}

/// Whether replays skip the hooks of an object: it is a part of something graphed, and that is in the mode of its graphs.
fn is_skipped(state: &Interp<'_>, object: CellId) -> bool {
    let field = |cell, name| state.heap.object(cell)?.fields.get(name);
    let mut whole = object;
    while let Some(Value::Object(around)) = field(whole, PART) {
        whole = *around;
    }
    let is_evaluated = matches!(field(whole, TRAINING), Some(Value::Bool(Some(false))));
    whole != object && !is_evaluated
}

/// A hook is registered on a tensor, which may be a parameter of a graphed callable. What matters is when it communicates.
pub(super) fn on_tensor<'p>(
    judge: &mut Judge<'_, 'p>,
    tensor: CellId,
    callback: Option<&Value<'p>>,
    range: TextRange,
) {
    let Some((_, graphed)) = judge
        .notes
        .graphed_parameters
        .iter()
        .find(|(it, _)| *it == tensor)
        .copied()
    else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(
        &DEFERRED,
        site,
        "this hook runs only after the whole graphed backward",
    )
    .possible_if(!callback.is_some_and(|it| communicates(judge, it)))
    .label(graphed, "it was graphed here")
    .note("a graphed backward is one launch: all its gradients are there only when it has ended")
    .help("graph smaller parts, so that communication can begin earlier");
    judge.report(draft);
}

/// A module is wrapped in `DistributedDataParallel`, which exchanges gradients as soon as they are there.
pub(super) fn distributed<'p>(judge: &mut Judge<'_, 'p>, module: &Value<'p>, range: TextRange) {
    let Value::Object(cell) = module else { return };
    let Some(Kind::Library(Own::Graphed(function, graphed))) =
        judge.heap.object(*cell).map(|it| &it.kind)
    else {
        return;
    };
    let (graphed, has_parts) = (
        *graphed,
        judge.parts_of_modules(function).is_some_and(|it| it > 1),
    );
    if !has_parts {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &DEFERRED,
        site,
        "the gradients of this module are all exchanged after its whole graphed backward",
    )
    .label(graphed, "it was graphed here, as one callable")
    .note("a graphed backward is one launch: all its gradients are there only when it has ended")
    .help("graph smaller parts, so that communication can begin earlier");
    judge.report(draft);
}

/// Something stands for the parameters of what was graphed at this site.
pub(super) fn parameter_graphed(judge: &mut Judge<'_, '_>, parameter: CellId, graphed: Site) {
    judge.notes.graphed_parameters.push((parameter, graphed));
}

/// Whether a function of the program is known to exchange something with other processes.
fn communicates(state: &Interp<'_>, callback: &Value<'_>) -> bool {
    let function = match callback {
        Value::Method(it) => return communicates(state, &it.1),
        Value::Function(function) => function,
        _ => return false,
    };
    let mut calls = Collectives {
        state,
        scope: function.scope,
        found: false,
    };
    match function.code {
        Code::Def(def) => calls.visit_body(&def.body),
        Code::Lambda(body, ..) => calls.visit_expr(body),
    }
    calls.found
}

/// Whether code calls a collective.
struct Collectives<'s, 'p> {
    state: &'s Interp<'p>,
    /// The scope around the code.
    scope: CellId,
    found: bool,
}

impl<'a> Visitor<'a> for Collectives<'_, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.state.spend_many(1);
            let full = self.state.peek_external_from(self.scope, &call.func);
            let name = full
                .as_deref()
                .and_then(|it| it.strip_prefix("torch.distributed."));
            self.found |= name.is_some_and(|it| COLLECTIVES.contains(&it));
        }
        walk_expr(self, expression);
    }
}
