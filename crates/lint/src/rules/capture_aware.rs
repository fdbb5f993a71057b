//! CG202: what asks whether it is captured, and computes something else then.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt, TextRange};
use crate::torch::Interp;

/// The computation asks whether it is captured, and is another one then.
pub(crate) static CAPTURE_AWARE: Rule = Rule::new("CG202", Confidence::Likely);

/// Methods of tensors that give the same values elsewhere, or in another form, or none.
const SAME_VALUES: [&str; 13] = [
    "clone",
    "contiguous",
    "cpu",
    "cuda",
    "detach",
    "expand",
    "new_empty",
    "pin_memory",
    "requires_grad_",
    "reshape",
    "to",
    "type_as",
    "view",
];

/// Functions of PyTorch that reserve memory, without values.
const NO_VALUES: [&str; 3] = ["empty", "empty_like", "empty_strided"];

/// An `if` statement was decided by `test`.
pub(super) fn branch<'p>(
    judge: &mut Judge<'_, 'p>,
    test: &'p Expr,
    body: &'p [Stmt],
    rest: &'p [ast::ElifElseClause],
) {
    if !asks(judge) {
        return;
    }
    let mut bodies = std::iter::once(body).chain(rest.iter().map(|it| &*it.body));
    if let Some(changed) = bodies.find_map(|it| first_change(judge, it)) {
        differs(judge, test, changed.range());
    }
}

/// Whether the condition that was followed last asks, inside a capture, if there is one.
fn asks(state: &Interp<'_>) -> bool {
    state.graph_capture().is_some() && matches!(state.last_condition(), Value::Momentary(_))
}

fn differs<'p>(judge: &mut Judge<'_, 'p>, test: &'p Expr, range: TextRange) {
    let draft = Draft::new(&CAPTURE_AWARE, judge.at(range), says::cg202::TITLE)
        .label(
            judge.at(test.range()),
            "it depends on whether a capture runs",
        )
        .note(says::cg202::REPLAYS_REPEAT)
        .help(says::cg202::SAME_IN_BOTH);
    judge.report(draft);
}

/// The first statement that gives a tensor that is there already other values.
fn first_change<'p>(state: &Interp<'p>, body: &'p [Stmt]) -> Option<&'p Stmt> {
    body.iter().find(|statement| match statement {
        Stmt::AugAssign(it) => is_tensor(state, &it.target),
        Stmt::Assign(it) => {
            computes(state, &it.value) && it.targets.iter().any(|it| is_tensor(state, it))
        }
        _ => false,
    })
}

fn is_tensor(state: &Interp<'_>, target: &Expr) -> bool {
    target
        .as_name_expr()
        .and_then(|name| state.name_in_scope(name.id.as_str()))
        .is_some_and(|value| matches!(value, Value::Extension(_)))
}

/// Whether an expression makes new values, and does not only name, copy, move or reserve some.
fn computes<'p>(state: &Interp<'p>, value: &'p Expr) -> bool {
    match value {
        Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::Compare(_) => true,
        Expr::Call(call) => match &*call.func {
            Expr::Attribute(it) if SAME_VALUES.contains(&it.attr.as_str()) => {
                computes(state, &it.value)
            }
            function => state
                .peek_external(function)
                .as_deref()
                .and_then(|it| it.strip_prefix("torch."))
                .is_some_and(|it| !NO_VALUES.contains(&it)),
        },
        _ => false,
    }
}
