//! CG308: memory that is freed during a capture, which neither the capture nor the driver gets.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::Reach;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::CaptureId;
use crate::torch::state::tensor::Device;

/// A capture frees what was there before it, and needs as much itself.
pub(crate) static NOT_GIVEN_BACK: Rule = Rule::new("CG308", Confidence::Likely);

/// Bytes from which on it is worth a word.
const LARGE: i64 = 64 << 20;

/// A tensor from before a capture to which a reference was dropped in it.
#[derive(Clone, Copy, Debug)]
struct KeptBack {
    capture: CaptureId,
    tensor: CellId,
    at: Site,
    /// How many bytes the capture is known to have asked for by then.
    asked: i64,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Large tensors from before captures that were released in them.
    kept_back: Vec<KeptBack>,
}

/// Something inside a capture no longer refers to a tensor.
pub(super) fn let_go(judge: &mut Judge<'_, '_>, tensor: CellId, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let root = judge.root(tensor);
    let is_large = judge.heap.tensor(root).is_some_and(|it| {
        it.device == Device::Cuda
            && it.captured.is_none()
            && !it.escaped
            && it.bytes.is_some_and(|bytes| bytes >= LARGE)
    });
    if !is_large || judge.is_doubtful() {
        return;
    }
    let kept = KeptBack {
        capture: id,
        tensor: root,
        at: judge.at(range),
        asked: judge.library.captures[id.0].bytes,
    };
    judge.notes.of_mut::<Noted>().kept_back.push(kept);
}

/// A capture ends.
pub(super) fn capture_ends(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let capture = &judge.library.captures[id.0];
    let is_wanted = |it: &KeptBack| {
        let is_read = capture.inputs.contains_key(&it.tensor);
        it.capture == id && !is_read && capture.bytes - it.asked >= LARGE
    };
    let kept = judge.notes.of::<Noted>().kept_back.iter().copied();
    let kept: Vec<KeptBack> = kept.filter(is_wanted).collect();
    for it in kept {
        if !judge.is_referred_to(it.tensor, Reach::Possibly) {
            not_given_back(judge, it);
        }
    }
}

fn not_given_back(judge: &mut Judge<'_, '_>, kept: KeptBack) {
    let Some(tensor) = judge.heap.tensor(kept.tensor) else {
        return;
    };
    let draft = Draft::new(
        &NOT_GIVEN_BACK,
        kept.at,
        says::cg308::TITLE,
    )
    .label(tensor.made, "it was allocated here, before the capture")
    .note("the capture allocates from its own pool, and the allocator returns nothing to the driver meanwhile, not even in `empty_cache()`")
    .help(says::cg308::BEFORE);
    judge.report(draft);
}
