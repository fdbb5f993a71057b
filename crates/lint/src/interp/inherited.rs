//! Objects of the project's classes that are made from the library's or Python's own: the part of them that is theirs.

use std::rc::Rc;

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Interp, Semantics};
use crate::syntax::ast::TextRange;

/// The field of an object that holds this part.
const INHERITED: &str = "<inherited>";

impl<'p, L: Semantics> Interp<'p, L> {
    /// `super().__init__(...)` of a class from outside, or its own constructor where the project's class has none.
    pub(super) fn inherit(&mut self, object: CellId, args: &Args<'p>, range: TextRange) {
        let Some(Kind::Instance(class)) = self.heap.object(object).map(|it| it.kind.clone()) else {
            return;
        };
        let (_, outside, _) = self.lineage(class);
        let Some(base) = outside.into_iter().find(|it| L::is_followed(it)) else {
            return;
        };
        let part = L::call(self, &base, args, range);
        if let (Value::Object(_), Some(object)) = (&part, self.heap.object_mut(object)) {
            object.fields.insert(Rc::from(INHERITED), part);
        }
    }

    /// The part of an object that a class from outside made.
    pub(super) fn inherited(&self, object: CellId) -> Option<CellId> {
        match self.heap.object(object)?.fields.get(INHERITED)? {
            Value::Object(part) => Some(*part),
            _ => None,
        }
    }

    /// Arguments as functions from outside see them.
    pub(super) fn as_inherited(&self, mut args: Args<'p>) -> Args<'p> {
        let named = args.named.iter_mut().map(|(_, value)| value);
        for value in args.positional.iter_mut().chain(named) {
            if let Value::Object(cell) = value
                && let Some(part) = self.inherited(*cell)
            {
                *value = Value::Object(part);
            }
        }
        args
    }
}
