//! What is told of a program while it is followed.

use crate::syntax::ast;

/// What is copied between the device and host memory that is not pinned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pageable<'e, 'p> {
    /// A tensor of the host.
    IntoDevice,
    /// A tensor of the device, by something with this description.
    OutOfDevice(&'e str),
    /// The values of a new tensor, by the function of this name.
    Built(&'e str, Option<&'p ast::ExprCall>),
    /// A number among the operands of `where`.
    OperandOfWhere,
    /// The count of an averaged model's updates.
    Count,
    /// The parameters of a module.
    Module,
    /// The numbers of an index, which is of this kind.
    Index(&'e str),
    /// A number that is written to elements.
    Element,
}
