//! CG132: a tensor of inference mode is written, or saved for a backward pass, outside of that mode.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::state::tensor::Device;

/// Refused by PyTorch.
pub(crate) static WRITTEN_OUTSIDE: Rule = Rule::new("CG132", Confidence::Confirmed);

/// Operators that save each operand which another one's gradient depends on.
const SAVING: [&str; 12] = [
    "@", "mm", "bmm", "matmul", "linear", "Linear", "conv1d", "conv2d", "conv3d", "Conv1d",
    "Conv2d", "Conv3d",
];

/// A tensor is written in place: by captured work, or to refill what a graph reads.
pub(super) fn written<'p>(judge: &mut Judge<'_, 'p>, target: &Value<'p>, range: TextRange) {
    let Some(made) = made_in_inference_mode(judge, target) else {
        return;
    };
    if judge.graph_capture().is_none() && !is_input(judge, target) {
        return;
    }
    let title = "a tensor of inference mode is written outside of that mode";
    report(judge, title, made, range);
}

/// An operator runs that saves its operands for a backward pass.
pub(super) fn operator<'p>(
    judge: &mut Judge<'_, 'p>,
    name: &str,
    operands: &[Value<'p>],
    range: TextRange,
) {
    if !SAVING.contains(&name) || judge.graph_capture().is_none() || !judge.flow.grad {
        return;
    }
    let is_trained = |it: &Value<'p>| match it {
        Value::Extension(cell) => judge.heap.tensor(*cell).is_some_and(|it| it.requires_grad),
        _ => false,
    };
    if !operands.iter().any(is_trained) {
        return;
    }
    let mut made = operands.iter().map(|it| made_in_inference_mode(judge, it));
    if let Some(made) = made.find_map(|it| it) {
        let title = "a tensor of inference mode is saved for the backward pass";
        report(judge, title, made, range);
    }
}

/// Where a tensor of the device was made, if it was certainly made in inference mode and that is certainly off.
fn made_in_inference_mode(state: &Interp<'_>, value: &Value<'_>) -> Option<Site> {
    let Value::Extension(cell) = value else {
        return None;
    };
    let is_off = state.flow.inference == Some(false) && !state.is_from_nowhere();
    let tensor = state.heap.tensor(*cell).filter(|_| is_off)?;
    (tensor.inference && tensor.device == Device::Cuda).then_some(tensor.made)
}

/// Whether a graph reads a tensor.
fn is_input(state: &Interp<'_>, value: &Value<'_>) -> bool {
    let root = |cell: CellId| state.root(state.heap.referent(cell));
    let Some(root) = value.cell().map(root) else {
        return false;
    };
    let mut captures = state.library.captures.iter();
    captures.any(|it| it.inputs.contains_key(&root))
}

fn report(judge: &mut Judge<'_, '_>, title: &str, made: Site, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(&WRITTEN_OUTSIDE, site, title)
        .label(made, "it was made in inference mode")
        .note("PyTorch refuses it: tensors of inference mode are not tracked for autograd")
        .help(says::cg132::MAKE_OUTSIDE);
    judge.report(draft);
}
