//! Where a file reads a number that it counts: what nothing reads may be counted once or a hundred times.

use crate::interp::Interp;
use crate::site::Site;
use crate::syntax::ast::{CmpOp, Expr, Number, Stmt, UnaryOp, Visitor, walk_expr, walk_stmt};

/// How many bytes of a file cost as much to go through as a statement to follow.
const BYTES_IN_A_STEP: usize = 64;

/// Whether the file that counts reads the number, beside counting it on. Asking whether it is still zero
/// is a use only where `from_zero` says that it was: later on the answer no longer changes.
pub(super) fn is_read(state: &Interp<'_>, target: &Expr, counted: Site, from_zero: bool) -> bool {
    let name = match target {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return true,
    };
    let source = state.project.source(counted.file);
    state.spend_many(u32::try_from(source.text.len() / BYTES_IN_A_STEP).unwrap_or(u32::MAX));
    let mut reads = Reads {
        name,
        zero_counts: from_zero,
        found: false,
    };
    reads.visit_body(&source.module.body);
    reads.found
}

struct Reads<'a> {
    name: &'a str,
    zero_counts: bool,
    found: bool,
}

impl Reads<'_> {
    fn is_it(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => name.id.as_str() == self.name,
            Expr::Attribute(attribute) => attribute.attr.as_str() == self.name,
            _ => false,
        }
    }

    /// `it == 0`, `it > 0`, `not it` and their kin.
    fn asks_for_zero(&self, expression: &Expr) -> bool {
        match expression {
            Expr::UnaryOp(it) => it.op == UnaryOp::Not && self.is_it(&it.operand),
            Expr::Compare(it) => match (&*it.left, &*it.ops, &*it.comparators) {
                (left, [op], [right]) if self.is_it(left) => match op {
                    CmpOp::Eq | CmpOp::NotEq | CmpOp::Gt | CmpOp::LtE => is_integer(right, 0),
                    CmpOp::Lt | CmpOp::GtE => is_integer(right, 1),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }
}

impl<'a> Visitor<'a> for Reads<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(it) = statement
            && let [target] = it.targets.as_slice()
            && self.is_it(target)
        {
            // What it is made of goes into nothing else.
            return;
        }
        if !self.found {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if !self.zero_counts && self.asks_for_zero(expression) {
            return;
        }
        self.found |= match expression {
            Expr::Name(it) => it.ctx.is_load() && self.is_it(expression),
            Expr::Attribute(it) => it.ctx.is_load() && self.is_it(expression),
            // `getattr` and its kin.
            Expr::StringLiteral(it) => it.value.to_str() == self.name,
            _ => false,
        };
        if !self.found {
            walk_expr(self, expression);
        }
    }
}

fn is_integer(expression: &Expr, wanted: u8) -> bool {
    let Expr::NumberLiteral(it) = expression else {
        return false;
    };
    matches!(&it.value, Number::Int(value) if *value == wanted)
}
