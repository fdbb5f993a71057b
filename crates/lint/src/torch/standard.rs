//! Functions of Python's standard library that read the tensors they are given.

use std::rc::Rc;

use super::state::switches::Switch;
use super::{Interp, arrays, comparisons, host};
use crate::interp::Args;
use crate::interp::value::{Form, LoopId, Number, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::TextRange;

/// What `logging.getLogger` gives.
const LOGGER: &str = "<logger>";

/// Calls a function of the standard library, or one of which nothing is known.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    if let Some(method) = name
        .strip_prefix("logging.")
        .or_else(|| name.strip_prefix("<logger>."))
    {
        return log(interp, method, args, range);
    }
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
        "pickle.dump" | "pickle.dumps" => {
            if let Some(value) = args.positional.first() {
                pickled(interp, &value.clone(), "pickling", range);
            }
            Value::Unknown
        }
        "heapq.nsmallest" | "heapq.nlargest" => {
            let values = args.positional.iter().skip(1).cloned().collect();
            comparisons::ordered(interp, "sorted", &Args::of(values), range);
            Value::Unknown
        }
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
        _ if name.starts_with("time.") || name.starts_with("os.") => Value::Unknown,
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

/// A function or a method of `logging`. From `warning` on, messages are put together unless the program says otherwise.
fn log<'p>(interp: &mut Interp<'p>, method: &str, args: &Args<'p>, range: TextRange) -> Value<'p> {
    match method {
        "getLogger" => return Value::External(Rc::from(LOGGER)),
        "warning" | "error" | "critical" | "exception" | "fatal"
            if !interp.may_have_switched(Switch::LogLevel) =>
        {
            for value in &args.positional {
                interp.formatted(value, range);
            }
        }
        _ => {}
    }
    Value::Unknown
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
            most: None,
            varies: args.positional.iter().find_map(Value::varies),
        }),
    }
}

/// A value is written as bytes, with all the tensors in it.
pub(super) fn pickled<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    what: &'static str,
    range: TextRange,
) {
    if let Some(tensor) = host::tensor_in(interp, value, host::DEEPEST) {
        super::transfers::read_whole(interp, tensor, what, range);
    }
}
