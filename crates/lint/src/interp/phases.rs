//! Conditions that a program outgrows: once `step < WARM_UP` failed, it fails for good.

use super::choices::Phase;
use super::set_ups::Slot;
use super::value::Value;
use super::{Interp, Next, Semantics};
use crate::syntax::ast::{CmpOp, Expr, ExprCompare, Ranged as _};

impl<'p, L: Semantics> Interp<'p, L> {
    /// The phases that are followed.
    pub(crate) fn phases(&self) -> &[Phase] {
        &self.choices.phases
    }

    /// Follows code after which those phases are as before that begin in it.
    pub(super) fn with_phases_of<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.choices.phases.len();
        let result = follow(self);
        self.choices.phases.truncate(around);
        result
    }

    /// What is followed next runs if `test` has this outcome.
    pub(super) fn enter_phase(&mut self, test: &'p Expr, holds: bool) {
        let phase = self.phase_of(test, holds);
        self.choices.phases.extend(phase);
    }

    /// What stands behind an `if` runs after the one way of it that goes on, if the other one leaves.
    pub(super) fn go_on_from(&mut self, test: &'p Expr, held: Next, failed: Next) {
        match (held, failed) {
            (Next::Goes, Next::Goes) => {}
            (Next::Goes, _) => self.enter_phase(test, true),
            (_, Next::Goes) => self.enter_phase(test, false),
            _ => {}
        }
    }

    fn phase_of(&self, test: &'p Expr, holds: bool) -> Option<Phase> {
        let compare = test.as_compare_expr()?;
        let ([op], [right]) = (&*compare.ops, &*compare.comparators) else {
            return None;
        };
        let outgrown = match op {
            CmpOp::Lt | CmpOp::LtE => false,
            CmpOp::Gt | CmpOp::GtE => true,
            _ => return None,
        };
        Some(Phase {
            test: self.at(test.range()),
            holds,
            lasting: self.lasting(compare, right, outgrown),
            compared: self.compared(&compare.left, right).collect(),
        })
    }

    /// The outcome that lasts, if it is `outgrown` where the number on the left grows.
    fn lasting(&self, compare: &'p ExprCompare, right: &'p Expr, outgrown: bool) -> Option<bool> {
        let varies = |it| self.peek(it).is_some_and(|it| it.varies().is_some());
        match (varies(&compare.left), varies(right)) {
            (true, false) => Some(outgrown),
            (false, true) => Some(!outgrown),
            _ => None,
        }
    }

    /// The sides that are compared with a number that is known.
    fn compared(&self, left: &'p Expr, right: &'p Expr) -> impl Iterator<Item = Slot> {
        let is_known = |it: &'p Expr| {
            it.is_number_literal_expr()
                || matches!(self.peek(it), Some(Value::Number(number)) if number.varies.is_none())
        };
        [(left, right), (right, left)]
            .into_iter()
            .filter(move |(_, other)| is_known(other))
            .filter_map(|(side, _)| self.slot_of(side))
    }
}
