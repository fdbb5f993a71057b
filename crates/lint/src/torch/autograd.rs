//! `torch.autograd`: backward passes, and the program's own functions.

use std::rc::Rc;

use super::state::capture::CaptureId;
use super::state::event::Event;
use super::state::object::Own;
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// The names of the class that the program's functions are made from.
const FUNCTIONS: [&str; 3] = [
    "torch.autograd.Function",
    "torch.autograd.function.Function",
    "torch.autograd.function.InplaceFunction",
];
/// The field of a context with the tensors that were saved.
const SAVED: &str = "saved_tensors";

/// Whether a class is one of the program's `torch.autograd.Function`s.
pub(crate) fn is_function(interp: &Interp<'_>, class: CellId) -> bool {
    FUNCTIONS
        .iter()
        .any(|name| interp.is_made_from(class, name))
}

/// `Function.apply(...)`: runs `forward` without autograd; a backward pass runs `backward`.
pub(super) fn apply<'p>(
    interp: &mut Interp<'p>,
    class: CellId,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Class(class);
    let site = interp.at(range);
    let context = interp.new_object(Kind::Library(Own::FunctionContext), site);
    let forward = interp.attribute(&itself, "forward", range);
    let setup = interp.attribute(&itself, "setup_context", range);
    let grad = std::mem::replace(&mut interp.flow.grad, false);
    let result = if matches!(setup, Value::Unknown) {
        interp.call(&forward, args.after(context.clone()), range)
    } else {
        let result = interp.call(&forward, args.clone(), range);
        let inputs = interp.new_list(args.positional.clone(), !args.open);
        let passed = vec![context.clone(), inputs, result.clone()];
        interp.call(&setup, Args::of(passed), range);
        result
    };
    interp.flow.grad = grad;
    let backward = interp.attribute(&itself, "backward", range);
    match &result {
        Value::Extension(cell) => differentiable(interp, *cell, args, &backward, &context, range),
        Value::List(cell) => {
            let Some(list) = interp.heap.list(*cell).cloned() else {
                return result;
            };
            let outputs = list
                .items
                .into_iter()
                .map(|output| match output {
                    Value::Extension(cell) => {
                        differentiable(interp, cell, args, &backward, &context, range)
                    }
                    other => other,
                })
                .collect();
            interp.new_list(outputs, list.exact)
        }
        _ => result,
    }
}

/// What `apply` gives for an output of `forward`: a tensor that a gradient flows through, if one flows through an argument.
fn differentiable<'p>(
    interp: &mut Interp<'p>,
    given: CellId,
    args: &Args<'p>,
    backward: &Value<'p>,
    context: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let operands: Vec<_> = args.all().cloned().collect();
    let site = interp.at(range);
    let result = interp.derived(&operands, site);
    let (Value::Extension(cell), Some(output)) = (&result, interp.heap.tensor(given).cloned())
    else {
        return result;
    };
    let Some(tensor) = interp.heap.tensor_mut(*cell) else {
        return result;
    };
    tensor.device = output.device;
    tensor.elements = output.elements;
    tensor.pinned = output.pinned;
    tensor.captured = output.captured;
    // It is what `forward` gave, which may be one of the arguments.
    tensor.view_of = output.view_of.or(Some(given));
    tensor.bytes = output.bytes;
    if tensor.requires_grad {
        interp.differentiates(*cell, backward.clone(), context.clone());
    }
    result
}

/// Calls a method of the context that `forward` and `backward` share.
pub(super) fn context_method<'p>(
    interp: &mut Interp<'p>,
    context: CellId,
    name: &str,
    args: &Args<'p>,
) -> Value<'p> {
    if name == "save_for_backward" {
        let saved = interp.new_list(args.positional.clone(), !args.open);
        if let Some(object) = interp.heap.object_mut(context) {
            object.fields.insert(Rc::from(SAVED), saved);
        }
    }
    Value::None
}

/// A backward pass from `loss`, for the gradients of `inputs` alone if these are named.
pub(super) fn backward<'p>(
    interp: &mut Interp<'p>,
    loss: &Value<'p>,
    inputs: Option<&Value<'p>>,
    range: TextRange,
) {
    noted(interp);
    interp.emit(Event::Backward {
        loss,
        inputs,
        range,
    });
    interp.run_backward(loss, range);
}

/// A backward pass runs.
pub(super) fn noted(interp: &mut Interp<'_>) {
    if let Some(id) = interp.graph_capture() {
        interp.library.captures[id.0].backward = true;
    }
}

/// `tensor.grad`.
pub(super) fn gradient<'p>(interp: &mut Interp<'p>, cell: CellId, range: TextRange) -> Value<'p> {
    let Some(tensor) = interp.heap.tensor(cell) else {
        return Value::Unknown;
    };
    if let Some(grad) = tensor.grad {
        return Value::Extension(grad);
    }
    let (device, wanted, at_most) = (tensor.device, tensor.requires_grad, tensor.at_most);
    if !wanted {
        return Value::Unknown;
    }
    let captured = (0..interp.library.captures.len())
        .rev()
        .find(|at| interp.library.captures[*at].backward)
        .map(CaptureId);
    let site = interp.at(range);
    let grad = interp.new_tensor(device, site);
    if let Some(it) = interp.heap.tensor_mut(grad) {
        it.captured = captured.or(it.captured);
        it.at_most = at_most;
        it.escaped = true;
    }
    if captured.is_some() {
        interp.emit(Event::GradientMade { gradient: grad });
    }
    if let Some(it) = interp.heap.tensor_mut(cell) {
        it.grad = Some(grad);
    }
    Value::Extension(grad)
}
