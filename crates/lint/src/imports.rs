//! The imports of a file, wherever they stand.

use crate::syntax::ast::{ExceptHandler, Stmt};

/// The modules that statements import, with the number of dots before them. A name taken from a module may be one too.
pub(crate) fn of(body: &[Stmt]) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    collect(body, &mut found);
    found.sort();
    found.dedup();
    found
}

fn collect(body: &[Stmt], found: &mut Vec<(String, u32)>) {
    for statement in body {
        match statement {
            Stmt::Import(it) => {
                found.extend(it.names.iter().map(|alias| (alias.name.to_string(), 0)));
            }
            Stmt::ImportFrom(it) => {
                let module = it
                    .module
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                for alias in &it.names {
                    let dot = if module.is_empty() { "" } else { "." };
                    found.push((format!("{module}{dot}{}", alias.name), it.level));
                }
                found.push((module, it.level));
            }
            Stmt::FunctionDef(it) => collect(&it.body, found),
            Stmt::ClassDef(it) => collect(&it.body, found),
            Stmt::If(it) => {
                collect(&it.body, found);
                it.elif_else_clauses
                    .iter()
                    .for_each(|it| collect(&it.body, found));
            }
            Stmt::With(it) => collect(&it.body, found),
            Stmt::Try(it) => {
                collect(&it.body, found);
                collect(&it.orelse, found);
                for ExceptHandler::ExceptHandler(handler) in &it.handlers {
                    collect(&handler.body, found);
                }
            }
            _ => {}
        }
    }
}
