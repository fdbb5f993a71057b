//! CG134: what `make_graphed_callables`, or what it gave, refuses.

use rustc_hash::FxHashSet;

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::CaptureId;
use crate::torch::{Interp, Kind, module_tree};

/// Refused by PyTorch.
pub(crate) static REFUSED: Rule = Rule::new("CG134", Confidence::Confirmed);

/// A callable that was graphed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graphing<'e, 'p> {
    pub(super) callable: &'e Value<'p>,
    pub(super) sample: &'e Args<'p>,
    /// Whether outputs need not depend on all inputs, where known.
    pub(super) allows_unused: Option<bool>,
    pub(super) capture: CaptureId,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Where PyTorch refuses to graph something.
    refused_callables: FxHashSet<Site>,
    /// What graphed callables gave that have no graph for the backward pass, and where these were graphed.
    without_backward: Vec<(CellId, Site)>,
}

/// A callable is graphed.
pub(super) fn graphed(judge: &mut Judge<'_, '_>, graphing: &Graphing<'_, '_>, range: TextRange) {
    // Others may have changed what the objects of a function hold that nobody here calls.
    if judge.is_from_nowhere() {
        return;
    }
    let site = judge.at(range);
    let module = module_of(judge, graphing.callable);
    let refused = |title: &str| Draft::new(&REFUSED, site, title);
    let draft = if let Some(hook) = module.and_then(|it| judge.hook_of_calls(it)) {
        refused("the module that is graphed has a hook, and PyTorch refuses it")
            .label(hook, "the hook is registered here")
            .help(says::cg134::HOOKS)
    } else if let Some(buffer) = module.and_then(|it| module_tree::trained_buffer(judge, it)) {
        refused(&format!(
            "the buffer `{buffer}` of the module that is graphed requires a gradient"
        ))
        .note("only parameters of a graphed module may require a gradient")
        .help(says::cg134::BUFFER)
    } else if has_other_leaf(graphing.sample) {
        refused("a sample argument is no tensor, and a graphed callable takes tensors only")
            .help(says::cg134::TENSORS_ONLY)
    } else if is_without_inputs(judge, graphing) {
        refused("no argument of the graphed function requires a gradient, and its results do")
            .note("the parameters of a module that a function calls are not arguments of it")
            .help(says::cg134::PARAMETERS)
    } else if let Some(unused) = module.and_then(|it| unused_in(judge, it, graphing)) {
        refused("the outputs do not depend on all parameters of the module that is graphed")
            .label(unused, "its forward pass does not use this module")
            .help(says::cg134::UNUSED)
    } else {
        return;
    };
    judge.report(draft);
    judge.notes.of_mut::<Noted>().refused_callables.insert(site);
}

/// A graphed callable is called.
pub(super) fn called(
    judge: &mut Judge<'_, '_>,
    graphed: CellId,
    args: &Args<'_>,
    is_eager: bool,
    range: TextRange,
) {
    let made = judge.heap.object(graphed).map(|it| it.made);
    let is_refused =
        made.is_some_and(|it| judge.notes.of::<Noted>().refused_callables.contains(&it));
    // The module itself, in another mode, takes what it took before.
    if is_eager || is_refused {
        return;
    }
    let site = judge.at(range);
    let draft = if let Some((name, _)) = args.named.first() {
        let title = format!("a graphed callable is called with the keyword `{name}`");
        Draft::new(&REFUSED, site, title)
            .note("it takes its arguments by position, as they were when it was graphed")
            .help(says::cg134::BY_POSITION)
    } else if has_other_leaf(args) && !judge.is_from_nowhere() {
        Draft::new(
            &REFUSED,
            site,
            "a graphed callable is called with something that is no tensor",
        )
        .note("each argument is copied into the memory of a sample, which is a tensor")
        .help(says::cg134::LIKE_SAMPLES)
    } else {
        return;
    };
    judge.report(draft);
}

/// A callable that was graphed at `graphed` gave something, and has no graph for the backward pass.
pub(super) fn without_backward(judge: &mut Judge<'_, '_>, output: CellId, graphed: Site) {
    let noted = judge.notes.of_mut::<Noted>();
    noted.without_backward.push((output, graphed));
}

/// A backward pass from `loss`.
pub(super) fn backward<'p>(judge: &mut Judge<'_, 'p>, loss: &Value<'p>, range: TextRange) {
    if judge.notes.of::<Noted>().without_backward.is_empty() {
        return;
    }
    let reached = judge.differentiated(loss);
    let reached: Vec<CellId> = reached
        .into_iter()
        .map(|it| judge.heap.referent(it))
        .collect();
    let mut all = judge.notes.of::<Noted>().without_backward.iter();
    let Some((_, graphed)) = all.find(|(output, _)| reached.contains(output)).copied() else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(
        &REFUSED,
        site,
        "the backward pass goes through a graphed callable that has no graph for it",
    )
    .label(
        graphed,
        "its outputs required no gradient when it was graphed",
    )
    .help(says::cg134::WITH_GRADIENTS);
    judge.report(draft);
}

/// The module that a callable is, where all of it is known.
fn module_of(state: &Interp<'_>, callable: &Value<'_>) -> Option<CellId> {
    let is_new = |cell: &CellId| module_tree::is_new_module(state, *cell);
    callable.cell().filter(is_new)
}

/// Whether an argument is certainly no tensor.
fn has_other_leaf(args: &Args<'_>) -> bool {
    let mut all = args.positional.iter();
    all.any(is_other)
}

/// Whether a value is certainly neither a tensor nor a container of some.
fn is_other(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::None | Value::Number(_) | Value::Bool(_) | Value::Momentary(_) | Value::Text(_)
    )
}

/// Whether nothing that a function is given requires a gradient, and what it gives does.
fn is_without_inputs(state: &Interp<'_>, graphing: &Graphing<'_, '_>) -> bool {
    let is_function = match graphing.callable {
        Value::Function(_) | Value::Method(_) => true,
        Value::Object(cell) => {
            matches!(
                state.heap.object(*cell).map(|it| &it.kind),
                Some(Kind::Partial(..))
            )
        }
        _ => false,
    };
    let is_constant = |value: &Value<'_>| match value {
        Value::Extension(cell) => {
            let tensor = state.heap.tensor(*cell);
            tensor.is_some_and(|it| !it.requires_grad && !it.escaped)
        }
        _ => false,
    };
    is_function
        && !graphing.sample.open
        && graphing.sample.positional.iter().all(is_constant)
        && gives_gradients(state, graphing)
}

/// Whether gradients certainly flow through something that the callable gave.
fn gives_gradients(state: &Interp<'_>, graphing: &Graphing<'_, '_>) -> bool {
    let capture = &state.library.captures[graphing.capture.0];
    capture.gives_gradients && !capture.opaque && state.flow.grad && !state.library.freezes_some
}

/// What of a module its forward pass certainly does not use, where that is refused.
fn unused_in(state: &Interp<'_>, module: CellId, graphing: &Graphing<'_, '_>) -> Option<Site> {
    if graphing.allows_unused != Some(false) || !gives_gradients(state, graphing) {
        return None;
    }
    module_tree::unused_in(state, module, graphing.capture)
}
