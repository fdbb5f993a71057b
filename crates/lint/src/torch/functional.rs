//! `functools`.

use std::rc::Rc;

use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{Function, Value};
use crate::syntax::ast::TextRange;

/// Calls a function of the module, if it is known.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    let first = args.positional.first().cloned();
    Some(match name {
        "functools.cache" | "functools.lru_cache" => match first {
            Some(function) => cached(function),
            None => Value::External(Rc::from("functools.cache")),
        },
        "functools.partial" => match first {
            Some(function) => interp.new_object(
                Kind::Partial(function, args.positional[1..].to_vec(), args.named.clone()),
                site,
            ),
            None => Value::Unknown,
        },
        _ => return None,
    })
}

/// A function that keeps what it gives.
fn cached(function: Value<'_>) -> Value<'_> {
    match function {
        Value::Function(function) => {
            let mut function = Function::clone(&function);
            function.is_cached = true;
            Value::Function(Rc::new(function))
        }
        Value::Method(it) => Value::Method(Rc::new((it.0.clone(), cached(it.1.clone())))),
        other => other,
    }
}
