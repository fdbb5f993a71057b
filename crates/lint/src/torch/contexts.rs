//! `contextlib`, and contexts that are entered and left by hand.

use std::rc::Rc;

use super::state::join::PLAIN_CONTEXT;
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::exits::EXPECTED_FAILURE;
use crate::interp::value::{CellId, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::{Expr, InterpolatedStringElement, TextRange};

/// Calls a function of `contextlib`, if it is known.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    let first = args.positional.first().cloned();
    let is_patch = name.starts_with("unittest.mock.patch")
        || packages::meaning_of(name) == Some(Meaning::Patches);
    if is_patch {
        let name = patched(name.ends_with(".object"), args);
        return Some(interp.new_object(Kind::Patch(name), site));
    }
    let kind = match (name, first) {
        ("contextlib.ExitStack" | "contextlib.AsyncExitStack", _) => Kind::ExitStack,
        ("contextlib.nullcontext", Some(value)) => Kind::Holding(value),
        ("contextlib.nullcontext" | "contextlib.suppress" | "warnings.catch_warnings", _) => {
            return Some(Value::External(Rc::from(PLAIN_CONTEXT)));
        }
        _ if packages::meaning_of(name) == Some(Meaning::ExpectsFailure) => {
            return Some(Value::External(Rc::from(EXPECTED_FAILURE)));
        }
        _ => return None,
    };
    Some(interp.new_object(kind, site))
}

/// The name that `patch(...)` or `patch.object(...)` gives another value.
fn patched(of_object: bool, args: &Args<'_>) -> Rc<str> {
    let position = usize::from(of_object);
    let known = args.positional.get(position).and_then(Value::as_text);
    let written = || last_literal(args.node?.arguments.args.get(position)?);
    let full = known.or_else(written).unwrap_or_default();
    Rc::from(full.rsplit('.').next().unwrap_or(full))
}

/// What an f-string ends with: of `f"{__name__}.function"` that is what matters.
fn last_literal(expression: &Expr) -> Option<&str> {
    match expression.as_f_string_expr()?.value.elements().last()? {
        InterpolatedStringElement::Literal(it) => Some(&it.value),
        InterpolatedStringElement::Interpolation(_) => None,
    }
}

/// Calls a method that contexts have, if it is one of them.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    kind: &Kind<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    if matches!(kind, Kind::ExitStack) {
        return Some(stack(interp, cell, name, args, range));
    }
    if matches!(kind, Kind::Instance(_)) {
        return None;
    }
    match name {
        "__enter__" | "__aenter__" => Some(interp.enter_by_hand(cell, &Value::Object(cell), range)),
        "__exit__" | "__aexit__" => {
            interp.exit_by_hand(cell);
            Some(Value::None)
        }
        _ => None,
    }
}

fn stack<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let first = args.positional.first().cloned().unwrap_or(Value::Unknown);
    match name {
        "enter_context" | "enter_async_context" => interp.enter_by_hand(cell, &first, range),
        "close" | "aclose" | "__exit__" | "__aexit__" => {
            interp.exit_by_hand(cell);
            Value::None
        }
        "pop_all" => interp.move_exits(cell, range),
        "__enter__" | "__aenter__" => Value::Object(cell),
        _ => Value::Unknown,
    }
}
