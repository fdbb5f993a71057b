//! `functools`, and what of `operator` calls something.

use std::rc::Rc;

use super::python::items;
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{Function, Value};
use crate::syntax::ast::TextRange;

/// What `operator.methodcaller` gives, before it has its name and its arguments.
const METHOD_CALLER: &str = "<method caller>";
/// How many values are followed through `functools.reduce`.
const MOST_REDUCED: usize = 8;

/// Calls a function of these modules, if it is known.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    let first = args.positional.first().cloned();
    Some(match name {
        "functools.partialmethod" => match first {
            Some(function) => interp.new_object(
                Kind::PartialMethod(function, args.positional[1..].to_vec(), args.named.clone()),
                site,
            ),
            None => Value::Unknown,
        },
        "functools.singledispatch" | "functools.singledispatchmethod" => match first {
            Some(default) => {
                let decides = usize::from(name.ends_with("method"));
                interp.new_dispatch(default, decides, range)
            }
            None => Value::Unknown,
        },
        "functools.reduce" => reduced(interp, args, range),
        "operator.methodcaller" => {
            let caller = Value::External(Rc::from(METHOD_CALLER));
            let call = Kind::Partial(caller, args.positional.clone(), args.named.clone());
            interp.new_object(call, site)
        }
        METHOD_CALLER => {
            let mut values = args.clone();
            let (object, method) = (values.positional.pop(), first);
            match (object, method.as_ref().and_then(Value::as_text)) {
                (Some(object), Some(method)) if !values.positional.is_empty() => {
                    values.positional.remove(0);
                    let method = interp.attribute(&object, method, range);
                    interp.call(&method, values, range)
                }
                _ => interp.call_unknown(args),
            }
        }
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

/// `functools.reduce(function, values, first)`: calls the function with what it gave before and the next value.
fn reduced<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let [function, values, rest @ ..] = &*args.positional else {
        return interp.call_unknown(args);
    };
    let (items, exact) = match items(interp, values) {
        Some(known) => known,
        None => (vec![Value::Unknown], false),
    };
    let mut items = rest.iter().cloned().chain(items);
    let Some(mut result) = items.next() else {
        return Value::Unknown;
    };
    for item in items.take(MOST_REDUCED) {
        result = interp.call(function, Args::of(vec![result, item]), range);
    }
    if exact { result } else { Value::Unknown }
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
