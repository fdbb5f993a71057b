//! NumPy's arrays that share the memory of pinned tensors.

use super::state::event::Event;
use super::state::object::Own;
use super::{Interp, Kind};
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
    let is_pinned = interp
        .heap
        .tensor(root)
        .is_some_and(|it| it.pinned == Some(true));
    if !is_pinned {
        return Value::Unknown;
    }
    let site = interp.at(range);
    interp.new_object(Kind::Library(Own::Array(root)), site)
}

/// The tensor whose memory an array shares.
pub(crate) fn tensor_of<'p>(interp: &Interp<'p>, value: &Value<'p>) -> Option<CellId> {
    let Value::Object(cell) = value else {
        return None;
    };
    match interp.heap.object(*cell)?.kind {
        Kind::Library(Own::Array(tensor)) => Some(tensor),
        _ => None,
    }
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
        "fill" | "put" | "sort" | "partition" | "itemset" => {
            written(interp, &itself, range);
            Value::None
        }
        "view" | "reshape" | "ravel" | "transpose" | "squeeze" | "swapaxes" => itself,
        _ => interp.call_unknown(args),
    }
}

/// A function of a package writes to the arrays that it is given for that.
pub(super) fn called<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) {
    let out = match packages::meaning_of(name) {
        Some(Meaning::Writes(parameter)) => args.get(0, parameter),
        Some(Meaning::MayWrite) => args.name("out"),
        _ => None,
    };
    if let Some(out) = out.cloned() {
        written(interp, &out, range);
    }
}
