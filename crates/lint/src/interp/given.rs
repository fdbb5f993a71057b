//! Numbers that a function is given: where the caller keeps them.

use super::set_ups::Slot;
use super::value::{Given, Value};
use super::{Args, Interp, Semantics};
use crate::syntax::ast::Expr;

impl<'p, L: Semantics> Interp<'p, L> {
    /// The numbers that a call gives which an attribute keeps and a loop changes.
    pub(super) fn given_by(&self, args: &Args<'p>) -> Vec<Given> {
        let varies = args.all().any(|it| it.varies().is_some());
        let Some(call) = args.node.filter(|_| varies) else {
            return Vec::new();
        };
        let named = call.arguments.keywords.iter().map(|it| &it.value);
        let all = call.arguments.args.iter().chain(named);
        all.filter_map(|it| self.given(it)).collect()
    }

    fn given(&self, argument: &'p Expr) -> Option<Given> {
        let slot = match argument {
            Expr::Name(name) => return self.kept_by_caller(name.id.as_str()),
            _ => self.slot_of(argument)?,
        };
        match self.heap.object(slot.0)?.fields.get(&slot.1)? {
            Value::Number(number) if number.varies.is_some() => Some((*number, slot)),
            _ => None,
        }
    }

    /// The number that a parameter has, and the one attribute that it can have come from.
    fn kept_by_caller(&self, name: &str) -> Option<Given> {
        let Some(Value::Number(number)) = self.local(name) else {
            return None;
        };
        let frame = self.frames.last()?;
        let mut same = frame.given.iter().filter(|it| it.0 == number);
        match (same.next(), same.next()) {
            (Some(given), None) => Some(given.clone()),
            _ => None,
        }
    }

    /// Where the caller keeps the number that a name is read for: the attribute that a parameter was given.
    pub(crate) fn slot_given(&self, expression: &'p Expr) -> Option<Slot> {
        Some(self.kept_by_caller(&expression.as_name_expr()?.id)?.1)
    }
}
