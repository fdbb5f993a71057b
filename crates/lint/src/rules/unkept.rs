//! CG209 where nothing says that an input is released: it was an argument that only its call referred to, or a value that
//! a function did not keep.

use super::inputs::{self, FREED};
use super::judge::Judge;
use crate::draft::{Draft, says};
use crate::interp::value::CellId;
use crate::torch::state::capture::{CaptureId, CaptureKind};
use crate::torch::state::tensor::Device;

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let capture = &judge.library.captures[id.0];
    if capture.kind != CaptureKind::Graph || capture.doubt > judge.doubt() {
        return;
    }
    let inputs: Vec<_> = capture
        .inputs
        .iter()
        .map(|(input, read)| (*input, *read))
        .filter(|(input, _)| may_be_freed(judge, id, *input))
        .collect();
    let cells = inputs.iter().map(|it| it.0).collect();
    let freed = judge.unreferred(cells);
    for (input, read) in inputs {
        if !freed.contains(&input) || judge.has_reported(&FREED, read) {
            continue;
        }
        let Some(made) = judge.heap.tensor(input).map(|it| it.made) else {
            continue;
        };
        let draft = Draft::new(
            &FREED,
            read,
            "the graph reads a tensor that nothing refers to any more when it is replayed",
        )
        .label(made, "it was made here, and nothing keeps it")
        .note(says::cg209::ADDRESSES)
        .help(says::cg209::write_anew("the tensor"));
        judge.report(draft);
    }
}

/// Whether a tensor is one of those that the program frees by letting go of them.
fn may_be_freed(judge: &Judge<'_, '_>, capture: CaptureId, input: CellId) -> bool {
    let Some(tensor) = judge.heap.tensor(input) else {
        return false;
    };
    tensor.device == Device::Cuda
        && tensor.captured.is_none()
        && !tensor.escaped
        && !tensor.requires_grad
        && tensor.parents.is_empty()
        && !judge.is_in_use(input)
        // Of what is released where that can be seen, that place is told.
        && !inputs::is_let_go(judge, capture, input)
}
