//! Imports: files of the project are followed, all else is known by its name only.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::Value;
use super::{Cell, Frame, Interp, Semantics};
use crate::project::FileId;
use crate::syntax::ast;

/// How deep imports of imports are followed.
const DEEPEST: usize = 12;

impl<'p, L: Semantics> Interp<'p, L> {
    /// Follows a file's top level, once.
    pub(super) fn enter_module(&mut self, file: FileId) {
        if self.modules.contains_key(&file) {
            return;
        }
        let scope = self.heap.add(Cell::Scope(FxHashMap::default(), None));
        self.modules.insert(file, scope);
        let source = self.project.source(file);
        self.frames.push(Frame::module(
            file,
            "<module>",
            scope,
            None,
            file.0 as usize + 1,
        ));
        self.block(&source.module.body);
        self.frames.pop();
    }

    fn imported(&mut self, file: FileId) -> Value<'p> {
        let deep = self
            .frames
            .iter()
            .filter(|frame| frame.name == "<module>")
            .count();
        if deep < DEEPEST && !self.modules.contains_key(&file) {
            // Imports run the module's code wherever they stand; what it does to what holds there is its own.
            let flow = self.flow.clone();
            self.enter_module(file);
            self.flow = flow;
        }
        Value::Module(file)
    }

    pub(super) fn module_attribute(&mut self, file: FileId, name: &str) -> Value<'p> {
        if let Some(scope) = self.modules.get(&file)
            && let Cell::Scope(names, _) = self.heap.get(*scope)
            && let Some(value) = names.get(name)
        {
            return value.clone();
        }
        match self.project.submodule(file, name) {
            Some(file) => self.imported(file),
            None => Value::Unknown,
        }
    }

    pub(super) fn import(&mut self, it: &'p ast::StmtImport) {
        let Some(here) = self.frames.last().map(|frame| frame.file) else {
            return;
        };
        for alias in &it.names {
            let full = alias.name.as_str();
            if let Some(name) = &alias.asname {
                let value = match self.project.resolve(here, full, 0) {
                    Some(file) => self.imported(file),
                    None => L::external(full),
                };
                self.set_name(name.as_str(), value);
            } else {
                let first = full.split('.').next().unwrap_or(full);
                let value = match self.project.resolve(here, first, 0) {
                    Some(file) => self.imported(file),
                    None => Value::External(Rc::from(first)),
                };
                self.set_name(first, value);
            }
        }
    }

    pub(super) fn import_from(&mut self, it: &'p ast::StmtImportFrom) {
        let Some(here) = self.frames.last().map(|frame| frame.file) else {
            return;
        };
        let module = it.module.as_ref().map_or("", |it| it.as_str());
        let file = self.project.resolve(here, module, it.level);
        for alias in &it.names {
            let name = alias.name.as_str();
            let value = match file {
                Some(file) => {
                    self.imported(file);
                    self.module_attribute(file, name)
                }
                None if it.level > 0 => Value::Unknown,
                None => L::external(&format!("{module}.{name}")),
            };
            let name = alias.asname.as_ref().map_or(name, |it| it.as_str());
            if name != "*" {
                self.set_name(name, value);
            } else if let Some(file) = file {
                self.import_all(file);
            }
        }
    }

    fn import_all(&mut self, file: FileId) {
        let Some(scope) = self.modules.get(&file) else {
            return;
        };
        let Cell::Scope(names, _) = self.heap.get(*scope) else {
            return;
        };
        let names: Vec<_> = names
            .iter()
            .map(|(name, value)| (*name, value.clone()))
            .collect();
        for (name, value) in names {
            self.set_name(name, value);
        }
    }
}
