//! CG113 and CG120: what a library sets up at its first use, and cannot inside a capture.

use super::first_uses::{self, What};
use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::object::Mode;
use crate::interp::value::{CellId, Device, Value};
use crate::syntax::ast::TextRange;

/// The first collective of a process group.
pub(crate) static COMMUNICATOR: Rule = Rule::new("CG113", Confidence::Likely);
/// The first use of a library of NVIDIA's.
pub(crate) static FIRST_USE: Rule = Rule::new("CG120", Confidence::Likely);

/// What the program has done with libraries so far, as far as it can be seen.
#[derive(Debug, Default)]
pub(crate) struct Libraries {
    /// The libraries that it may have used.
    used: Vec<&'static str>,
    /// Whether it ran something of which nothing is known: that may have used any.
    pub(super) unsure: bool,
}

/// The library that sets itself up for an operator, where each use of that operator certainly needs it.
fn needed(name: &str) -> Option<&'static str> {
    Some(match name {
        "@" | "mm" | "bmm" | "matmul" | "addmm" | "linear" | "Linear" => "cuBLAS",
        "conv1d" | "conv2d" | "conv3d" | "Conv1d" | "Conv2d" | "Conv3d" => "cuDNN",
        "fft.fft" | "fft.ifft" | "fft.rfft" | "fft.irfft" | "fft.fft2" | "fft.rfft2" => "cuFFT",
        "linalg.qr" => "cuSOLVER",
        _ => return None,
    })
}

/// Operators that certainly need no library, though their names look like those that may.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "sub"
            | "mul"
            | "div"
            | "relu"
            | "gelu"
            | "tanh"
            | "sigmoid"
            | "exp"
            | "log"
            | "sqrt"
            | "sum"
            | "mean"
            | "clone"
            | "zero_"
            | "fill_"
            | "copy_"
            | "add_"
            | "mul_"
            | "softmax"
            | "layer_norm"
            | "cat"
            | "stack"
            | "where"
    )
}

/// An operator runs, by its name without `torch.`.
pub(crate) fn called<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    values: &[Value<'p>],
    range: TextRange,
) {
    let device = interp.device_of(values);
    if device == Device::Host || is_plain(name) {
        return;
    }
    match needed(name) {
        Some(library) => needs(interp, name, library, device, range),
        // What it needs is not known, and so is what it sets up.
        None if may_need_library(name) => interp.notes.libraries.unsure = true,
        None => {}
    }
}

fn may_need_library(name: &str) -> bool {
    [
        "mm",
        "mat",
        "inear",
        "einsum",
        "dot",
        "inner",
        "ttention",
        "ransformer",
        "LSTM",
        "GRU",
        "RNN",
        "cdist",
        "mv",
        "conv",
        "Conv",
        "fft",
        "linalg",
        "svd",
        "qr",
        "eig",
        "solve",
        "chol",
        "inv",
        "lu",
        "sparse",
        "rnn",
        "lstm",
        "gru",
        "norm",
        "Norm",
        "ctc",
        "grid_sample",
        "orth",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn needs(
    interp: &mut Interp<'_>,
    name: &str,
    library: &'static str,
    device: Device,
    range: TextRange,
) {
    first_uses::used(interp, What::Library(library));
    if interp.notes.libraries.used.contains(&library) {
        return;
    }
    let is_first = is_certain(interp) && device == Device::Cuda;
    interp.notes.libraries.used.push(library);
    if !is_first {
        return;
    }
    let site = interp.at(range);
    let what = if name == "@" {
        "`@`".to_owned()
    } else {
        format!("`{name}`")
    };
    let title = format!("{what} is the program's first use of {library}, inside a capture");
    let draft = Draft::new(&FIRST_USE, site, title)
        .note("a library allocates memory when it is used first, which the capture refuses")
        .help("run the step once on a side stream before the capture")
        .repair(
            interp
                .graph_capture()
                .map(|id| Repair::WarmUp(interp.shown(id), site)),
        );
    first_uses::report(interp, What::Library(library), draft);
}

/// Whether a capture runs that refuses what a library does first, and all that ran before was seen.
fn is_certain(interp: &Interp<'_>) -> bool {
    !interp.notes.libraries.unsure
        && !interp.from_nowhere
        && interp.flow.foreign.is_none()
        && interp.graph_capture().is_some_and(|id| {
            matches!(interp.captures[id.0].mode, Mode::Global | Mode::ThreadLocal)
        })
}

/// A collective runs, of this group or of the default one; `is_new` says whether it is the group's first.
pub(crate) fn collective(
    interp: &mut Interp<'_>,
    group: Option<CellId>,
    is_new: bool,
    range: TextRange,
) {
    let what = What::Communicator(group);
    first_uses::used(interp, what);
    if !is_new || !is_certain(interp) {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &COMMUNICATOR,
        site,
        "the first collective of a process group is inside a capture",
    )
    .note("it creates the group's communicator, which the capture refuses")
    .help("run a collective of the group before the capture, or give `init_process_group` its `device_id`")
    .repair(interp.graph_capture().map(|id| Repair::Communicate(interp.shown(id), site)));
    first_uses::report(interp, what, draft);
}

/// Something runs of which nothing is known.
pub(crate) fn unknown_called(interp: &mut Interp<'_>) {
    interp.notes.libraries.unsure = true;
}
