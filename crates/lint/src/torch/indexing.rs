//! `tensor[index]`.

use crate::interp::Interp;
use crate::interp::value::{Device, Elements, Value};
use crate::rules;
use crate::rules::waits::Wait;
use crate::syntax::ast::TextRange;

/// Reads elements of a tensor.
pub(crate) fn read<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    index: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let Value::Tensor(cell) = tensor else {
        return Value::Unknown;
    };
    rules::waits::indexed_by_slice(interp, tensor, index, range);
    let on_cuda = interp
        .heap
        .tensor(*cell)
        .is_some_and(|it| it.device == Device::Cuda);
    match index {
        Value::Tensor(mask) => {
            let boolean = interp
                .heap
                .tensor(*mask)
                .is_some_and(|it| it.elements == Elements::Bool);
            if boolean {
                rules::waits::read(interp, *cell, Wait::Shape("indexing with a mask"), range);
            }
            interp.tensor_operation(&[tensor.clone(), index.clone()], range)
        }
        Value::List(items) => {
            let list = interp.heap.list(*items).cloned();
            let is_tuple_of_slices = list.as_ref().is_some_and(|list| {
                list.items.iter().any(|it| {
                    matches!(
                        it,
                        Value::Slice(_) | Value::Tensor(_) | Value::None | Value::Unknown
                    )
                })
            });
            if is_tuple_of_slices {
                let parts = list.map(|it| it.items).unwrap_or_default();
                for part in &parts {
                    rules::waits::indexed_by_slice(interp, tensor, part, range);
                }
                return interp.view(*cell, range);
            }
            // `x[[0, 2]]` copies its numbers; `x[0, 2]` is a view.
            if on_cuda && is_list_display(interp, range) {
                rules::copies::indexed(interp, range);
                return interp.tensor_operation(std::slice::from_ref(tensor), range);
            }
            interp.view(*cell, range)
        }
        Value::Slice(parts) => {
            rules::control_flow::sizes(interp, &parts[..], range);
            interp.view(*cell, range)
        }
        _ => interp.view(*cell, range),
    }
}

/// Whether the index is written as a list of numbers, in brackets of its own.
fn is_list_display(interp: &Interp<'_>, range: TextRange) -> bool {
    let site = interp.at(range);
    let text = interp.project.source(site.file).slice(range);
    text.ends_with("]]") && text.contains("[[")
}
