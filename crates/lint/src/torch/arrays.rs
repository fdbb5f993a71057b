//! NumPy's arrays that share the memory of pinned tensors.

use super::state::event::Event;
use super::state::object::Own;
use super::{Interp, Kind, host};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::TextRange;

/// `tensor.numpy()`. Only arrays of pinned memory are of interest.
pub(super) fn of_tensor<'p>(
    interp: &mut Interp<'p>,
    tensor: CellId,
    range: TextRange,
) -> Value<'p> {
    let root = interp.root(tensor);
    let rank = interp.heap.tensor(tensor).and_then(|it| it.rank);
    let is_pinned = interp
        .heap
        .tensor(root)
        .is_some_and(|it| it.pinned == Some(true));
    if !is_pinned {
        return Value::Unknown;
    }
    let site = interp.at(range);
    interp.new_object(Kind::Library(Own::Array(root, rank)), site)
}

/// The tensor whose memory an array shares.
pub(crate) fn tensor_of<'p>(interp: &Interp<'p>, value: &Value<'p>) -> Option<CellId> {
    let Value::Object(cell) = value else {
        return None;
    };
    known(interp, *cell).map(|it| it.0)
}

/// The tensor of an array, and how many dimensions the array has.
fn known(interp: &Interp<'_>, cell: CellId) -> Option<(CellId, Option<usize>)> {
    match interp.heap.object(cell)?.kind {
        Kind::Library(Own::Array(tensor, rank)) => Some((tensor, rank)),
        _ => None,
    }
}

/// The host reads what an array holds, if it is one.
pub(super) fn read<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    if let Some(tensor) = tensor_of(interp, value) {
        host::read_own(interp, tensor, range);
    }
}

/// The host takes the elements out of an array: those of one dimension are numbers, others are views.
pub(super) fn read_elements<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    let Value::Object(cell) = value else {
        return;
    };
    if let Some((tensor, Some(1))) = known(interp, *cell) {
        host::read_own(interp, tensor, range);
    }
}

/// `array[index]`: a number, or a view.
pub(crate) fn element<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    index: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Object(cell);
    match (known(interp, cell), index) {
        (Some((_, Some(1))), Value::Number(_)) => {
            read_elements(interp, &itself, range);
            Value::number()
        }
        (Some(_), Value::Slice(_)) => itself,
        (Some((tensor, _)), _) => shaped(interp, tensor, range),
        (None, _) => Value::Unknown,
    }
}

/// A view of an array, of any shape.
fn shaped<'p>(interp: &mut Interp<'p>, tensor: CellId, range: TextRange) -> Value<'p> {
    let site = interp.at(range);
    interp.new_object(Kind::Library(Own::Array(tensor, None)), site)
}

/// Elements of an array are written: whether it is one.
pub(crate) fn written<'p>(interp: &mut Interp<'p>, array: &Value<'p>, range: TextRange) -> bool {
    let Some(tensor) = tensor_of(interp, array) else {
        return false;
    };
    interp.emit(Event::Written {
        target: &Value::Extension(tensor),
        range,
    });
    true
}

/// A method of an array.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Object(cell);
    match name {
        "fill" | "put" | "itemset" => {
            written(interp, &itself, range);
            Value::None
        }
        "sort" | "partition" => {
            read(interp, &itself, range);
            written(interp, &itself, range);
            Value::None
        }
        "view" | "reshape" | "ravel" | "transpose" | "squeeze" | "swapaxes" => {
            match known(interp, cell) {
                Some((tensor, _)) => shaped(interp, tensor, range),
                None => itself,
            }
        }
        // It may be the same array.
        "astype" if args.name("copy").is_some() => itself,
        _ if READING.contains(&name) => {
            read(interp, &itself, range);
            Value::Unknown
        }
        _ => interp.call_unknown(args),
    }
}

/// Methods that read what an array holds, and give something else than a view.
const READING: &[&str] = &[
    "all",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "astype",
    "clip",
    "copy",
    "cumprod",
    "cumsum",
    "dot",
    "dump",
    "dumps",
    "flatten",
    "item",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "ptp",
    "repeat",
    "round",
    "searchsorted",
    "std",
    "sum",
    "take",
    "tobytes",
    "tofile",
    "tolist",
    "trace",
    "var",
];

/// A function of a package reads arrays, and writes to those that it is given for that.
pub(super) fn called<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) {
    let meaning = packages::meaning_of(name);
    if meaning == Some(Meaning::Reads) {
        for value in &args.positional {
            read(interp, value, range);
        }
    }
    let out = match meaning {
        Some(Meaning::Writes(parameter)) => args.get(0, parameter),
        Some(Meaning::MayWrite | Meaning::Reads) => args.name("out"),
        _ => None,
    };
    if let Some(out) = out.cloned() {
        written(interp, &out, range);
    }
}
