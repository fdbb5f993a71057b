//! CG101: the host waits for the device inside a capture.

use super::{Draft, Rule, compiler, copies, pinned_sources, threads};
use crate::draft::{Argument, Repair};
use crate::finding::Confidence;
use crate::interp::object::Mode;
use crate::interp::value::{CellId, Device, Value};
use crate::interp::{Args, Cell, Interp};
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
            _ => Repair::ReadLater(interp.shown(id), site),
        });
    interp.report(draft);
}

/// Python asks for the truth of a value.
pub(crate) fn truth<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    if let Value::Tensor(cell) = value {
        read(interp, *cell, Wait::Read("a condition"), range);
    }
}

/// Python compares values, or wants a number or an index of one. A compiler follows that by itself.
pub(crate) fn asked<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    what: &'static str,
    range: TextRange,
) {
    if let Value::Tensor(cell) = value
        && !interp.is_compiling()
    {
        read(interp, *cell, Wait::Read(what), range);
    }
}

/// A list or a text of Python's is indexed, or repeated: by a tensor, or by a slice whose ends are tensors.
pub(crate) fn indexes_on_host<'p>(interp: &mut Interp<'p>, index: &Value<'p>, range: TextRange) {
    const WHAT: &str = "a tensor as an index of Python's";
    match index {
        Value::Slice(parts) => {
            for part in parts.iter() {
                asked(interp, part, WHAT, range);
            }
        }
        index => asked(interp, index, WHAT, range),
    }
}

/// A value is turned into text.
pub(crate) fn formatted<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    if let Some(tensor) = tensor_in(interp, value, DEEPEST) {
        read(interp, tensor, Wait::Read("the text of a tensor"), range);
    }
}

/// How deep containers are searched for a tensor.
pub(crate) const DEEPEST: usize = 3;
/// How many of their elements are looked at.
const WIDEST: usize = 16;

/// The tensor that a value is, or one of the device that it holds: containers are turned into text with what is in them.
pub(crate) fn tensor_in<'p>(
    interp: &Interp<'p>,
    value: &Value<'p>,
    depth: usize,
) -> Option<CellId> {
    let parts: Vec<&Value<'p>> = match value {
        Value::Tensor(tensor) => return Some(*tensor),
        Value::List(list) if depth > 0 => {
            interp.heap.list(*list)?.items.iter().take(WIDEST).collect()
        }
        Value::Dict(dict) if depth > 0 => match interp.heap.get(*dict) {
            Cell::Dict(items) if items.len() <= WIDEST => items.values().collect(),
            _ => return None,
        },
        _ => return None,
    };
    interp.spend_many(1);
    parts
        .into_iter()
        .filter_map(|it| tensor_in(interp, it, depth - 1))
        .filter(|it| {
            interp
                .heap
                .tensor(*it)
                .is_some_and(|it| it.device == Device::Cuda)
        })
        .min()
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
        "complex" => "`complex()`",
        "range" => "`range()`",
        "bin" | "chr" | "hex" | "oct" => "a conversion to text",
        _ => "a conversion to a number",
    };
    read(interp, *cell, Wait::Read(what), range);
}

/// Part of a tensor is taken by a slice, whose ends may be tensors.
pub(crate) fn indexed_by_slice<'p>(interp: &mut Interp<'p>, index: &Value<'p>, range: TextRange) {
    let Value::Slice(parts) = index else { return };
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
        "inv" | "inverse" | "tensorinv" => Wait::Check("the error check of an inverse"),
        "cholesky" => Wait::Check("the error check of `cholesky`"),
        "eig" | "eigvals" | "eigh" | "eigvalsh" => {
            Wait::Check("the error check of an eigendecomposition")
        }
        "ldl_factor" | "lu_factor" => Wait::Check("the error check of a factorisation"),
        "lobpcg" => Wait::Check("`lobpcg`"),
        "lstsq" => Wait::Check("the error check of `lstsq`"),
        "solve" => Wait::Check("the error check of `solve`"),
        "istft" => Wait::Check("the check of the window of `istft`"),
        "to_sparse" => Wait::Shape("`to_sparse`"),
        "normal" if count > 1 && is_tensor(args.get(1, "std")) => {
            return read_argument(interp, args.get(1, "std"), "the check of `normal`", range);
        }
        "cov" | "corrcoef" => Wait::Check("the check of `cov`"),
        "_local_scalar_dense" => Wait::Read("`_local_scalar_dense`"),
        "combinations" => Wait::Shape("`combinations`"),
        _ if args.name("check_errors").and_then(Value::truth) == Some(true) => {
            Wait::Check("`check_errors=True`")
        }
        "bincount" => return copies::read_whole(interp, first, "`bincount`", range),
        "svd" => return copies::read_whole(interp, first, "the error check of `svd`", range),
        "svd_lowrank" | "pca_lowrank" => {
            return copies::read_whole(interp, first, "the error check of `svd`", range);
        }
        "matrix_exp" => return copies::read_whole(interp, first, "`matrix_exp`", range),
        "cond" => return copies::read_whole(interp, first, "the error check of `cond`", range),
        "pinv" | "pinverse" => {
            return copies::read_whole(interp, first, "the error check of `pinv`", range);
        }
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

fn is_tensor(value: Option<&Value<'_>>) -> bool {
    matches!(value, Some(Value::Tensor(_)))
}

fn read_argument<'p>(
    interp: &mut Interp<'p>,
    value: Option<&Value<'p>>,
    what: &'static str,
    range: TextRange,
) {
    if let Some(Value::Tensor(cell)) = value {
        let cell = *cell;
        read(interp, cell, Wait::Check(what), range);
    }
}
