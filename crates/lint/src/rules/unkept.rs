//! CG209 where nothing says that an input is let go: it was an argument that only its call referred to, or a value that
//! a function did not keep.

use super::Draft;
use super::inputs::{ADDRESS, FREED};
use crate::interp::value::{CaptureId, CellId, Device};
use crate::interp::{CaptureKind, Interp};

/// A graph is replayed.
pub(crate) fn replays(interp: &mut Interp<'_>, id: CaptureId) {
    let capture = &interp.captures[id.0];
    if capture.kind != CaptureKind::Graph || capture.doubt > interp.doubt() {
        return;
    }
    let inputs: Vec<_> = capture
        .inputs
        .iter()
        .map(|(input, read)| (*input, *read))
        .filter(|(input, _)| may_be_freed(interp, id, *input))
        .collect();
    let cells = inputs.iter().map(|it| it.0).collect();
    let freed = interp.unreferred(cells);
    for (input, read) in inputs {
        if !freed.contains(&input) || interp.has_reported(&FREED, read) {
            continue;
        }
        let Some(made) = interp.heap.tensor(input).map(|it| it.made) else {
            continue;
        };
        let draft = Draft::new(
            &FREED,
            read,
            "the graph reads a tensor that nothing refers to any more when it is replayed",
        )
        .label(made, "it was made here, and nothing keeps it")
        .note(ADDRESS)
        .help("let the graph read a tensor of its own that is kept beside it, and copy into that");
        interp.report(draft);
    }
}

/// Whether a tensor is one of those that the program frees by letting go of them.
fn may_be_freed(interp: &Interp<'_>, capture: CaptureId, input: CellId) -> bool {
    let Some(tensor) = interp.heap.tensor(input) else {
        return false;
    };
    // Of what is let go where that can be seen, that place is told.
    let is_told = |it: &super::inputs::LetGo| it.is(capture, input);
    tensor.device == Device::Cuda
        && tensor.captured.is_none()
        && !tensor.escaped
        && !tensor.requires_grad
        && tensor.parents.is_empty()
        && !interp.is_in_use(input)
        && !interp.notes.let_go.iter().any(is_told)
}
