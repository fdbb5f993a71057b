//! Functions of Python's standard library that read the tensors they are given.

use std::rc::Rc;

use super::{Interp, arrays, host};
use crate::interp::Args;
use crate::interp::value::{Form, LoopId, Number, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::TextRange;

/// What `logging.getLogger` gives.
const LOGGER: &str = "<logger>";

/// What begins the names of functions that do nothing to tensors or captures.
const IGNORED: [&str; 5] = ["<logger>.", "logging.", "os.", "pickle.dump", "time."];

/// Calls a function of the standard library, or an unknown one.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    arrays::called(interp, name, args, range);
    if let Some(function) = name.strip_prefix("math.") {
        return math(interp, function, args, range);
    }
    if let Some(how) = drawn(name) {
        return random(interp, how, args, range);
    }
    if packages::meaning_of(name) == Some(Meaning::PassesOn) {
        return args.positional.first().cloned().unwrap_or(Value::Unknown);
    }
    match name {
        // Of one element, only the last is kept.
        "collections.deque" if args.name("maxlen").and_then(Value::as_integer) == Some(1) => {
            Value::Unknown
        }
        "collections.deque" => {
            let held = match args.positional.first() {
                Some(Value::List(list)) => interp.heap.list(*list).map(|it| it.items.clone()),
                _ => None,
            };
            let list = interp.new_list(held.unwrap_or_default(), args.positional.is_empty());
            interp.formed(list, Form::List)
        }
        "logging.getLogger" => Value::External(Rc::from(LOGGER)),
        _ if IGNORED.iter().any(|it| name.starts_with(it)) => Value::Unknown,
        _ => interp.call_unknown(args),
    }
}

/// How a function draws a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    /// One, whatever it is given.
    One,
    /// One, if it is given nothing.
    OneByDefault,
    /// One from a range, unless it is told how many.
    OneOfRange,
    /// One from a range of Python's numbers.
    OneOfIntegers,
}

/// How a function of `random` or of a package draws a number, if it draws one.
fn drawn(full: &str) -> Option<Drawn> {
    match (full.strip_prefix("random."), packages::meaning_of(full)) {
        (
            Some(
                "betavariate" | "expovariate" | "gauss" | "normalvariate" | "random" | "randrange"
                | "triangular" | "uniform",
            ),
            _,
        ) => Some(Drawn::One),
        (Some("randint"), _) => Some(Drawn::OneOfIntegers),
        (_, Some(Meaning::Draws)) => Some(Drawn::OneByDefault),
        (_, Some(Meaning::DrawsBetween)) => Some(Drawn::OneOfRange),
        _ => None,
    }
}

/// A number is drawn that is another one each time, and that a capture draws once.
fn random<'p>(interp: &mut Interp<'p>, how: Drawn, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let is_number = match how {
        Drawn::One | Drawn::OneOfIntegers => true,
        Drawn::OneByDefault => args.all().next().is_none(),
        Drawn::OneOfRange => args.positional.len() <= 2 && args.name("size").is_none(),
    };
    if how == Drawn::OneOfIntegers {
        for value in &args.positional {
            host::asked(interp, value, "a number of Python's", range);
        }
    }
    match (is_number, interp.graph_capture()) {
        (true, Some(_)) => Value::Number(Number::varying(LoopId::EVERY_TIME)),
        (true, None) => Value::number(),
        (false, _) => Value::Unknown,
    }
}

fn math<'p>(
    interp: &mut Interp<'p>,
    function: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    const WHAT: &str = "a function of `math`";
    // Tensors have no `__trunc__`.
    let values = match function {
        "trunc" => &[],
        _ => &args.positional[..],
    };
    for value in values {
        match value {
            Value::List(list) if matches!(function, "fsum" | "prod") => {
                if let Some(any) = interp.heap.any_item(*list) {
                    host::asked(interp, &any, WHAT, range);
                }
            }
            value => host::asked(interp, value, WHAT, range),
        }
    }
    match function {
        "isnan" | "isinf" | "isfinite" | "isclose" => Value::Bool(None),
        _ => Value::Number(Number {
            constant: None,
            fraction: None,
            most: None,
            varies: args.positional.iter().find_map(Value::varies),
        }),
    }
}
