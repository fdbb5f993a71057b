//! Where a file reads a number that it counts: what nothing reads may be counted once or a hundred times.

use crate::interp::value::Code;
use crate::site::Site;
use crate::syntax::ast::{
    CmpOp, Expr, Number, Ranged as _, Stmt, TextRange, UnaryOp, Visitor, walk_expr, walk_stmt,
};
use crate::torch::Interp;

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
    is_named(&source.module.body, name, from_zero, &[])
}

/// Whether a number belongs to the captures: each graph of a loop is captured once and moves it on, and the file names it,
/// and the functions that the capture runs, nowhere outside of the captured code.
pub(super) fn is_of_captures(state: &Interp<'_>, target: &Expr, counted: Site) -> bool {
    let Expr::Attribute(target) = target else {
        return false;
    };
    let Some(id) = state.graph_capture() else {
        return false;
    };
    let capture = &state.library.captures[id.0];
    let graph = capture.graph.and_then(|it| state.heap.object(it));
    let is_one_of_several = capture
        .loops
        .last()
        .is_some_and(|innermost| graph.is_some_and(|it| it.loops.contains(innermost)));
    let Some(statement) = capture.statement.filter(|_| is_one_of_several) else {
        return false;
    };
    let mut names = vec![target.attr.as_str()];
    let mut captured = vec![statement.range()];
    for (file, function) in state.functions_inside(id) {
        let Some(Code::Def(function)) = function else {
            return false;
        };
        let name = function.name.as_str();
        // PyTorch and Python call these by themselves.
        if file != counted.file || name == "forward" || name.starts_with("__") {
            return false;
        }
        names.push(name);
        captured.push(function.range());
    }
    let body = &state.project.source(counted.file).module.body;
    !names
        .into_iter()
        .any(|name| is_named(body, name, true, &captured))
}

fn is_named(body: &[Stmt], name: &str, zero_counts: bool, left_out: &[TextRange]) -> bool {
    let mut reads = Reads {
        name,
        zero_counts,
        left_out,
        found: false,
    };
    reads.visit_body(body);
    reads.found
}

struct Reads<'a> {
    name: &'a str,
    zero_counts: bool,
    /// Where nothing is looked for.
    left_out: &'a [TextRange],
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
        if self.left_out.contains(&statement.range()) {
            return;
        }
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
