//! Families of PyTorch's functions and methods, by their names.

use super::state::tensor::Elements;
use crate::interp::value::Value;

/// Whether an operator of tensors on the device also takes a number on the host for one of them.
pub(super) fn takes_numbers(name: &str) -> bool {
    matches!(
        name.trim_end_matches('_'),
        "add" | "sub" | "mul" | "multiply" | "subtract" | "div" | "divide" | "true_divide" | "pow"
    )
}

/// Whether an operator's result has truth values as elements.
pub(super) fn is_boolean(name: &str) -> bool {
    matches!(
        name,
        "isnan"
            | "isinf"
            | "isfinite"
            | "eq"
            | "ne"
            | "lt"
            | "le"
            | "gt"
            | "ge"
            | "logical_and"
            | "logical_or"
            | "logical_not"
            | "logical_xor"
            | "isin"
            | "signbit"
            | "isclose"
            | "isneginf"
            | "isposinf"
    )
}

/// Whether an operator, or a module, always gives one tensor with memory of its own.
pub(super) fn allocates(name: &str) -> bool {
    takes_numbers(name)
        || is_boolean(name)
        || matches!(
            name,
            "addmm"
                | "bmm"
                | "cat"
                | "clone"
                | "cos"
                | "exp"
                | "layer_norm"
                | "linear"
                | "log"
                | "matmul"
                | "mean"
                | "mm"
                | "neg"
                | "rsqrt"
                | "sin"
                | "sqrt"
                | "stack"
                | "sum"
                | "tanh"
                | "LayerNorm"
                | "Linear"
        )
}

/// Whether an operator's result has an element for each of its largest operand's, of the same type.
pub(super) fn is_elementwise(name: &str) -> bool {
    takes_numbers(name)
        || matches!(
            name,
            "clone" | "cos" | "exp" | "log" | "neg" | "rsqrt" | "sin" | "sqrt" | "tanh"
        )
}

/// Whether an operator gives several tensors.
pub(super) fn is_multiple(name: &str) -> bool {
    matches!(
        name,
        "split"
            | "chunk"
            | "unbind"
            | "topk"
            | "sort"
            | "kthvalue"
            | "mode"
            | "svd"
            | "qr"
            | "eigh"
            | "slogdet"
            | "cholesky_ex"
            | "inv_ex"
            | "meshgrid"
            | "tensor_split"
            | "aminmax"
            | "lu_factor"
            | "cummax"
            | "cummin"
    )
}

/// Whether a function gives a view of its argument.
pub(super) fn is_view_function(name: &str) -> bool {
    matches!(
        name,
        "narrow"
            | "transpose"
            | "permute"
            | "squeeze"
            | "unsqueeze"
            | "movedim"
            | "swapaxes"
            | "view_as_real"
            | "select"
            | "flatten"
            | "unflatten"
            | "t"
            | "detach"
    )
}

/// Whether a method gives the tensor itself where there is nothing to do, or a view where the memory allows it.
pub(super) fn may_share(name: &str) -> bool {
    matches!(
        name,
        "adjoint"
            | "atleast_1d"
            | "atleast_2d"
            | "atleast_3d"
            | "conj"
            | "contiguous"
            | "dropout"
            | "float"
            | "double"
            | "half"
            | "bfloat16"
            | "int"
            | "long"
            | "short"
            | "char"
            | "byte"
            | "positive"
            | "ravel"
            | "reshape"
            | "reshape_as"
            | "unflatten"
            | "broadcast_to"
            | "swapdims"
            | "moveaxis"
            | "resolve_conj"
            | "resolve_neg"
    )
}

/// The kind of elements that a `dtype` names.
pub(super) fn elements(value: &Value<'_>) -> Elements {
    match value {
        Value::External(name) if &**name == "torch.bool" => Elements::Bool,
        Value::External(name)
            if matches!(&**name, "torch.float16" | "torch.half" | "torch.bfloat16") =>
        {
            Elements::Half
        }
        Value::External(name) if name.starts_with("torch.") => Elements::Other,
        _ => Elements::Unknown,
    }
}
