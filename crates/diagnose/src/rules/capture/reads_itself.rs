//! Operators that read values of the GPU of their own accord, and what to write instead.

use crate::subjects::Failure;

/// What helps, if the operator that the program called reads a value by itself. Without it, the program asked for the value.
///
/// Source: PyTorch 2.11, where each of the alternatives was captured on the virtual GPU (`tests/first_error/reads_itself.py`).
pub(super) fn instead(failure: &Failure<'_, '_>) -> Option<&'static str> {
    let (run, thread) = (failure.capture?, failure.thread()?);
    let history = failure.history;
    let operator = history.called_operator(thread, run.began.position, failure.position())?;
    let name = history.trace.string(operator.name).strip_prefix("aten::")?;
    let known = INSTEAD.iter().find(|(names, _)| names.contains(&name))?;
    Some(known.1)
}

/// Operators of `aten`, and a help.
const INSTEAD: &[(&[&str], &str)] = &[
    (
        &["one_hot"],
        "pass `num_classes=`: without it, `one_hot` reads the largest index from the GPU",
    ),
    (
        &["repeat_interleave"],
        "pass `output_size=`: without it, `repeat_interleave` reads the sum of the repeats from the GPU",
    ),
    (
        &["nonzero", "nonzero_numpy", "argwhere"],
        "the size of this result depends on values: use `torch.nonzero_static(x, size=…)`, or keep all elements and choose with `torch.where`",
    ),
    (
        &["index", "masked_select"],
        "the size of what a boolean mask selects depends on values: keep all elements, and choose with `torch.where` or multiply by the mask",
    ),
    (
        &["index_put_", "index_put"],
        "the number of elements that a boolean mask selects depends on values: write `x.copy_(torch.where(mask, value, x))` or `masked_fill_` for `x[mask] = value`",
    ),
    (
        &[
            "_unique2",
            "unique_dim",
            "unique_consecutive",
            "unique_dim_consecutive",
        ],
        "how many values are unique depends on the values: do this before the capture, or after `replay()`",
    ),
    (
        &["linalg_inv", "inverse"],
        "use `torch.linalg.inv_ex`: `inv` reads from the GPU whether the matrix could be inverted",
    ),
    (
        &["linalg_solve"],
        "use `torch.linalg.solve_ex`: `solve` reads from the GPU whether there is a solution",
    ),
    (
        &["linalg_cholesky", "cholesky"],
        "use `torch.linalg.cholesky_ex`: `cholesky` reads from the GPU whether the matrix was positive definite",
    ),
    (
        &["equal"],
        "keep the answer on the GPU: `(a == b).all()` for `torch.equal(a, b)`, and read it after `replay()`",
    ),
    (
        &["allclose"],
        "keep the answer on the GPU: `torch.isclose(a, b).all()` for `torch.allclose(a, b)`, and read it after `replay()`",
    ),
    (
        &["is_nonzero"],
        "a condition on a tensor is decided on the host: compute both sides and choose with `torch.where`, or decide before the capture",
    ),
];
