//! `torch.autograd.graph`: what becomes of the tensors that autograd saves for the backward pass.

use super::state::object::{Own, Saved};
use super::state::tensor::Device;
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// Operators that save an operand or their result, if gradients flow through it.
const SAVING: [&str; 44] = [
    "addmm",
    "bmm",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "cos",
    "div",
    "einsum",
    "exp",
    "GELU",
    "GroupNorm",
    "gelu",
    "group_norm",
    "LayerNorm",
    "Linear",
    "layer_norm",
    "linear",
    "log",
    "log_softmax",
    "matmul",
    "mm",
    "mul",
    "pow",
    "ReLU",
    "relu",
    "rms_norm",
    "rsqrt",
    "scaled_dot_product_attention",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "sigmoid",
    "silu",
    "sin",
    "softmax",
    "sqrt",
    "square",
    "Tanh",
    "tanh",
    "var",
    "@",
];

/// Makes the context of that name.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let saved = match name {
        "autograd.graph.saved_tensors_hooks" => Saved::Packed(args.get(0, "pack_hook")?.clone()),
        "autograd.graph.save_on_cpu" => Saved::OnHost(match args.get(0, "pin_memory") {
            Some(pinned) => pinned.truth(),
            None => (!args.open).then_some(false),
        }),
        _ => return None,
    };
    let site = interp.at(range);
    Some(interp.new_object(Kind::Library(Own::SavedTensors(saved)), site))
}

/// An operator was called, which may save tensors.
pub(crate) fn operator<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    operands: &[Value<'p>],
    result: &Value<'p>,
    range: TextRange,
) {
    let Some(saved) = interp.flow.saved_tensors.last().cloned() else {
        return;
    };
    let is_saved = |value: &&Value<'p>| match value {
        Value::Extension(cell) => interp
            .heap
            .tensor(*cell)
            .is_some_and(|it| it.device == Device::Cuda),
        _ => false,
    };
    let flows = match result {
        Value::Extension(cell) => interp.heap.tensor(*cell).is_some_and(|it| it.requires_grad),
        _ => false,
    };
    let Some(tensor) = operands.iter().find(is_saved).cloned() else {
        return;
    };
    if !flows || !SAVING.contains(&name) {
        return;
    }
    match saved {
        Saved::Packed(function) => {
            // What the hook does is not saved itself.
            let around = std::mem::take(&mut interp.flow.saved_tensors);
            interp.call(&function, Args::of(vec![tensor]), range);
            interp.flow.saved_tensors = around;
        }
        Saved::OnHost(Some(false)) => {
            super::methods::call(interp, &tensor, "cpu", &Args::default(), range);
        }
        Saved::OnHost(Some(true)) => {
            let site = interp.at(range);
            let packed = interp.new_tensor(Device::Host, site);
            if let Some(packed) = interp.heap.tensor_mut(packed) {
                packed.pinned = Some(true);
            }
            super::methods::call(
                interp,
                &Value::Extension(packed),
                "copy_",
                &Args::of(vec![tensor]),
                range,
            );
        }
        Saved::OnHost(None) => {}
    }
}
