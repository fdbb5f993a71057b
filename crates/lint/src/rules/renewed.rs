//! CG203 where the new value is not known, but certainly is no tensor that was captured: a batch that is moved to the
//! device, or what a loader gives.

use super::inputs::{self, Gone};
use super::judge::Judge;
use crate::interp::Interp;
use crate::interp::object::Kind;
use crate::interp::value::Value;
use crate::syntax::ast::{self, Expr, Ranged as _};

/// How deep targets and values are looked into.
const DEEPEST: usize = 8;

/// Methods that move a tensor.
const MOVES: [&str; 2] = ["cuda", "to"];
/// Methods of which the result is as new as what they are called on.
const KEEPS: [&str; 24] = [
    "bfloat16",
    "bool",
    "clone",
    "contiguous",
    "detach",
    "double",
    "expand",
    "flatten",
    "float",
    "half",
    "int",
    "long",
    "narrow",
    "permute",
    "repeat",
    "requires_grad_",
    "reshape",
    "squeeze",
    "t",
    "transpose",
    "type",
    "unbind",
    "unsqueeze",
    "view",
];
/// Functions that give what they are given, one by one.
const PASSES: [&str; 5] = ["enumerate", "iter", "next", "tqdm", "zip"];

/// `target = expression`, whose value is `value`.
pub(super) fn assigned<'p>(
    judge: &mut Judge<'_, 'p>,
    target: &'p Expr,
    expression: &'p Expr,
    value: &Value<'p>,
) {
    if judge.captures.is_empty() || !judge.flow.captures.is_empty() {
        return;
    }
    assigned_within(judge, target, expression, value, DEEPEST);
}

fn assigned_within<'p>(
    judge: &mut Judge<'_, 'p>,
    target: &'p Expr,
    expression: &'p Expr,
    value: &Value<'p>,
    depth: usize,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let (Some(targets), Some(expressions)) = (elements(target), elements(expression)) {
        let Value::List(list) = value else { return };
        let values = judge.heap.list(*list).filter(|list| list.exact);
        let values = values.map(|list| list.items.clone()).unwrap_or_default();
        if targets.len() == expressions.len() && values.len() == targets.len() {
            for ((target, expression), value) in targets.iter().zip(expressions).zip(&values) {
                assigned_within(judge, target, expression, value, depth);
            }
        }
        return;
    }
    let is_new = match expression {
        // The elements are not known one by one, nor is what they are made of.
        Expr::ListComp(it) => elements(target).is_some() && is_moved(&it.elt, depth),
        Expr::Generator(it) => elements(target).is_some() && is_moved(&it.elt, depth),
        _ => matches!(value, Value::Unknown) && is_moved(expression, depth),
    };
    if is_new || matches!(value, Value::Unknown) && is_of_loader(judge, expression, depth) {
        renewed(judge, target, depth);
    }
}

/// `for target in expression`.
pub(super) fn looped<'p>(judge: &mut Judge<'_, 'p>, target: &'p Expr, expression: &'p Expr) {
    if judge.captures.is_empty() || !judge.flow.captures.is_empty() {
        return;
    }
    if is_of_loader(judge, expression, DEEPEST) {
        renewed(judge, target, DEEPEST);
    }
}

/// All that is assigned here gets new values.
fn renewed<'p>(judge: &mut Judge<'_, 'p>, target: &'p Expr, depth: usize) {
    judge.spend_many(1);
    if let (Some(targets), Some(depth)) = (elements(target), depth.checked_sub(1)) {
        for target in targets {
            renewed(judge, target, depth);
        }
    } else if let Some(Value::Tensor(old)) = judge.peek(target) {
        inputs::let_go(judge, old, Gone::Rebound, target.range());
    }
}

fn elements(expression: &Expr) -> Option<&[Expr]> {
    match expression {
        Expr::Tuple(it) => Some(&it.elts),
        Expr::List(it) => Some(&it.elts),
        _ => None,
    }
}

/// Whether an expression moves something to a device, or casts it, and what is done with that then gives no other tensor.
fn is_moved(expression: &Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match expression {
        Expr::Call(call) => match &*call.func {
            Expr::Attribute(method) => {
                let name = method.attr.as_str();
                MOVES.contains(&name) && !(name == "to" && call.arguments.is_empty())
                    || KEEPS.contains(&name) && is_moved(&method.value, depth)
            }
            _ => false,
        },
        Expr::Subscript(it) => is_moved(&it.value, depth),
        Expr::Await(it) => is_moved(&it.value, depth),
        Expr::If(it) => is_moved(&it.body, depth) && is_moved(&it.orelse, depth),
        _ => false,
    }
}

/// Whether an expression gives what a `DataLoader` made: batches, which are new each time.
fn is_of_loader<'p>(state: &Interp<'p>, expression: &'p Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    state.spend_many(1);
    if let Expr::Call(call) = expression {
        return passes(call)
            && call
                .arguments
                .args
                .iter()
                .any(|it| is_of_loader(state, it, depth));
    }
    let Some(Value::Object(cell)) = state.peek(expression) else {
        return false;
    };
    let kind = state.heap.object(cell).map(|it| &it.kind);
    matches!(kind, Some(Kind::Loader(_)))
}

fn passes(call: &ast::ExprCall) -> bool {
    let name = match &*call.func {
        Expr::Name(it) => it.id.as_str(),
        Expr::Attribute(it) => it.attr.as_str(),
        _ => return false,
    };
    PASSES.contains(&name)
}
