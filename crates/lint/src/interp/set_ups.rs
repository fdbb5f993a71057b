//! What is set under a condition that asks whether it is unset: it is set once, and stays.

use std::rc::Rc;

use super::value::{CellId, Value};
use super::{Interp, Semantics};
use crate::syntax::ast::{BoolOp, CmpOp, Expr, UnaryOp};

/// Where a value is kept: the object or the scope, and the name there.
pub(crate) type Slot = (CellId, Rc<str>);

impl<'p, L: Semantics> Interp<'p, L> {
    /// Where the value of a name or an attribute is kept.
    pub(crate) fn slot_of(&self, expression: &'p Expr) -> Option<Slot> {
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                Some((self.scope_of(name)?, Rc::from(name)))
            }
            Expr::Attribute(attribute) => match self.peek(&attribute.value)? {
                Value::Object(holder) => Some((holder, Rc::from(attribute.attr.as_str()))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Follows what runs if `test` has this outcome.
    pub(super) fn where_test_is<T>(
        &mut self,
        outcome: bool,
        test: &'p Expr,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let around = self.choices.unset.len();
        let mut unset = Vec::new();
        self.unset_where(outcome, test, &mut unset);
        self.choices.unset.append(&mut unset);
        let result = self.with_phases_of(|it| {
            it.enter_phase(test, outcome);
            body(it)
        });
        self.choices.unset.truncate(around);
        result
    }

    /// Whether a condition around asks for the target to be unset.
    pub(super) fn sets_up(&self, target: &'p Expr) -> bool {
        !self.choices.unset.is_empty()
            && self
                .slot_of(target)
                .is_some_and(|slot| self.choices.unset.contains(&slot))
    }

    /// What is unset where a test has this outcome.
    fn unset_where(&self, outcome: bool, test: &'p Expr, slots: &mut Vec<Slot>) {
        match test {
            Expr::UnaryOp(it) if it.op == UnaryOp::Not => {
                self.unset_where(!outcome, &it.operand, slots);
            }
            Expr::BoolOp(it) if outcome == (it.op == BoolOp::And) => {
                for part in &it.values {
                    self.unset_where(outcome, part, slots);
                }
            }
            Expr::Compare(it) => {
                if let ([op], [other]) = (&*it.ops, &*it.comparators)
                    && other.is_none_literal_expr()
                    && *op == if outcome { CmpOp::Is } else { CmpOp::IsNot }
                {
                    slots.extend(self.slot_of(&it.left));
                }
            }
            Expr::Call(it) if !outcome => {
                if let [object, Expr::StringLiteral(name)] = &*it.arguments.args
                    && self.peek_external(&it.func).as_deref() == Some("hasattr")
                    && let Some(Value::Object(holder)) = self.peek(object)
                {
                    slots.push((holder, Rc::from(name.value.to_str())));
                }
            }
            Expr::Name(_) | Expr::Attribute(_) if !outcome => slots.extend(self.slot_of(test)),
            _ => {}
        }
    }
}
