//! The memory of tensors, and how they get other memory while names refer to them as before.

use super::Interp;
use super::state::tensor::{Device, Elements, Swap, Swapped};
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// `tensor.data = value`, or `tensor.set_(value)`.
pub(super) fn assigned<'p>(
    interp: &mut Interp<'p>,
    tensor: CellId,
    value: &Value<'p>,
    range: TextRange,
) {
    match value {
        Value::Extension(new) if !interp.may_share(tensor, *new) => {
            let (device, elements) = match interp.heap.tensor(*new) {
                Some(new) => (new.device, new.elements),
                None => (Device::Unknown, Elements::Unknown),
            };
            swapped(interp, tensor, Swap::Data, range);
            if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                tensor.device = device;
                tensor.elements = elements;
            }
        }
        // It may be the memory that it had before.
        _ => {
            for tensor in parts(interp, tensor) {
                if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                    tensor.swapped = None;
                }
            }
        }
    }
}

/// A tensor gets other memory, certainly not that which it had in a capture.
pub(super) fn swapped(interp: &mut Interp<'_>, tensor: CellId, how: Swap, range: TextRange) {
    if interp.library.captures.is_empty() || !interp.flow.captures.is_empty() {
        return;
    }
    let it = Swapped {
        at: interp.at(range),
        captures: interp.library.captures.len(),
        how,
    };
    for tensor in parts(interp, tensor) {
        if let Some(tensor) = interp.heap.tensor_mut(tensor)
            && tensor
                .swapped
                .is_none_or(|first| first.captures < it.captures)
        {
            tensor.swapped = Some(it);
        }
    }
}

/// The tensor itself, or the parameters that it stands for.
fn parts(interp: &Interp<'_>, tensor: CellId) -> Vec<CellId> {
    let root = interp.root(tensor);
    let mut parts = vec![root];
    if let Some(found) = interp.heap.tensor(root).filter(|it| it.leaf) {
        parts.extend(found.parents.iter().copied());
    }
    parts
}
