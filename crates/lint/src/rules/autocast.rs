//! CG204: the casts that autocast keeps are baked into a graph.

use super::{Draft, Rule};
use crate::draft::{Argument, Repair};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Device, Elements, Value};
use crate::interp::{CaptureKind, Interp};

/// The graph reads cast copies that autocast drops when it is left.
pub(crate) static CACHE: Rule = Rule::new("CG204", Confidence::Likely);

/// A capture begins.
pub(crate) fn capture_begins(interp: &mut Interp<'_>, kind: CaptureKind) {
    if kind == CaptureKind::Compiler {
        return;
    }
    let Some((site, true, true)) = interp.flow.autocast.last().copied() else {
        return;
    };
    let draft = Draft::new(&CACHE, site, "a graph is captured under autocast whose cache is in use")
        .note("the graph reads cast copies of the weights, which are dropped when autocast is left, and never made anew")
        .help("pass `cache_enabled=False`, or enter autocast inside the capture")
        .repair(Repair::Pass(site, Argument::safe("cache_enabled", "False")));
    interp.report(draft);
}

/// An operator runs, by its name without `torch.`, or a module of that name.
pub(crate) fn called<'p>(interp: &mut Interp<'p>, name: &str, values: &[Value<'p>]) {
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
