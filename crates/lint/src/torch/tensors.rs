//! Operations on tensors.

use super::answers;
use crate::interp::Interp;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// An operation that makes a new tensor.
pub(super) fn operation<'p>(
    interp: &mut Interp<'p>,
    operands: &[Value<'p>],
    range: TextRange,
) -> Value<'p> {
    answers::used(interp, operands, range);
    let result = interp.derived(operands, interp.at(range));
    interp.works(operands, interp.device_of(operands), true, range);
    result
}
