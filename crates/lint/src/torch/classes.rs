//! Classes from outside the project: `isinstance`, and what is made from them.

use super::state::object::Own;
use super::{Cell, Interp, Kind};
use crate::interp::value::{CellId, Value};

/// The classes that enumerations are made from.
const ENUMERATIONS: [&str; 5] = [
    "enum.Enum",
    "enum.Flag",
    "enum.IntEnum",
    "enum.IntFlag",
    "enum.StrEnum",
];

/// The classes whose part is followed, beside modules, threads and optimizers.
const FOLLOWED: [&str; 12] = [
    "contextlib.AsyncExitStack",
    "contextlib.ExitStack",
    "torch.amp.autocast",
    "torch.autocast",
    "torch.cuda.CUDAGraph",
    "torch.cuda.Event",
    "torch.cuda.Stream",
    "torch.cuda.StreamContext",
    "torch.cuda.graph",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.no_grad",
];

/// Whether `value` is an instance of `class`, or of one of several, if that is known.
pub(crate) fn is_instance<'p>(
    interp: &Interp<'p>,
    value: &Value<'p>,
    class: &Value<'p>,
) -> Option<bool> {
    match class {
        Value::List(cell) => {
            let list = interp.heap.list(*cell).filter(|list| list.exact)?;
            let mut result = Some(false);
            for class in &list.items {
                match is_instance(interp, value, class) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => result = None,
                }
            }
            result
        }
        Value::External(name) => is_of_type(interp, value, name),
        Value::Class(class) => match value {
            Value::None | Value::Bool(_) | Value::Text(_) | Value::Extension(_) => Some(false),
            Value::Object(cell) => match interp.heap.object(*cell)?.kind {
                Kind::Instance(of) => interp.is_subclass(of, *class),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The same for a type of Python's or PyTorch's, by its full name.
fn is_of_type<'p>(interp: &Interp<'p>, value: &Value<'p>, name: &str) -> Option<bool> {
    let is_known = matches!(
        name,
        "torch.Tensor"
            | "int"
            | "float"
            | "bool"
            | "str"
            | "bytes"
            | "list"
            | "tuple"
            | "set"
            | "dict"
    );
    match (value, name) {
        (Value::Extension(_), "torch.Tensor")
        | (Value::Text(_), "str")
        | (Value::Dict(_), "dict")
        | (Value::Bool(_), "bool" | "int") => Some(true),
        (Value::Number(number), "int") if number.constant.is_some() => Some(true),
        (Value::Number(_), "int" | "float" | "bool")
        | (Value::List(_), "list" | "tuple" | "set") => None,
        (Value::Object(cell), "torch.nn.Module") => match interp.heap.object(*cell)?.kind {
            Kind::Instance(class) => interp.is_module_class(class).then_some(true),
            Kind::Library(Own::Module(..) | Own::Ddp(..)) => Some(true),
            _ => None,
        },
        (
            Value::None
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Extension(_)
            | Value::Function(_),
            _,
        ) if is_known => Some(false),
        _ => None,
    }
}

/// Whether an object whose class is made from this one has a part that is an object of it.
pub(super) fn is_followed(base: &str) -> bool {
    let is_optimizer = base.strip_prefix("torch.optim.").is_some_and(|name| {
        name != "Optimizer" && name.starts_with(|it: char| it.is_ascii_uppercase())
    });
    is_optimizer || FOLLOWED.contains(&base)
}

/// How many members an enumeration has.
pub(super) fn members(interp: &Interp<'_>, class: CellId) -> Option<usize> {
    if !ENUMERATIONS.iter().any(|it| interp.is_made_from(class, it)) {
        return None;
    }
    let scope = interp.heap.class(class)?.scope;
    let Cell::Scope(names, _) = interp.heap.get(scope) else {
        return None;
    };
    let is_member = |(name, value): &(&&str, &Value<'_>)| {
        !name.starts_with('_') && !matches!(value, Value::Function(_))
    };
    Some(names.iter().filter(is_member).count())
}
