//! How many dimensions the result of an operator has.

use super::Interp;
use super::state::tensor::Elements;
use crate::interp::Args;
use crate::interp::value::Value;

/// Operators that keep the shape of their operands.
const ELEMENT_WISE: [&str; 28] = [
    "abs",
    "add",
    "bool",
    "ceil",
    "clamp",
    "clone",
    "cos",
    "div",
    "double",
    "eq",
    "exp",
    "float",
    "floor",
    "half",
    "int",
    "isfinite",
    "isnan",
    "log",
    "logical_not",
    "long",
    "mul",
    "neg",
    "relu",
    "sigmoid",
    "sin",
    "sqrt",
    "sub",
    "tanh",
];

/// Operators that make one number of all elements, where no dimension is named.
const REDUCTIONS: [&str; 19] = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "dist",
    "dot",
    "max",
    "mean",
    "median",
    "min",
    "norm",
    "prod",
    "std",
    "sum",
    "trace",
    "var",
];

/// Operators whose results are indices, whatever their operands are made of.
const INDICES: [&str; 12] = [
    "argmax",
    "argmin",
    "argsort",
    "bincount",
    "bucketize",
    "count_nonzero",
    "int",
    "long",
    "multinomial",
    "randint_like",
    "searchsorted",
    "short",
];

/// Operators whose results are made of numbers that are no truth values.
const NUMBERS: [&str; 10] = [
    "double", "exp", "float", "half", "log", "mean", "sigmoid", "softmax", "sqrt", "tanh",
];

/// Notes what is known of the shape and the type of an operator's result.
pub(super) fn note<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    operands: &[Value<'p>],
    result: &Value<'p>,
) {
    if name == "clone" {
        keeps_size(interp, operands, result);
    }
    if ELEMENT_WISE.contains(&name) {
        interp.broadcasts(operands, result);
    } else if REDUCTIONS.contains(&name) && names_no_dimension(args) {
        interp.has_rank(result, Some(0));
    }
    if (INDICES.contains(&name) || NUMBERS.contains(&name))
        && let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(*cell)
    {
        tensor.elements = Elements::Other;
    }
}

/// A copy has as many bytes as what it was made of.
fn keeps_size<'p>(interp: &mut Interp<'p>, operands: &[Value<'p>], result: &Value<'p>) {
    if let ([Value::Extension(of)], Value::Extension(copy)) = (operands, result)
        && let Some(of) = interp.heap.tensor(*of)
        && let (bytes, at_most) = (of.bytes, of.at_most)
        && let Some(copy) = interp.heap.tensor_mut(*copy)
    {
        copy.bytes = bytes;
        copy.at_most = at_most;
    }
}

/// Whether an operator got its tensor alone: all dimensions are reduced.
fn names_no_dimension(args: &Args<'_>) -> bool {
    args.positional.len() == 1
        && !args.open
        && args
            .named
            .iter()
            .all(|(name, _)| matches!(&**name, "dtype" | "correction" | "unbiased"))
}
