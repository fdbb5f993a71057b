//! CG205 of tensors on the host that are numbers: a kernel gets their value, and a graph keeps it.

use super::control_flow::FROZEN_SCALAR;
use super::judge::Judge;
use crate::draft::{Draft, Report, says};
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::{CaptureId, CaptureKind};
use crate::torch::state::tensor::Device;

/// How many such tensors are kept in mind.
const MOST: usize = 64;

/// A number in a tensor that captured code computed with.
#[derive(Debug)]
struct HostNumber {
    capture: CaptureId,
    tensor: CellId,
    report: Report,
    /// Whether it was written after the capture.
    written: bool,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Numbers in tensors on the host that captured code read.
    host_numbers: Vec<HostNumber>,
}

/// An operation that takes numbers has these operands.
pub(super) fn computed<'p>(judge: &mut Judge<'_, 'p>, operands: &[Value<'p>], range: TextRange) {
    let Some(capture) = judge.graph_capture() else {
        return;
    };
    if judge.library.captures[capture.0].kind != CaptureKind::Graph
        || judge.device_of(operands) != Device::Cuda
        || judge.notes.of::<Noted>().host_numbers.len() >= MOST
    {
        return;
    }
    let numbers: Vec<_> = operands
        .iter()
        .filter_map(|it| match it {
            Value::Extension(cell) => Some(judge.root(*cell)),
            _ => None,
        })
        .filter(|root| {
            judge.heap.tensor(*root).is_some_and(|it| {
                it.device == Device::Host && it.rank == Some(0) && it.captured.is_none()
            })
        })
        .collect();
    let site = judge.at(range);
    for tensor in numbers {
        let draft = Draft::new(
            &FROZEN_SCALAR,
            site,
            says::cg205::TITLE,
        )
        .note("the value of a tensor with no dimensions on the host is passed to kernels like Python's numbers")
        .help(says::cg205::keep_on_device("the number", "tensor"));
        if let Some(report) = judge.report_of(draft) {
            judge.notes.of_mut::<Noted>().host_numbers.push(HostNumber {
                capture,
                tensor,
                report,
                written: false,
            });
        }
    }
}

/// A tensor is written in place.
pub(super) fn written<'p>(judge: &mut Judge<'_, 'p>, target: &Value<'p>) {
    let Value::Extension(target) = target else {
        return;
    };
    if judge.notes.of::<Noted>().host_numbers.is_empty() || !judge.flow.captures.is_empty() {
        return;
    }
    let root = judge.root(*target);
    for number in &mut judge.notes.of_mut::<Noted>().host_numbers {
        number.written |= number.tensor == root;
    }
}

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, capture: CaptureId) {
    let numbers = std::mem::take(&mut judge.notes.of_mut::<Noted>().host_numbers);
    let is_told = |it: &HostNumber| it.capture == capture && it.written;
    let (told, rest): (Vec<_>, Vec<_>) = numbers.into_iter().partition(is_told);
    judge.notes.of_mut::<Noted>().host_numbers = rest;
    for it in told {
        judge.add(it.report);
    }
}
