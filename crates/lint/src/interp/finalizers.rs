//! The ends of objects: what their finalizers do.

use std::rc::Rc;

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Interp, Reach, Semantics};
use crate::syntax::ast::TextRange;

/// The field of an object with what is called at its end.
const AT_END: &str = "<at end>";

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

/// Something is to be called when an object ends: `weakref.finalize`, or the callback of a `weakref.ref`.
pub(crate) fn called_at_end<'p, L: Semantics>(
    interp: &mut Interp<'p, L>,
    value: &Value<'p>,
    call: Value<'p>,
) {
    if let Value::Object(object) = value
        && let Some(object) = interp.heap.object_mut(*object)
    {
        object.fields.insert(Rc::from(AT_END), call);
    }
}

/// Whether the end of an object does anything.
fn matters<L: Semantics>(interp: &Interp<'_, L>, cell: CellId) -> bool {
    let Some(object) = interp.heap.object(cell) else {
        return false;
    };
    match object.kind {
        Kind::Instance(_) if interp.has_method(cell, "__del__") => true,
        Kind::Instance(_) => is_called_at_end(interp, cell) || L::end_matters(interp, cell),
        Kind::Library(_) => L::end_matters(interp, cell),
        _ => is_called_at_end(interp, cell),
    }
}

/// Whether something is to be called when an object ends.
pub(crate) fn is_called_at_end<L: Semantics>(interp: &Interp<'_, L>, cell: CellId) -> bool {
    let object = interp.heap.object(cell);
    object.is_some_and(|it| it.fields.contains_key(AT_END))
}

/// An object ends: what its finalizers do, and what ends with it.
fn ends<L: Semantics>(interp: &mut Interp<'_, L>, cell: CellId, range: TextRange) {
    if L::ends(interp, cell, range) {
        return;
    }
    if interp.kept_by(cell).contains(&cell) {
        interp.garbage.push(cell);
        return;
    }
    let at_end = interp
        .heap
        .object_mut(cell)
        .and_then(|it| it.fields.remove(AT_END));
    if let Some(call) = at_end {
        interp.call(&call, Args::default(), range);
    }
    if interp.has_method(cell, "__del__") {
        let delete = interp.attribute(&Value::Object(cell), "__del__", range);
        interp.call(&delete, Args::default(), range);
    }
    L::ended(interp, cell, range);
}
