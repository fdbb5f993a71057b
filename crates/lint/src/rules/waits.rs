//! CG101: the host waits for the device inside a capture.

use super::{Draft, Rule, compiler, copies, pinned_sources, threads};
use crate::finding::Confidence;
use crate::fixes::{Argument, Repair};
use crate::interp::value::{CellId, Device, Mode, Value};
use crate::interp::{Args, Interp};
use crate::syntax::ast::TextRange;

/// A wait for the device.
pub(crate) static HOST_SYNC: Rule = Rule::new("CG101", Confidence::Confirmed);

/// What waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    /// The host wants a number of a tensor.
    Read(&'static str),
    /// The shape of a result depends on numbers of a tensor.
    Shape(&'static str),
    /// `torch.cuda.synchronize()`.
    Device,
    /// `stream.synchronize()`.
    Stream(CellId),
    /// A copy of pinned memory without `non_blocking=True`.
    Copy,
    /// Something else that waits.
    Check(&'static str),
}

impl Wait {
    fn title(self) -> String {
        match self {
            Self::Read(what) => format!("{what} reads a number of the device inside a capture"),
            Self::Shape(what) => {
                format!("{what} has a result whose size the host must know, inside a capture")
            }
            Self::Device => "the host waits for the whole device inside a capture".to_owned(),
            Self::Stream(_) => "the host waits for a stream inside a capture".to_owned(),
            Self::Copy => {
                "a copy without `non_blocking=True` waits for the device inside a capture"
                    .to_owned()
            }
            Self::Check(what) => format!("{what} waits for the device inside a capture"),
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Read(_) => "keep it a tensor inside the capture, and read it after the replay",
            Self::Shape(_) => {
                "use an operation of fixed size: `torch.where`, multiplication by the mask, padding"
            }
            Self::Device | Self::Stream(_) => "wait before the capture, or after the replay",
            Self::Copy => "pass `non_blocking=True`",
            Self::Check(_) => "do it outside the captured region",
        }
    }
}

/// The host waits.
pub(crate) fn waited(interp: &mut Interp<'_>, wait: Wait, range: TextRange) {
    waits(interp, wait, false, range);
}

/// The host asks for numbers of a tensor.
pub(crate) fn read(interp: &mut Interp<'_>, tensor: CellId, wait: Wait, range: TextRange) {
    let Some(device) = interp.heap.tensor(tensor).map(|it| it.device) else {
        return;
    };
    if device == Device::Host {
        return;
    }
    waits(interp, wait, device == Device::Unknown, range);
}

fn waits(interp: &mut Interp<'_>, wait: Wait, unknown: bool, range: TextRange) {
    if interp.flow.foreign.is_some() {
        if !unknown {
            threads::waited(interp, wait, range);
        }
        return;
    }
    if interp.is_compiling() {
        if let Wait::Read(what) = wait {
            compiler::read(interp, what, range);
        }
        return;
    }
    let Some(id) = interp.graph_capture() else {
        pinned_sources::waited(interp);
        return;
    };
    let awaited = match wait {
        Wait::Device => None,
        Wait::Stream(stream) => Some(stream),
        Wait::Read(_) | Wait::Shape(_) | Wait::Copy | Wait::Check(_) => interp.flow.stream,
    };
    if matches!(interp.captures[id.0].mode, Mode::Relaxed | Mode::Unknown)
        && awaited.is_some_and(|it| interp.capture_of(it) != Some(id))
    {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(&HOST_SYNC, site, wait.title())
        .note("a capture records work and runs none: there is nothing yet that the host could read or wait for")
        .help(wait.help())
        .possible_if(unknown)
        .repair(match wait {
            Wait::Copy => Repair::Pass(site, Argument::safe("non_blocking", "True")),
            _ => Repair::ReadLater(id, site),
        });
    interp.report(draft);
}

/// Python asks for the truth of a value.
pub(crate) fn truth<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    if let Value::Tensor(cell) = value {
        read(interp, *cell, Wait::Read("a condition"), range);
    }
}

/// A value is turned into text.
pub(crate) fn formatted<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    if let Value::Tensor(cell) = value {
        read(interp, *cell, Wait::Read("the text of a tensor"), range);
    }
}

/// A value is turned into a number of Python's.
pub(crate) fn converted<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    into: &str,
    range: TextRange,
) {
    let Value::Tensor(cell) = value else { return };
    let what = match into {
        "float" => "`float()`",
        "int" => "`int()`",
        "bool" => "`bool()`",
        "range" => "`range()`",
        _ => "a conversion",
    };
    read(interp, *cell, Wait::Read(what), range);
}

/// Part of a tensor is taken by a slice, whose ends may be tensors.
pub(crate) fn indexed_by_slice<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    index: &Value<'p>,
    range: TextRange,
) {
    let (Value::Tensor(_), Value::Slice(parts)) = (tensor, index) else {
        return;
    };
    for part in parts.iter() {
        if let Value::Tensor(cell) = part {
            read(interp, *cell, Wait::Read("a slice by a tensor"), range);
        }
    }
}

/// An operator is called, by its name without a module.
pub(crate) fn operator<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) {
    let Some(Value::Tensor(first)) = args
        .positional
        .first()
        .or_else(|| args.named.first().map(|it| &it.1))
    else {
        return;
    };
    let first = *first;
    let count = args.positional.len();
    let wait = match name {
        "nonzero" if args.name("size").is_none() => Wait::Shape("`nonzero`"),
        "argwhere" => Wait::Shape("`argwhere`"),
        "unique" => Wait::Shape("`unique`"),
        "unique_consecutive" => Wait::Shape("`unique_consecutive`"),
        "masked_select" => Wait::Shape("`masked_select`"),
        "where" if count + args.named.len() == 1 => Wait::Shape("`where` of a condition alone"),
        "one_hot" if count < 2 && args.name("num_classes").is_none() => {
            Wait::Read("`one_hot` without `num_classes`")
        }
        "repeat_interleave" if args.name("output_size").is_none() && repeats_by_tensor(args) => {
            Wait::Shape("`repeat_interleave` without `output_size`")
        }
        "equal" => Wait::Read("`equal`"),
        "allclose" => Wait::Read("`allclose`"),
        "is_nonzero" => Wait::Read("`is_nonzero`"),
        "inv" => Wait::Check("the error check of `inv`"),
        "cholesky" => Wait::Check("the error check of `cholesky`"),
        "solve" => Wait::Check("the error check of `solve`"),
        "combinations" => Wait::Shape("`combinations`"),
        _ if args.name("check_errors").and_then(Value::truth) == Some(true) => {
            Wait::Check("`check_errors=True`")
        }
        "bincount" => return copies::read_whole(interp, first, "`bincount`", range),
        "svd" => return copies::read_whole(interp, first, "the error check of `svd`", range),
        "pinv" => return copies::read_whole(interp, first, "the error check of `pinv`", range),
        "svdvals" => {
            return copies::read_whole(interp, first, "the error check of `svdvals`", range);
        }
        "matrix_rank" => return copies::read_whole(interp, first, "`matrix_rank`", range),
        "histc" if count < 3 && args.name("min").is_none() && args.name("max").is_none() => {
            return copies::read_whole(interp, first, "`histc` without a range", range);
        }
        _ => return,
    };
    read(interp, first, wait, range);
}

fn repeats_by_tensor(args: &Args<'_>) -> bool {
    matches!(args.get(1, "repeats"), Some(Value::Tensor(_)))
}
