//! Numbers of Python's that captured code changes, though they outlive the capture.

use super::capture::CaptureId;
use super::event::Event;
use crate::interp::value::Value;
use crate::syntax::ast::{self, ComparableExpr, Expr, Ranged as _, TextRange};
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
        if is_itself(&operation.left) || is_itself(&operation.right) {
            self.number_changes(target, it.range());
        }
    }

    /// A number is about to change.
    pub(crate) fn number_changes(&mut self, target: &'p Expr, range: TextRange) {
        let Some(id) = self.graph_capture() else {
            return;
        };
        let outlives = match target {
            Expr::Name(name) => !self.is_local(name.id.as_str()),
            Expr::Attribute(_) => true,
            Expr::Subscript(subscript) => {
                let container = self.expression(&subscript.value);
                self.is_made_before(&container, id)
            }
            _ => false,
        };
        if outlives {
            let from_zero = self.expression(target).as_integer() == Some(0);
            self.emit(Event::NumberChanged {
                target,
                from_zero,
                range,
            });
        }
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
