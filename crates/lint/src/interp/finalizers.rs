//! The ends of objects, which may destroy what they hold.

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Interp, Reach, Semantics};
use crate::syntax::ast::TextRange;

/// A name no longer refers to `values`, or a container no longer holds them.
pub(crate) fn let_go<'p, L: Semantics>(
    interp: &mut Interp<'p, L>,
    values: &[Value<'p>],
    range: TextRange,
) {
    for value in values {
        if let Value::Object(object) = value
            && matters(interp, *object)
            && !interp.is_referred_to(*object, Reach::Possibly)
        {
            ends(interp, *object, range);
        }
    }
}

/// `gc.collect()`: objects that refer to themselves end here.
pub(crate) fn collected<L: Semantics>(interp: &mut Interp<'_, L>, range: TextRange) {
    for object in std::mem::take(&mut interp.garbage) {
        L::ended(interp, object, range);
    }
}

/// Whether the end of an object does anything.
fn matters<L: Semantics>(interp: &Interp<'_, L>, cell: CellId) -> bool {
    let Some(object) = interp.heap.object(cell) else {
        return false;
    };
    match object.kind {
        Kind::Instance(_) | Kind::Library(_) => L::end_matters(interp, cell),
        _ => false,
    }
}

/// An object ends, and what ends with it.
fn ends<L: Semantics>(interp: &mut Interp<'_, L>, cell: CellId, range: TextRange) {
    if L::ends(interp, cell, range) {
        return;
    }
    if interp.kept_by(cell).contains(cell) {
        interp.garbage.push(cell);
        return;
    }
    L::ended(interp, cell, range);
}
