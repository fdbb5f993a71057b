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

/// Operators whose result or whose check the host waits for.
const WAITING: [(&[&str], Wait); 20] = [
    (&["nonzero"], Wait::Shape("`nonzero`")),
    (&["argwhere"], Wait::Shape("`argwhere`")),
    (&["unique"], Wait::Shape("`unique`")),
    (&["unique_consecutive"], Wait::Shape("`unique_consecutive`")),
    (&["masked_select"], Wait::Shape("`masked_select`")),
    (&["combinations"], Wait::Shape("`combinations`")),
    (&["to_sparse"], Wait::Shape("`to_sparse`")),
    (&["equal"], Wait::Read("`equal`")),
    (&["allclose"], Wait::Read("`allclose`")),
    (&["is_nonzero"], Wait::Read("`is_nonzero`")),
    (
        &["_local_scalar_dense"],
        Wait::Read("`_local_scalar_dense`"),
    ),
    (
        &["inv", "inverse", "tensorinv"],
        Wait::Check("the error check of an inverse"),
    ),
    (&["cholesky"], Wait::Check("the error check of `cholesky`")),
    (
        &["eig", "eigvals", "eigh", "eigvalsh"],
        Wait::Check("the error check of an eigendecomposition"),
    ),
    (
        &["ldl_factor", "lu_factor"],
        Wait::Check("the error check of a factorisation"),
    ),
    (&["lobpcg"], Wait::Check("`lobpcg`")),
    (&["lstsq"], Wait::Check("the error check of `lstsq`")),
    (&["solve"], Wait::Check("the error check of `solve`")),
    (
        &["istft"],
        Wait::Check("the check of the window of `istft`"),
    ),
    (&["cov", "corrcoef"], Wait::Check("the check of `cov`")),
];

/// Operators that copy what they need to know to the host.
const READING: [(&[&str], &str); 7] = [
    (&["bincount"], "`bincount`"),
    (
        &["svd", "svd_lowrank", "pca_lowrank"],
        "the error check of `svd`",
    ),
    (&["svdvals"], "the error check of `svdvals`"),
    (&["cond"], "the error check of `cond`"),
    (&["pinv", "pinverse"], "the error check of `pinv`"),
    (&["matrix_exp"], "`matrix_exp`"),
    (&["matrix_rank"], "`matrix_rank`"),
];

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
    let (count, is_given) = (args.positional.len(), |name: &str| {
        args.name(name).is_some()
    });
    let wait = match name {
        "nonzero" if is_given("size") => return,
        "where" if count + args.named.len() == 1 => Wait::Shape("`where` of a condition alone"),
        "one_hot" if count < 2 && !is_given("num_classes") => {
            Wait::Read("`one_hot` without `num_classes`")
        }
        "repeat_interleave" if !is_given("output_size") && repeats_by_tensor(args) => {
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
        _ if args.name("check_errors").and_then(Value::truth) == Some(true) => {
            Wait::Check("`check_errors=True`")
        }
        _ => match (of_operator(&WAITING, name), of_operator(&READING, name)) {
            (Some(wait), _) => wait,
            (_, Some(what)) => return transfers::read_whole(interp, first, what, range),
            _ => return,
        },
    };
    read(interp, first, wait, range);
}

/// What a table says of an operator.
fn of_operator<T: Copy>(table: &[(&[&str], T)], name: &str) -> Option<T> {
    let mut rows = table.iter();
    rows.find(|it| it.0.contains(&name)).map(|it| it.1)
}

fn repeats_by_tensor(args: &Args<'_>) -> bool {
    matches!(args.get(1, "repeats"), Some(Value::Extension(_)))
}
