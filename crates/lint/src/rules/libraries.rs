//! CG113 and CG120: what a library sets up at its first use, and cannot inside a capture.

use super::first_uses::{self, What};
use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;
use crate::torch::state::object::Mode;
use crate::torch::state::tensor::Device;

/// The first collective of a process group.
pub(crate) static COMMUNICATOR: Rule = Rule::new("CG113", Confidence::Likely);
/// The first use of a library of NVIDIA's.
pub(crate) static FIRST_USE: Rule = Rule::new("CG120", Confidence::Likely);

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// The libraries that the program may have used so far.
    used: Vec<&'static str>,
}

/// The library that sets itself up for an operator, where each use of that operator certainly needs it, and how to make it ready.
fn needed(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "@" | "mm" | "bmm" | "matmul" | "addmm" | "linear" | "Linear" => {
            ("cuBLAS", says::cg120::CUBLAS)
        }
        "conv1d" | "conv2d" | "conv3d" | "Conv1d" | "Conv2d" | "Conv3d" => {
            ("cuDNN", says::cg120::CUDNN)
        }
        "fft.fft" | "fft.ifft" | "fft.rfft" | "fft.irfft" | "fft.fft2" | "fft.rfft2" => {
            ("cuFFT", says::cg120::CUFFT)
        }
        "linalg.qr" => ("cuSOLVER", says::cg120::CUSOLVER),
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
pub(super) fn called<'p>(
    judge: &mut Judge<'_, 'p>,
    name: &str,
    values: &[Value<'p>],
    range: TextRange,
) {
    let device = judge.device_of(values);
    if device == Device::Host || is_plain(name) {
        return;
    }
    match needed(name) {
        Some((library, warm_up)) => needs(judge, library, warm_up, device, range),
        // What it needs is not known, and so is what it sets up.
        None if may_need_library(name) => first_uses::unknown_ran(judge),
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
    judge: &mut Judge<'_, '_>,
    library: &'static str,
    warm_up: &'static str,
    device: Device,
    range: TextRange,
) {
    first_uses::used(judge, What::Library(library));
    if judge.notes.of::<Noted>().used.contains(&library) {
        return;
    }
    let is_first = is_certain(judge) && device == Device::Cuda;
    judge.notes.of_mut::<Noted>().used.push(library);
    if !is_first {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&FIRST_USE, site, says::cg120::title(library))
        .note("a library allocates memory when it is used first, which the capture refuses")
        .help(says::cg120::warm_up(warm_up))
        .repair(
            judge
                .graph_capture()
                .map(|id| Repair::WarmUp(judge.shown(id), site)),
        );
    first_uses::report(judge, What::Library(library), draft);
}

/// Whether a capture runs that refuses what a library does first, and all that ran before was seen.
fn is_certain(judge: &Judge<'_, '_>) -> bool {
    first_uses::all_is_known(judge)
        && !judge.is_from_nowhere()
        && judge.flow.foreign.is_none()
        && judge.graph_capture().is_some_and(|id| {
            matches!(
                judge.library.captures[id.0].mode,
                Mode::Global | Mode::ThreadLocal
            )
        })
}

/// A collective runs, of this group or of the default one; `is_new` says whether it is the group's first.
pub(super) fn collective(
    judge: &mut Judge<'_, '_>,
    group: Option<CellId>,
    is_new: bool,
    range: TextRange,
) {
    let what = What::Communicator(group);
    first_uses::used(judge, what);
    if !is_new || !is_certain(judge) {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&COMMUNICATOR, site, says::cg113::TITLE)
        .note("it creates the group's communicator, which the capture refuses")
        .help(says::cg113::RUN_ONE)
        .help(says::cg113::DEVICE_ID)
        .repair(
            judge
                .graph_capture()
                .map(|id| Repair::Communicate(judge.shown(id), site)),
        );
    first_uses::report(judge, what, draft);
}
