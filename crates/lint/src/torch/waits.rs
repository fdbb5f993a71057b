//! Functions that read numbers of the device, or wait for it.

use super::host::read;
use super::state::event::Wait;
use super::{Interp, arrays, transfers};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// A value is turned into a number of Python's.
pub(crate) fn converted<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    into: &str,
    range: TextRange,
) {
    arrays::read(interp, value, range);
    let Value::Extension(cell) = value else {
        return;
    };
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
        if let Value::Extension(cell) = part {
            read(interp, *cell, Wait::Read("a slice by a tensor"), range);
        }
    }
}

/// An operator is called, by its name without a module.
pub(crate) fn operator<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) {
    let Some(Value::Extension(first)) = args
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
        // Of a tensor and itself it reads nothing (`aten/src/ATen/native/cuda/Equal.cpp`, 2.11).
        "equal"
            if args
                .positional
                .get(1)
                .is_some_and(|it| it.same(&args.positional[0])) =>
        {
            return;
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
        "bincount" => return transfers::read_whole(interp, first, "`bincount`", range),
        "svd" => return transfers::read_whole(interp, first, "the error check of `svd`", range),
        "svd_lowrank" | "pca_lowrank" => {
            return transfers::read_whole(interp, first, "the error check of `svd`", range);
        }
        "matrix_exp" => return transfers::read_whole(interp, first, "`matrix_exp`", range),
        "cond" => return transfers::read_whole(interp, first, "the error check of `cond`", range),
        "pinv" | "pinverse" => {
            return transfers::read_whole(interp, first, "the error check of `pinv`", range);
        }
        "svdvals" => {
            return transfers::read_whole(interp, first, "the error check of `svdvals`", range);
        }
        "matrix_rank" => return transfers::read_whole(interp, first, "`matrix_rank`", range),
        "histc" if count < 3 && args.name("min").is_none() && args.name("max").is_none() => {
            return transfers::read_whole(interp, first, "`histc` without a range", range);
        }
        _ => return,
    };
    read(interp, first, wait, range);
}

fn repeats_by_tensor(args: &Args<'_>) -> bool {
    matches!(args.get(1, "repeats"), Some(Value::Extension(_)))
}

fn is_tensor(value: Option<&Value<'_>>) -> bool {
    matches!(value, Some(Value::Extension(_)))
}

fn read_argument<'p>(
    interp: &mut Interp<'p>,
    value: Option<&Value<'p>>,
    what: &'static str,
    range: TextRange,
) {
    if let Some(Value::Extension(cell)) = value {
        let cell = *cell;
        read(interp, cell, Wait::Check(what), range);
    }
}
