//! Numbers that objects, classes and scopes keep: what the program reads them for.

use super::event::Event;
use super::object::Kind;
use super::value::{CellId, Value};
use super::{Cell, Interp, Semantics};
use crate::syntax::ast::{self, CmpOp, Expr, Number, TextRange};

/// What a number is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// For its value.
    Value,
    /// Only to ask whether it is zero.
    Zero,
    /// To make its own next value of it.
    Change,
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// A name was read, and has this value.
    #[inline]
    pub(super) fn name_read(
        &mut self,
        name: &'p str,
        value: &Value<'p>,
        reading: Reading,
        range: TextRange,
    ) {
        if self.is_read(value, reading)
            && let Some(keeper) = self.scope_of(name)
        {
            self.number_read(keeper, name, reading, range);
        }
    }

    /// An attribute of an object was read, and has this value.
    #[inline]
    pub(crate) fn attribute_read(
        &mut self,
        object: &Value<'p>,
        name: &str,
        value: &Value<'p>,
        reading: Reading,
        range: TextRange,
    ) {
        if self.is_read(value, reading)
            && let Some(keeper) = self.keeper_of(object, name)
        {
            self.number_read(keeper, name, reading, range);
        }
    }

    #[inline]
    fn is_read(&self, value: &Value<'p>, reading: Reading) -> bool {
        matches!(value, Value::Number(_))
            && reading != Reading::Change
            && (self.is_from_nowhere() || L::minds_numbers(self))
    }

    fn number_read(&mut self, keeper: CellId, name: &str, reading: Reading, range: TextRange) {
        if !L::minds_numbers(self) && !self.may_be_used_at_any_time(keeper) {
            return;
        }
        let assigned = self.frames.last().and_then(|frame| frame.assigned);
        let slot = assigned.and_then(|it| self.slot_of(it));
        if slot.is_none_or(|(of, it)| of != keeper || *it != *name) {
            self.emit(Event::NumberRead {
                keeper,
                name,
                reading,
                range,
            });
        }
    }

    /// What keeps an attribute of a value: the object itself, the class that has it, or the scope of a file.
    fn keeper_of(&self, object: &Value<'p>, name: &str) -> Option<CellId> {
        let class = match object {
            Value::Object(cell) => {
                let object = self.heap.object(*cell)?;
                match object.kind {
                    Kind::Instance(class) if !object.fields.contains_key(name) => class,
                    _ => return Some(*cell),
                }
            }
            Value::Class(class) => *class,
            _ => return self.keeper_to_set(object),
        };
        let has_it = |it: &CellId| {
            let scope = self.heap.class(*it).map(|it| self.heap.get(it.scope));
            matches!(scope, Some(Cell::Scope(names, _)) if names.contains_key(name))
        };
        self.lineage(class).0.into_iter().find(has_it)
    }

    /// What keeps an attribute that is set.
    pub(crate) fn keeper_to_set(&self, object: &Value<'p>) -> Option<CellId> {
        match object {
            Value::Object(cell) | Value::Class(cell) => Some(*cell),
            Value::Module(file) => self.modules.get(file).copied(),
            _ => None,
        }
    }

    /// The value that a target gets. What it is made of goes into nothing else.
    pub(super) fn next_value(
        &mut self,
        target: Option<&'p Expr>,
        expression: &'p Expr,
    ) -> Value<'p> {
        self.assigning(target);
        let value = self.expression(expression);
        self.assigning(None);
        value
    }

    fn assigning(&mut self, target: Option<&'p Expr>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.assigned = target;
        }
    }
}

/// What a comparison reads its left side for: `it == 0`, `it > 0`, `it < 1` and their kin only ask whether it is zero.
pub(super) fn compared(it: &ast::ExprCompare) -> Reading {
    let ([op], [Expr::NumberLiteral(right)]) = (&*it.ops, &*it.comparators) else {
        return Reading::Value;
    };
    let Number::Int(right) = &right.value else {
        return Reading::Value;
    };
    match (op, right.as_i64()) {
        (CmpOp::Eq | CmpOp::NotEq | CmpOp::Gt | CmpOp::LtE, Some(0))
        | (CmpOp::Lt | CmpOp::GtE, Some(1)) => Reading::Zero,
        _ => Reading::Value,
    }
}
