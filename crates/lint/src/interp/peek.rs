//! What an expression refers to, found without following it: no rule is asked, and nothing is called.

use std::rc::Rc;

use super::value::{CellId, Value};
use super::{Cell, Interp, Semantics};
use crate::syntax::ast::{self, Expr};

/// How deep attributes and elements of each other are looked at.
const DEEPEST: usize = 4;

impl<'p, L: Semantics> Interp<'p, L> {
    /// What a name, an attribute, or an entry under a literal key refers to.
    pub(crate) fn peek(&self, expression: &'p Expr) -> Option<Value<'p>> {
        self.peek_within(expression, DEEPEST)
    }

    /// The full name of what a name or an attribute refers to outside of the project.
    pub(crate) fn peek_external(&self, expression: &Expr) -> Option<Rc<str>> {
        self.peek_external_from(self.frames.last()?.scope, expression)
    }

    /// The same, of code in another scope.
    pub(crate) fn peek_external_from(&self, scope: CellId, expression: &Expr) -> Option<Rc<str>> {
        self.external_within(scope, expression, DEEPEST)
    }

    fn external_within(&self, scope: CellId, expression: &Expr, depth: usize) -> Option<Rc<str>> {
        let depth = depth.checked_sub(1)?;
        let value = match expression {
            Expr::Name(name) => self.name_from(scope, name.id.as_str()),
            Expr::Attribute(it) => {
                let owner = self.external_within(scope, &it.value, depth)?;
                L::external(&format!("{owner}.{}", it.attr))
            }
            _ => return None,
        };
        match value {
            Value::External(full) => Some(full),
            _ => None,
        }
    }

    fn peek_within(&self, expression: &'p Expr, depth: usize) -> Option<Value<'p>> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expr::Name(name) => self.name_in_scope(name.id.as_str()),
            Expr::Attribute(it) => match self.peek_within(&it.value, depth)? {
                Value::Object(cell) => {
                    let fields = &self.heap.object(cell)?.fields;
                    fields.get(it.attr.as_str()).cloned()
                }
                _ => None,
            },
            Expr::Subscript(it) => match self.peek_within(&it.value, depth)? {
                Value::Dict(cell) => match self.heap.get(cell) {
                    Cell::Dict(items) => items
                        .get(it.slice.as_string_literal_expr()?.value.to_str())
                        .cloned(),
                    _ => None,
                },
                Value::List(cell) => {
                    let list = self.heap.list(cell).filter(|list| list.exact)?;
                    list.items.get(literal_index(&it.slice)?).cloned()
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The index that an expression is, if it is written out.
fn literal_index(expression: &Expr) -> Option<usize> {
    match &expression.as_number_literal_expr()?.value {
        ast::Number::Int(it) => it.as_usize(),
        _ => None,
    }
}
