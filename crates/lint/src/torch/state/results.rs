//! Which captures get memory of their own: kernels that write where they are told need none.

use super::event::Event;
use crate::interp::value::Value;
use crate::syntax::ast::{Expr, Ranged as _};
use crate::torch::Interp;

impl<'p> Interp<'p> {
    /// A value is kept or returned: what an unknown call gives may be new memory.
    pub(crate) fn is_kept(&mut self, expression: &Expr, value: &Value<'p>) {
        let is_made = !matches!(
            expression,
            Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_)
        );
        if is_made && matches!(value, Value::Unknown | Value::List(_) | Value::Dict(_)) {
            self.may_make_memory();
        }
    }

    /// A value is dropped, but perhaps not what was computed on the way to it.
    pub(crate) fn is_dropped(&mut self, expression: &Expr) {
        let range = expression.range();
        if self.library.graphed_function == Some(self.site(range)) {
            self.emit(Event::GraphedDropped { range });
        }
        let on_the_way = |call: &Expr| match call {
            Expr::Call(call) => {
                call.arguments.args.iter().any(Expr::is_call_expr)
                    || call
                        .arguments
                        .keywords
                        .iter()
                        .any(|it| it.value.is_call_expr())
            }
            other => !matches!(other, Expr::StringLiteral(_)),
        };
        if on_the_way(expression) {
            self.may_make_memory();
        }
    }

    /// The capture that is followed allocates.
    pub(crate) fn makes_memory(&mut self) {
        self.may_make_memory();
        if let Some(id) = self.graph_capture() {
            self.library.captures[id.0].requests.count += 1;
        }
    }

    /// The capture that is followed may allocate.
    fn may_make_memory(&mut self) {
        if let Some(id) = self.graph_capture() {
            self.library.captures[id.0].makes = true;
        }
    }
}
