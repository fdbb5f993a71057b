//! Definitions of functions: their defaults and decorators.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::{Code, Function, FunctionKind, Value};
use super::{Cell, Interp, Semantics};
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt, Visitor, walk_expr, walk_stmt};

impl<'p, L: Semantics> Interp<'p, L> {
    /// The values of a function's defaults.
    pub(super) fn defaults(
        &mut self,
        parameters: Option<&'p ast::Parameters>,
    ) -> FxHashMap<&'p str, Value<'p>> {
        let Some(parameters) = parameters else {
            return FxHashMap::default();
        };
        parameters
            .iter_non_variadic_params()
            .filter_map(|parameter| {
                let value = self.expression(parameter.default.as_deref()?);
                Some((parameter.parameter.name.as_str(), value))
            })
            .collect()
    }

    pub(super) fn define_function(&mut self, def: &'p ast::StmtFunctionDef) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let (scope, file, class) = (frame.scope, frame.file, frame.class);
        let defaults = self.defaults(Some(&def.parameters));
        // A setter has the name that its decorator has.
        let mut name = def.name.as_str();
        let mut kind = FunctionKind::Plain;
        let mut is_manager = false;
        let mut is_cached = false;
        let mut others = Vec::new();
        for decorator in def.decorator_list.iter().rev() {
            match part_of_property(&decorator.expression) {
                Some("setter") => {
                    name = self
                        .project
                        .source(file)
                        .slice(decorator.expression.range());
                    continue;
                }
                Some(_) => return,
                None => {}
            }
            let value = self.expression(&decorator.expression);
            match value.as_external() {
                Some("staticmethod") => kind = FunctionKind::Static,
                Some("classmethod") => kind = FunctionKind::Class,
                Some("property") => kind = FunctionKind::Property,
                Some("functools.cached_property") => {
                    kind = FunctionKind::Property;
                    is_cached = true;
                }
                Some("functools.cache" | "functools.lru_cache") => is_cached = true,
                Some("contextlib.contextmanager" | "contextlib.asynccontextmanager") => {
                    is_manager = true;
                }
                _ => others.push((value, decorator.range())),
            }
        }
        // The names of a class's body are no part of its methods' scopes.
        let scope = match (class, self.heap.get(scope)) {
            (Some(_), Cell::Scope(_, Some(around))) if self.is_class_scope(scope) => *around,
            _ => scope,
        };
        let function = Rc::new(Function {
            code: Code::Def(def),
            scope,
            file,
            defaults,
            kind,
            is_manager,
            yields: OnceCell::new(),
            class,
            is_cached,
            contexts: Vec::new(),
        });
        let mut value = Value::Function(Rc::clone(&function));
        for (decorator, range) in others {
            value = L::decorated(self, &decorator, value, range);
        }
        if matches!(value, Value::Unknown) {
            self.functions.hidden.push(function);
        }
        self.set_name(name, value);
    }

    pub(super) fn lambda(&mut self, it: &'p ast::ExprLambda) -> Value<'p> {
        let Some(frame) = self.frames.last() else {
            return Value::Unknown;
        };
        let (scope, file, class) = (frame.scope, frame.file, frame.class);
        let parameters = it.parameters.as_deref();
        let defaults = self.defaults(parameters);
        Value::Function(Rc::new(Function {
            code: Code::Lambda(&it.body, parameters, it.range()),
            scope,
            file,
            defaults,
            kind: FunctionKind::Plain,
            is_manager: false,
            yields: OnceCell::new(),
            class,
            is_cached: false,
            contexts: Vec::new(),
        }))
    }
}

/// Whether there is a `yield` in a statement, and not only in a function inside it.
pub(super) fn statement_yields(statement: &Stmt) -> bool {
    let mut found = Yields(false);
    found.visit_stmt(statement);
    found.0
}

/// Whether a `yield` was found.
struct Yields(bool);

impl<'p> Visitor<'p> for Yields {
    fn visit_stmt(&mut self, statement: &'p Stmt) {
        if !self.0 && !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'p Expr) {
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
            Expr::Lambda(_) => {}
            _ if self.0 => {}
            _ => walk_expr(self, expression),
        }
    }
}

/// Which part of a property a decorator makes: `@name.setter`.
fn part_of_property(decorator: &Expr) -> Option<&str> {
    let part = decorator.as_attribute_expr()?.attr.as_str();
    matches!(part, "setter" | "deleter").then_some(part)
}
