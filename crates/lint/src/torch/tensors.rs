//! Operations on tensors.

use super::state::event::Event;
use super::state::tensor::Elements;
use super::{Interp, answers, autocast, module_parts};
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::{Operator, TextRange, UnaryOp};

/// An operation that makes a new tensor.
pub(super) fn operation<'p>(
    interp: &mut Interp<'p>,
    operands: &[Value<'p>],
    range: TextRange,
) -> Value<'p> {
    answers::used(interp, operands, range);
    let result = interp.derived(operands, interp.at(range));
    interp.works(operands, interp.device_of(operands), true, range);
    result
}

/// `op operand`.
pub(super) fn unary<'p>(
    interp: &mut Interp<'p>,
    op: UnaryOp,
    operand: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let operands = [operand];
    let result = operation(interp, &operands, range);
    interp.owns_memory(&result);
    interp.broadcasts(&operands, &result);
    let same = if op == UnaryOp::Invert {
        Operator::BitXor
    } else {
        Operator::Sub
    };
    computed(interp, same, &operands, &result);
    result
}

/// `left op right`.
pub(super) fn binary<'p>(
    interp: &mut Interp<'p>,
    left: &Value<'p>,
    op: Operator,
    right: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let operands = [left.clone(), right.clone()];
    if op == Operator::MatMult {
        interp.emit(Event::Operator {
            name: "@",
            operands: &operands,
            range,
        });
    }
    interp.emit(Event::Numbers {
        operands: &operands,
        range,
    });
    let result = operation(interp, &operands, range);
    interp.owns_memory(&result);
    if op != Operator::MatMult {
        note_size(interp, &operands, &result);
        interp.broadcasts(&operands, &result);
        computed(interp, op, &operands, &result);
    }
    if op == Operator::MatMult {
        autocast::called(interp, "@", &operands);
    }
    result
}

/// `left < right` and its kin.
pub(super) fn compared<'p>(
    interp: &mut Interp<'p>,
    left: &Value<'p>,
    right: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let operands = [left.clone(), right.clone()];
    let result = operation(interp, &operands, range);
    interp.owns_memory(&result);
    interp.broadcasts(&operands, &result);
    interp.becomes_boolean(&result);
    result
}

/// `target op= value`.
pub(super) fn in_place<'p>(
    interp: &mut Interp<'p>,
    target: &Value<'p>,
    value: Value<'p>,
    range: TextRange,
) {
    interp.emit(Event::Numbers {
        operands: &[target.clone(), value.clone()],
        range,
    });
    interp.tensor_in_place(target, &[value], range);
}

/// What a loop over a tensor gives at each turn.
pub(super) fn row<'p>(interp: &mut Interp<'p>, cell: CellId) -> Value<'p> {
    let Some(tensor) = interp.heap.tensor(cell) else {
        return Value::Unknown;
    };
    let (made, rank, elements) = (tensor.made, tensor.rank, tensor.elements);
    let element = interp.derived(&[Value::Extension(cell)], made);
    interp.may_be_itself(&element, cell);
    interp.has_rank(&element, rank.and_then(|it| it.checked_sub(1)));
    if let Value::Extension(element) = element
        && let Some(tensor) = interp.heap.tensor_mut(element)
    {
        tensor.elements = elements;
    }
    element
}

/// `tensor.name = value`. Whether it has such an attribute.
pub(super) fn attribute_set<'p>(
    interp: &mut Interp<'p>,
    tensor: CellId,
    name: &str,
    value: &Value<'p>,
) -> bool {
    match name {
        "grad" => {
            let grad = match value {
                Value::Extension(grad) => Some(*grad),
                _ => None,
            };
            if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                tensor.grad = grad;
            }
        }
        "requires_grad" if value.truth() == Some(false) => module_parts::frozen(interp, tensor),
        "requires_grad" => {
            interp.library.freezes_some |= value.truth().is_none();
            if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                tensor.requires_grad = true;
            }
        }
        _ => return false,
    }
    true
}

/// A parameter that is annotated with a class of this full name.
pub(super) fn annotated<'p>(interp: &mut Interp<'p>, class: &str, site: Site) -> Value<'p> {
    if class == "torch.Tensor" {
        Value::Extension(interp.unknown_tensor(site))
    } else {
        Value::Unknown
    }
}

/// Notes the size of the result of an element-wise operation, if it is known, and that a capture asks for it.
fn note_size<'p>(interp: &mut Interp<'p>, operands: &[Value<'p>], result: &Value<'p>) {
    let bytes = sized_by(interp, operands, result);
    if let (Some(bytes), Some(id)) = (bytes, interp.graph_capture()) {
        interp.library.captures[id.0].bytes += bytes;
    }
}

/// Notes the size of the result of an element-wise operation, if it is known.
pub(super) fn sized_by<'p>(
    interp: &mut Interp<'p>,
    operands: &[Value<'p>],
    result: &Value<'p>,
) -> Option<i64> {
    let sizes = operands.iter().filter_map(|it| match it {
        Value::Extension(cell) => Some(interp.heap.tensor(*cell)?.bytes),
        _ => None,
    });
    let bytes = sizes.max().flatten()?;
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(*cell)
    {
        tensor.bytes = Some(bytes);
    }
    Some(bytes)
}

/// Notes of what the result of `left op right` is made.
fn computed<'p>(interp: &mut Interp<'p>, op: Operator, operands: &[Value<'p>], result: &Value<'p>) {
    let elements = |it: &Value<'p>| match it {
        Value::Extension(cell) => interp
            .heap
            .tensor(*cell)
            .map_or(Elements::Unknown, |it| it.elements),
        Value::Bool(_) => Elements::Bool,
        Value::Number(_) => Elements::Other,
        _ => Elements::Unknown,
    };
    let logical = matches!(op, Operator::BitAnd | Operator::BitOr | Operator::BitXor);
    let made = if operands.iter().any(|it| elements(it) == Elements::Other) {
        Elements::Other
    } else if logical && operands.iter().all(|it| elements(it) == Elements::Bool) {
        Elements::Bool
    } else {
        Elements::Unknown
    };
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(*cell)
    {
        tensor.elements = made;
    }
}
