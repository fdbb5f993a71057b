//! What code does with names: what it mentions, and what it changes.

use crate::syntax::Source;
use crate::syntax::ast::{
    Expr, ExprCall, Ranged as _, Stmt, TextRange, TextSize, Visitor, walk_expr, walk_stmt,
};

/// Whether a text is a name, or names with dots between them.
pub(super) fn is_dotted(expression: &Expr) -> bool {
    match expression {
        Expr::Name(_) => true,
        Expr::Attribute(it) => is_dotted(&it.value),
        _ => false,
    }
}

/// The name that an expression begins with: `a` of `a.b[0].c`.
pub(super) fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) => root(&it.value),
        Expr::Subscript(it) => root(&it.value),
        Expr::Starred(it) => root(&it.value),
        _ => None,
    }
}

/// Whether statements mention a name behind an offset.
pub(super) fn mentioned(block: &[Stmt], name: &str, behind: TextSize) -> bool {
    let mut uses = Uses::new(name, behind);
    uses.visit_body(block);
    uses.mentioned
}

/// Whether statements may give one of these names another value, or write into what it refers to.
pub(super) fn changed(block: &[Stmt], names: &[&str]) -> bool {
    names.iter().any(|name| {
        let mut uses = Uses::new(name, TextSize::new(0));
        uses.visit_body(block);
        uses.changed
    })
}

struct Uses<'n> {
    name: &'n str,
    behind: TextSize,
    mentioned: bool,
    changed: bool,
}

impl<'n> Uses<'n> {
    fn new(name: &'n str, behind: TextSize) -> Self {
        Self {
            name,
            behind,
            mentioned: false,
            changed: false,
        }
    }

    fn is_of(&self, expression: &Expr) -> bool {
        root(expression) == Some(self.name)
    }
}

impl<'p> Visitor<'p> for Uses<'_> {
    fn visit_stmt(&mut self, statement: &'p Stmt) {
        match statement {
            Stmt::FunctionDef(it) => self.changed |= it.name.as_str() == self.name,
            Stmt::ClassDef(it) => self.changed |= it.name.as_str() == self.name,
            Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Match(_) => self.changed = true,
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'p Expr) {
        match expression {
            Expr::Name(it) if it.id.as_str() == self.name && it.range.start() >= self.behind => {
                self.mentioned = true;
                self.changed |= !it.ctx.is_load();
            }
            Expr::Attribute(it) if !it.ctx.is_load() => self.changed |= self.is_of(&it.value),
            Expr::Subscript(it) if !it.ctx.is_load() => self.changed |= self.is_of(&it.value),
            Expr::Call(it) => self.changed |= is_in_place(it) && self.is_of(&it.func),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// `tensor.add_(…)`: by PyTorch's convention such methods write into their tensor.
pub(super) fn is_in_place(call: &ExprCall) -> bool {
    let name = call.func.as_attribute_expr().map(|it| it.attr.as_str());
    name.is_some_and(|it| it.ends_with('_') && !it.ends_with("__"))
}

/// The graph of `graph.replay()`.
pub(super) fn replayed(expression: &Expr) -> Option<&Expr> {
    let method = expression.as_call_expr()?.func.as_attribute_expr()?;
    (method.attr.as_str() == "replay").then_some(&*method.value)
}

/// The statement's expression, if it is only that.
pub(super) fn called(statement: &Stmt) -> Option<&ExprCall> {
    statement.as_expr_stmt()?.value.as_call_expr()
}

/// Whether statements hold a string that is written over several lines.
pub(super) fn have_long_string(source: &Source, block: &[Stmt]) -> bool {
    let mut strings = LongStrings {
        source,
        found: false,
    };
    strings.visit_body(block);
    strings.found
}

struct LongStrings<'p> {
    source: &'p Source,
    found: bool,
}

impl<'p> Visitor<'p> for LongStrings<'p> {
    fn visit_expr(&mut self, expression: &'p Expr) {
        let is_string = matches!(
            expression,
            Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::FString(_) | Expr::TString(_)
        );
        self.found |= is_string && self.source.slice(expression.range()).contains('\n');
        walk_expr(self, expression);
    }
}

/// The call at exactly this range.
pub(super) fn call_at(statement: &Stmt, range: TextRange) -> Option<&ExprCall> {
    at(statement, range).find_map(Expr::as_call_expr)
}

/// The calls of methods of what stands at this range: `value.add(1).mul_(2)`.
pub(super) fn calls_over(statement: &Stmt, range: TextRange) -> impl Iterator<Item = &ExprCall> {
    around(statement, range)
        .into_iter()
        .filter_map(Expr::as_call_expr)
        .filter(move |it| it.func.range().contains_range(range) && it.range() != range)
}

/// The expressions at exactly this range.
fn at(statement: &Stmt, range: TextRange) -> impl Iterator<Item = &Expr> {
    around(statement, range)
        .into_iter()
        .filter(move |it| it.range() == range)
}

/// The expressions that hold this range, outermost first.
fn around(statement: &Stmt, range: TextRange) -> Vec<&Expr> {
    let mut search = Around {
        range,
        found: Vec::new(),
    };
    search.visit_stmt(statement);
    search.found
}

struct Around<'p> {
    range: TextRange,
    found: Vec<&'p Expr>,
}

impl<'p> Visitor<'p> for Around<'p> {
    fn visit_stmt(&mut self, statement: &'p Stmt) {
        if statement.range().contains_range(self.range) {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'p Expr) {
        if expression.range().contains_range(self.range) {
            self.found.push(expression);
            walk_expr(self, expression);
        }
    }
}
