//! Operators that write a tensor without regard to what it holds: a part of it, or one number everywhere.

use cgsan_trace::{Argument, TensorRecord};

use super::Operation;
use super::number::{Number, numbers};
use super::operation::tensors;

/// PyTorch's number for `bool`, and for `uint8`, which was used for masks: their elements say which are meant.
const MASKS: [u8; 2] = [11, 0];

/// Where the view lies that an operator writes, and how many bytes it has; `None` if what it writes may be all of a storage, or may
/// not lie together: strides are not recorded.
pub(crate) fn written_view(operation: &Operation<'_>) -> Option<(u64, u64)> {
    let mut written = operation.written();
    let view = written.next()?;
    // What an operator changes in place is a result, too.
    if written.any(|other| other != view) {
        return None;
    }
    view.range()
        .filter(|(_, bytes)| *bytes < view.bytes && view.sizes.len() <= 1)
}

/// Whether an operator writes some elements of its first argument, by index, and certainly not all of them.
pub(crate) fn writes_a_part(operation: &Operation<'_>) -> bool {
    let [Argument::Tensor(into), arguments @ ..] = operation.arguments else {
        return false;
    };
    let elements = |tensor: &TensorRecord| tensor.sizes.iter().product::<u64>();
    match (operation.name, arguments) {
        ("index_copy_", [_, _, Argument::Tensor(source), ..]) => elements(source) < elements(into),
        ("scatter_", [_, Argument::Tensor(index), ..]) => elements(index) < elements(into),
        ("index_fill_", [Argument::Integer(_), Argument::Tensor(index), ..]) => {
            into.sizes.len() == 1 && elements(index) < elements(into)
        }
        ("index_put_" | "_index_put_impl_", [Argument::List(indices), ..]) => {
            let given: Vec<&TensorRecord> = tensors(indices).collect();
            let is_plain = given.len() == indices.len()
                && given.iter().all(|index| !MASKS.contains(&index.dtype));
            let chosen = given.iter().map(|index| elements(index)).max();
            let all: u64 = into.sizes.iter().take(given.len()).product();
            is_plain && chosen.is_some_and(|chosen| chosen < all)
        }
        _ => false,
    }
}

/// The number that an operator fills its first argument with, if it does.
pub(crate) fn filled_with(operation: &Operation<'_>) -> Option<Number> {
    match operation.name {
        "zero_" => Some(Number::Integer(0)),
        "fill_" => numbers(operation.arguments).first().copied(),
        _ => None,
    }
}

/// Whether an operator fills what it is given with zeros.
pub(crate) fn fills_with_zeros(operation: &Operation<'_>) -> bool {
    operation.name == "_foreach_zero_"
        || filled_with(operation).is_some_and(|it| it.as_float() == 0.0)
}

/// Whether two operators fill with the same number.
pub(crate) fn fill_alike(one: &Operation<'_>, other: &Operation<'_>) -> bool {
    let value = |operation| filled_with(operation).map(Number::as_float);
    value(one).is_some_and(|number| Some(number) == value(other))
}
