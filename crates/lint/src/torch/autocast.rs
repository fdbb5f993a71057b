//! `torch.autocast`: the casts that it keeps.

use super::Interp;
use super::state::tensor::{Device, Elements};
use crate::interp::value::{CellId, Value};

/// An operator runs, by its name without `torch.`, or a module of that name.
pub(super) fn called<'p>(interp: &mut Interp<'p>, name: &str, values: &[Value<'p>]) {
    if interp.flow.autocast.is_empty() || !runs_in_lower_precision(name) {
        return;
    }
    let casts = values
        .iter()
        .flat_map(|it| interp.tensors_of(it))
        .any(|it| is_cached(interp, it));
    if casts && let Some(autocast) = interp.flow.autocast.last_mut() {
        autocast.2 = true;
    }
}

/// Whether autocast keeps the cast copy of a tensor: only of leaves that require grad, and are not cast already.
fn is_cached(interp: &Interp<'_>, cell: CellId) -> bool {
    interp.heap.tensor(cell).is_some_and(|it| {
        it.leaf
            && it.requires_grad
            && it.view_of.is_none()
            && it.elements != Elements::Half
            && it.device != Device::Host
    })
}

/// Whether autocast casts the operands of an operator or a module to its lower precision
/// (`AT_FORALL_LOWER_PRECISION_FP` in `ATen/autocast_mode.h`).
fn runs_in_lower_precision(name: &str) -> bool {
    matches!(
        name,
        "@" | "matmul"
            | "mm"
            | "mv"
            | "bmm"
            | "addmm"
            | "addmv"
            | "addr"
            | "addbmm"
            | "baddbmm"
            | "einsum"
            | "linear"
            | "chain_matmul"
            | "multi_dot"
            | "vecdot"
            | "prelu"
            | "scaled_dot_product_attention"
            | "Linear"
            | "PReLU"
            | "MultiheadAttention"
    ) || ["conv", "Conv", "LSTM", "GRU", "RNN", "Transformer"]
        .iter()
        .any(|start| name.starts_with(start))
}
