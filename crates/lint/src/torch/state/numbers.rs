//! Numbers of Python's that the program moves on, though they outlive the function or the capture.

use super::capture::CaptureId;
use super::event::Event;
use crate::interp::numbers::Reading;
use crate::interp::value::{Number, Value};
use crate::syntax::ast::{self, ComparableExpr, Expr, Operator, Ranged as _, TextRange};
use crate::torch::Interp;

impl<'p> Interp<'p> {
    /// `n = n + 1`.
    pub(crate) fn number_assigned(&mut self, it: &'p ast::StmtAssign, value: &Value<'p>) {
        let ([target], Expr::BinOp(operation), Value::Number(_)) =
            (it.targets.as_slice(), &*it.value, value)
        else {
            return;
        };
        let counted = ComparableExpr::from(target);
        let is_itself = |operand: &Expr| ComparableExpr::from(operand) == counted;
        if (is_itself(&operation.left) || is_itself(&operation.right))
            && let Value::Number(old) = self.expression_for(target, Reading::Change)
        {
            self.number_changes(target, old, operation.op, it.range());
        }
    }

    /// A number is about to change.
    pub(crate) fn number_changes(
        &mut self,
        target: &'p Expr,
        old: Number,
        op: Operator,
        range: TextRange,
    ) {
        let captured = self.graph_capture();
        let kept = match target {
            Expr::Name(name) if self.is_local(name.id.as_str()) => return,
            Expr::Name(name) => {
                let name = name.id.as_str();
                self.scope_to_bind(name).map(|scope| (scope, name))
            }
            Expr::Attribute(attribute) => {
                let object = match captured {
                    Some(_) => Some(self.expression(&attribute.value)),
                    None => self.peek(&attribute.value),
                };
                let keeper = object.and_then(|it| self.keeper_to_set(&it));
                keeper.map(|it| (it, attribute.attr.as_str()))
            }
            Expr::Subscript(subscript) => {
                let Some(id) = captured else { return };
                let container = self.expression(&subscript.value);
                if !self.is_made_before(&container, id) {
                    return;
                }
                None
            }
            _ => return,
        };
        self.library.numbers_changed |= captured.is_some();
        self.emit(Event::NumberChanged {
            kept,
            meets_zero: old.constant == Some(0) || op != Operator::Add,
            range,
        });
    }

    /// Whether it matters that numbers are read: in a capture, and since one was changed there.
    pub(crate) fn minds_numbers(&self) -> bool {
        self.library.numbers_changed || self.graph_capture().is_some()
    }

    /// Whether a container was made before a capture.
    fn is_made_before(&self, container: &Value<'p>, id: CaptureId) -> bool {
        match container {
            Value::List(cell) | Value::Dict(cell) => {
                self.library.captures[id.0].first_cell.0 > cell.0
            }
            _ => false,
        }
    }
}
