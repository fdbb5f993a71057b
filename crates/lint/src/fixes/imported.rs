//! What names mean that imports bind, or that Python itself has: `torch.cuda.stream`, whatever a file calls it.

use std::collections::BTreeMap;

use super::place;
use crate::syntax::Source;
use crate::syntax::ast::{
    AnyParameterRef, ExceptHandler, Expr, Identifier, Parameters, Pattern, Stmt, TextRange,
    Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt,
};

/// The names of a file, as they are at one place. A name means something only if all of the file agrees on it.
pub(super) struct Imported<'p> {
    /// The names that the file binds, with what they are if each binding is an import of the same.
    bound: BTreeMap<&'p str, Option<String>>,
    /// The names whose import has run where the place is reached.
    above: Vec<&'p str>,
    /// Whether names are bound that are written nowhere: `from module import *`.
    binds_unseen: bool,
}

impl<'p> Imported<'p> {
    /// Those at a range.
    pub(super) fn at(source: &'p Source, range: TextRange) -> Self {
        let mut file = Bindings::default();
        file.visit_body(&source.module.body);
        let mut above = Bindings::default();
        let around = place::around(source, range);
        for (at, spot) in around.iter().enumerate() {
            let outer = at.checked_sub(1).map(|it| around[it].statement());
            // A function does not see the names of its class.
            if outer.is_some_and(Stmt::is_class_def_stmt) {
                continue;
            }
            for statement in &spot.block[..spot.at] {
                above.import(statement);
            }
        }
        Self {
            bound: file.bound,
            above: above.bound.into_keys().collect(),
            binds_unseen: file.binds_unseen,
        }
    }

    /// The full name of a function, a class or a module.
    pub(super) fn full_name(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Name(it) => self.meaning(it.id.as_str()),
            Expr::Attribute(it) => Some(format!("{}.{}", self.full_name(&it.value)?, it.attr)),
            _ => None,
        }
    }

    /// Whether an expression is what has this full name.
    pub(super) fn is(&self, expression: &Expr, full: &str) -> bool {
        self.is_one_of(expression, &[full])
    }

    /// Whether an expression is what has one of these full names.
    pub(super) fn is_one_of(&self, expression: &Expr, full: &[&str]) -> bool {
        let name = self.full_name(expression);
        name.is_some_and(|it| full.contains(&it.as_str()))
    }

    /// Whether a name is PyTorch, or something of it.
    pub(super) fn is_of_torch(&self, name: &str) -> bool {
        let full = self.meaning(name);
        full.is_some_and(|it| it.split('.').next() == Some("torch"))
    }

    /// What the file calls PyTorch.
    pub(super) fn torch(&self) -> Option<&'p str> {
        let is_torch = |it: &&&str| self.meaning(it).as_deref() == Some("torch");
        self.above.iter().find(is_torch).copied()
    }

    fn meaning(&self, name: &str) -> Option<String> {
        if self.binds_unseen {
            return None;
        }
        match self.bound.get(name) {
            Some(full) => full.clone().filter(|_| self.above.contains(&name)),
            None => Some(format!("builtins.{name}")),
        }
    }
}

/// The names that code binds, in whatever scope.
#[derive(Default)]
struct Bindings<'p> {
    bound: BTreeMap<&'p str, Option<String>>,
    binds_unseen: bool,
}

impl<'p> Bindings<'p> {
    fn bind(&mut self, name: &'p str, full: Option<&str>) {
        let known = self.bound.entry(name);
        let known = known.or_insert_with(|| full.map(str::to_owned));
        if known.as_deref() != full {
            *known = None;
        }
    }

    fn bind_any(&mut self, names: impl IntoIterator<Item = &'p Identifier>) {
        for name in names {
            self.bind(name.as_str(), None);
        }
    }

    fn bind_parameters(&mut self, parameters: &'p Parameters) {
        self.bind_any(parameters.iter().map(AnyParameterRef::name));
    }

    /// Binds what a statement imports.
    fn import(&mut self, statement: &'p Stmt) {
        match statement {
            Stmt::Import(it) => {
                for alias in &it.names {
                    let full = alias.name.as_str();
                    let package = full.split('.').next().unwrap_or(full);
                    match &alias.asname {
                        Some(name) => self.bind(name.as_str(), Some(full)),
                        None => self.bind(package, Some(package)),
                    }
                }
            }
            Stmt::ImportFrom(it) => {
                let module = it.module.as_ref().filter(|_| it.level == 0);
                for alias in &it.names {
                    let full = module.map(|module| format!("{module}.{}", alias.name));
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.binds_unseen |= alias.name.as_str() == "*";
                    self.bind(name.as_str(), full.as_deref());
                }
            }
            _ => {}
        }
    }
}

impl<'p> Visitor<'p> for Bindings<'p> {
    fn visit_stmt(&mut self, statement: &'p Stmt) {
        match statement {
            Stmt::FunctionDef(it) => {
                self.bind_any([&it.name]);
                self.bind_parameters(&it.parameters);
            }
            Stmt::ClassDef(it) => self.bind_any([&it.name]),
            other => self.import(other),
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'p Expr) {
        match expression {
            Expr::Name(it) if !it.ctx.is_load() => self.bind(it.id.as_str(), None),
            Expr::Lambda(it) => {
                if let Some(parameters) = &it.parameters {
                    self.bind_parameters(parameters);
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_except_handler(&mut self, handler: &'p ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        self.bind_any(&it.name);
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'p Pattern) {
        match pattern {
            Pattern::MatchAs(it) => self.bind_any(&it.name),
            Pattern::MatchStar(it) => self.bind_any(&it.name),
            Pattern::MatchMapping(it) => self.bind_any(&it.rest),
            _ => {}
        }
        walk_pattern(self, pattern);
    }
}
