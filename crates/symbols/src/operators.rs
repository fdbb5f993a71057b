//! Which operators of PyTorch allocated pinned memory in vain.
//!
//! The program asks for pinned memory by name; until 2.10, PyTorch also takes it to bring a value to the host. Which of
//! the two it was, the native stack shows: every operator is called through a function `at::_ops::<operator>::call`.

use cgsan_model::{Call, Restricted};
use cgsan_trace::{NativeFrame, Record, Trace};

use crate::reach::Reach;
use crate::symbols::Symbols;

/// Names the operators of the refused allocations of pinned memory.
pub(crate) fn name(trace: &mut Trace, reach: &Reach) {
    let stacks: Vec<(usize, Vec<String>)> = trace
        .entries()
        .iter()
        .enumerate()
        .filter_map(|(position, entry)| match &entry.record {
            Record::Call(call) if call.call == Call::Restricted(Restricted::HostAlloc) => {
                Some((position, frames(trace, trace.native_stack(call.native?))))
            }
            _ => None,
        })
        .collect();
    if stacks.is_empty() {
        return;
    }
    let symbols = Symbols::of(
        &[&*trace],
        stacks.iter().flat_map(|(_, frames)| frames),
        reach,
    );
    for (position, frames) in stacks {
        let mut functions = frames.iter().filter_map(|frame| symbols.name(frame));
        if let Some(operator) = functions.find_map(operator) {
            trace.name_operator(position, operator.to_owned());
        }
    }
}

/// A native stack, innermost frame first, each frame written `file+0xoffset`.
fn frames(trace: &Trace, stack: &[NativeFrame]) -> Vec<String> {
    let in_a_file = stack
        .iter()
        .filter_map(|frame| Some((trace.string(frame.module?), frame.address)));
    in_a_file
        .map(|(module, address)| format!("{module}+{address:#x}"))
        .collect()
}

/// The operator that a function calls, in C++'s spelling: `empty_memory_format`.
fn operator(function: &str) -> Option<&str> {
    let (operator, rest) = function.strip_prefix("at::_ops::")?.split_once("::")?;
    (rest.starts_with("call(") || rest.starts_with("redispatch(")).then_some(operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_known_by_the_function_that_calls_it() {
        for (function, expected) in [
            (
                "at::_ops::_local_scalar_dense::call(at::Tensor const&)",
                Some("_local_scalar_dense"),
            ),
            (
                "at::_ops::nonzero::redispatch(c10::DispatchKeySet, at::Tensor const&)",
                Some("nonzero"),
            ),
            ("at::_ops::nonzero::schema_str", None),
            ("at::native::item(at::Tensor const&)", None),
            ("at::_ops::", None),
        ] {
            assert_eq!(operator(function), expected, "{function}");
        }
    }
}
