//! `CG2xx`: what a captured region would do now, run again by the agent.

pub(super) mod choice_of_the_capture;
pub(super) mod copy_of_the_capture;
pub(super) mod hook_since_the_capture;
pub(super) mod made_at_each_replay;
pub(super) mod mode_of_the_capture;
pub(super) mod number_of_the_capture;
pub(super) mod parameter_learns_since;
pub(super) mod part_of_the_capture;
mod read_instead;
pub(super) mod size_of_the_capture;
pub(super) mod tensor_of_the_capture;
pub(super) mod work_of_the_capture;

use std::borrow::Cow;

use cgsan_trace::{KERNEL, TRITON, TwinOperator};

use crate::kernel_name;
use crate::subjects::Twin;

/// An operator as a person knows it: `mul` of `aten.mul.Tensor`.
fn short(operator: &TwinOperator) -> Cow<'_, str> {
    let name = operator.operator.as_str();
    match name.strip_prefix("aten.") {
        Some(rest) => rest.split('.').next().unwrap_or(rest).into(),
        None if is_kernel(operator) => kernel_name::in_source(name),
        None => name.into(),
    }
}

/// Whether it is a kernel that was launched past PyTorch's operators.
fn is_kernel(operator: &TwinOperator) -> bool {
    let namespace = operator.operator.split_once("::").map(|it| it.0);
    matches!(namespace, Some(TRITON | KERNEL))
}

/// An operator with its overload: `mul.Tensor` of `aten.mul.Tensor`.
fn overload(operator: &TwinOperator) -> &str {
    let name = operator.operator.as_str();
    name.strip_prefix("aten.").unwrap_or(name)
}

/// How eager code chooses an operator, and what a replay does.
pub(super) const CHOSEN: &str = "eager code chooses at each call: by a condition, by a mode such as `eval()`, or by what requires \
                                 gradients; a replay repeats the choice of the capture";

/// The operator at the capture.
fn captured<'t>(twin: &Twin<'_, 't>) -> Option<Cow<'t, str>> {
    Some(short(twin.difference.then.as_ref()?))
}

/// Operators that make a tensor of the sizes that they are given.
const MAKING: &[&str] = &[
    "empty",
    "empty_strided",
    "full",
    "new_empty",
    "new_full",
    "new_ones",
    "new_zeros",
    "ones",
    "rand",
    "randint",
    "randn",
    "zeros",
];
