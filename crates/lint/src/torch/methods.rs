//! Methods and attributes of tensors, and of what else has any.

use std::rc::Rc;

use super::state::event::{Event, Pageable, Wait};
use super::state::hooks::When;
use super::state::tensor::{Device, Elements, Tensor};
use super::{
    Interp, arrays, autograd, containers, families, functions, host, module_parts, names, objects,
    storage, tensors,
};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// An attribute of a tensor.
pub(crate) fn attribute<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    range: TextRange,
) -> Value<'p> {
    let Some(tensor) = interp.heap.tensor(cell) else {
        return Value::Unknown;
    };
    match name {
        "device" => Value::Text(match tensor.device {
            Device::Cuda => Some("cuda".into()),
            Device::Host => Some("cpu".into()),
            Device::Unknown => None,
        }),
        "is_cuda" => Value::Bool(match tensor.device {
            Device::Cuda => Some(true),
            Device::Host => Some(false),
            Device::Unknown => None,
        }),
        "shape" | "dtype" | "layout" | "grad_fn" | "names" | "itemsize" | "nbytes" | "is_leaf"
        | "is_sparse" => Value::Unknown,
        "requires_grad" => Value::Bool(None),
        "ndim" => Value::number(),
        "grad" => super::autograd::gradient(interp, cell, range),
        "T" | "mT" | "H" | "mH" | "real" | "imag" => interp.view(cell, range),
        "data" => detached(interp, cell, range),
        _ => objects::bound(&Value::Extension(cell), name),
    }
}

/// Calls a method of a value that is not the project's own.
pub(crate) fn call<'p>(
    interp: &mut Interp<'p>,
    object: &Value<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    match object {
        Value::Extension(cell) => tensor(interp, *cell, name, args, range),
        Value::Object(cell) => objects::method(interp, *cell, name, args, range),
        Value::List(cell) => containers::list(interp, *cell, name, args, range),
        Value::Dict(cell) => containers::dict(interp, *cell, name, args, range),
        Value::Class(class) if name == "apply" => autograd::apply(interp, *class, args, range),
        Value::Text(_) => {
            if name == "format" {
                for value in args.all() {
                    interp.formatted(value, range);
                }
            }
            match name {
                "split" => Value::Unknown,
                "startswith" | "endswith" => Value::Bool(None),
                _ => Value::Text(None),
            }
        }
        _ => interp.call_unknown(args),
    }
}

/// Whether a method copies a tensor that does not lie in one piece, as views may, where that matters: behind a replay.
fn may_copy(interp: &Interp<'_>, cell: CellId, name: &str) -> bool {
    matches!(name, "reshape" | "flatten" | "contiguous")
        && interp.graph_capture().is_none()
        && interp
            .heap
            .tensor(cell)
            .is_some_and(|it| it.view_of.is_some())
}

fn tensor<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Extension(cell);
    match name {
        "item" | "__float__" | "__int__" | "__bool__" => {
            host::read(interp, cell, Wait::Read("`.item()`"), range);
            Value::number()
        }
        "tolist" => {
            super::transfers::read_whole(interp, cell, "`.tolist()`", range);
            Value::Unknown
        }
        "numpy" => {
            super::transfers::to_array(interp, cell, range);
            arrays::of_tensor(interp, cell, range)
        }
        "cpu" => {
            super::transfers::moved(interp, &itself, Device::Host, non_blocking(args, 0), range)
        }
        "cuda" => {
            super::transfers::moved(interp, &itself, Device::Cuda, non_blocking(args, 1), range)
        }
        "to" => to(interp, cell, args, range),
        "type" => match args.get(0, "dtype").cloned() {
            Some(kind) => typed(interp, cell, &kind, range),
            None => Value::Text(None),
        },
        "type_as" => {
            let device = match args.get(0, "other") {
                Some(other @ Value::Extension(_)) => interp.device_of(std::slice::from_ref(other)),
                _ => Device::Unknown,
            };
            super::transfers::moved(interp, &itself, device, false, range)
        }
        "pin_memory" => {
            interp.emit(Event::Pinned {
                what: "pinned memory is allocated",
                range,
            });
            let result = interp.view(cell, range);
            let capture = interp.graph_capture();
            if let Value::Extension(result) = result
                && let Some(tensor) = interp.heap.tensor_mut(result)
            {
                tensor.pinned = Some(true);
                tensor.view_of = None;
                tensor.captured = capture;
            }
            result
        }
        "copy_" => {
            let source = args.get(0, "src").cloned().unwrap_or(Value::Unknown);
            super::transfers::copied(interp, &itself, &source, non_blocking(args, 1), range);
            super::replays::copied_in(interp, cell);
            interp.tensor_in_place(&itself, &[source], range)
        }
        "set_" => {
            let source = args.positional.first().cloned().unwrap_or(Value::Unknown);
            storage::assigned(interp, cell, &source, range);
            interp.tensor_in_place(&itself, &[source], range)
        }
        "backward" => {
            super::autograd::backward(interp, &itself, args.name("inputs"), range);
            Value::None
        }
        "detach" => detached(interp, cell, range),
        "detach_" => {
            if let Some(tensor) = interp.heap.tensor_mut(cell) {
                forgets_history(tensor);
            }
            itself
        }
        "requires_grad_" => {
            let on = args
                .positional
                .first()
                .and_then(Value::truth)
                .unwrap_or(true);
            if !on {
                module_parts::frozen(interp, cell);
            } else if let Some(tensor) = interp.heap.tensor_mut(cell) {
                tensor.requires_grad = true;
            }
            itself
        }
        "record_stream" => {
            interp.emit(Event::StreamRecorded {
                tensor: cell,
                range,
            });
            Value::None
        }
        "register_hook" => interp.hook_tensor(cell, When::Gradient, args, range),
        "register_post_accumulate_grad_hook" => {
            interp.hook_tensor(cell, When::AccumulatedGradient, args, range)
        }
        "data_ptr" => {
            // With its address, host memory may be registered: it is pinned then.
            if let Some(tensor) = interp.heap.tensor_mut(cell)
                && tensor.pinned == Some(false)
            {
                tensor.pinned = None;
            }
            Value::Unknown
        }
        "size" | "dim" | "numel" | "stride" | "nelement" | "element_size" | "storage_offset"
        | "untyped_storage" | "get_device" | "ndimension" | "retain_grad" => Value::Unknown,
        "is_contiguous" | "is_pinned" | "is_floating_point" | "is_complex" | "is_same_size" => {
            Value::Bool(None)
        }
        "view" | "reshape" | "permute" | "transpose" | "t" | "squeeze" | "unsqueeze" | "expand"
        | "expand_as" | "flatten" | "narrow" | "select" | "view_as" | "unfold" | "swapaxes"
        | "movedim" | "contiguous" | "diagonal" | "as_strided" => {
            let values: Vec<_> = args.positional.clone();
            interp.emit(Event::Sized {
                sizes: &values,
                range,
            });
            if may_copy(interp, cell, name) {
                let result = interp.derived(&[itself], interp.at(range));
                interp.may_be_itself(&result, cell);
                return result;
            }
            interp.view(cell, range)
        }
        "bool" => {
            let result = tensors::operation(interp, &[itself], range);
            interp.becomes_boolean(&result);
            result
        }
        "new_tensor" => {
            let device = interp
                .heap
                .tensor(cell)
                .map_or(Device::Unknown, |it| it.device);
            if device == Device::Cuda {
                host::copied(interp, Pageable::Built("new_tensor", args.node), range);
            }
            interp.derived(&[itself], interp.at(range))
        }
        "new_zeros" | "new_empty" | "new_ones" | "new_full" => {
            let result = interp.derived(std::slice::from_ref(&itself), interp.at(range));
            let device = interp.device_of(std::slice::from_ref(&itself));
            if device == Device::Cuda && name == "new_empty" {
                interp.emit(Event::Allocates { range });
            } else {
                interp.works(&[itself], device, true, range);
            }
            if let Value::Extension(result) = result
                && let Some(tensor) = interp.heap.tensor_mut(result)
            {
                tensor.requires_grad = false;
                tensor.leaf = true;
                tensor.history = None;
                tensor.elements = Elements::Unknown;
            }
            result
        }
        _ => {
            let args = args.after(itself);
            functions::operator(interp, name, &args, range)
        }
    }
}

fn detached<'p>(interp: &mut Interp<'p>, cell: CellId, range: TextRange) -> Value<'p> {
    let result = interp.view(cell, range);
    let rank = interp.heap.tensor(cell).and_then(|it| it.rank);
    if let Value::Extension(result) = result
        && let Some(tensor) = interp.heap.tensor_mut(result)
    {
        tensor.rank = rank;
        forgets_history(tensor);
    }
    result
}

/// A tensor is no longer part of an autograd graph.
fn forgets_history(tensor: &mut Tensor) {
    tensor.requires_grad = false;
    tensor.leaf = true;
    tensor.history = None;
    tensor.ddp = None;
    tensor.parents = Rc::from([]);
}

fn non_blocking(args: &Args<'_>, position: usize) -> bool {
    args.get(position, "non_blocking")
        .is_some_and(|it| it.truth() != Some(false))
}

fn to<'p>(interp: &mut Interp<'p>, cell: CellId, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let itself = Value::Extension(cell);
    let target = args
        .name("device")
        .or_else(|| args.positional.first())
        .cloned();
    let waits_not = args
        .name("non_blocking")
        .is_some_and(|it| it.truth() != Some(false));
    match &target {
        Some(Value::Extension(other)) => {
            let device = interp
                .heap
                .tensor(*other)
                .map_or(Device::Unknown, |it| it.device);
            super::transfers::moved(interp, &itself, device, waits_not, range)
        }
        Some(value @ Value::External(_)) if names::is_dtype(value) => {
            cast(interp, cell, value, range)
        }
        Some(value @ (Value::Text(_) | Value::Number(_) | Value::External(_))) => {
            let device = names::device(value).unwrap_or(Device::Unknown);
            super::transfers::moved(interp, &itself, device, waits_not, range)
        }
        _ => super::transfers::moved(interp, &itself, Device::Unknown, waits_not, range),
    }
}

/// `tensor.type(kind)`: kinds such as `torch.FloatTensor` are of a device.
fn typed<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    kind: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Extension(cell);
    let name = kind.as_external().or_else(|| kind.as_text());
    let device = match name.and_then(|it| it.strip_prefix("torch.")) {
        Some(name) if name.starts_with("cuda.") && name.ends_with("Tensor") => Device::Cuda,
        Some(name) if name.ends_with("Tensor") && !name.contains('.') => Device::Host,
        Some(_) if names::is_dtype(kind) => return cast(interp, cell, kind, range),
        _ => Device::Unknown,
    };
    super::transfers::moved(interp, &itself, device, false, range)
}

/// The same elements, of another type.
fn cast<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    kind: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let operands = [Value::Extension(cell)];
    let result = tensors::operation(interp, &operands, range);
    interp.broadcasts(&operands, &result);
    if let Value::Extension(result) = result
        && let Some(tensor) = interp.heap.tensor_mut(result)
    {
        tensor.elements = families::elements(kind);
        tensor.may_be = Some(cell);
    }
    result
}
