//! The frames of functions, modules and classes' bodies.

use rustc_hash::FxHashSet;

use super::capture::Exit;
use super::contexts::Managed;
use super::lazy::Until;
use super::value::{CaptureId, CellId, Code, Function, Value};
use super::{Cell, Changes, Interp};
use crate::project::FileId;
use crate::site::Site;
use crate::syntax::ast;

/// A function that is being followed.
#[derive(Debug)]
pub(crate) struct Frame<'p> {
    pub(crate) file: FileId,
    pub(crate) name: &'p str,
    pub(crate) scope: CellId,
    /// The first cell that was made since the statement began that is followed.
    pub(super) statement: CellId,
    pub(crate) call: Option<Site>,
    /// Graphs captured since it was entered.
    pub(crate) graphs: Vec<CaptureId>,
    pub(super) code: usize,
    /// What is followed, if it is a function.
    pub(super) function: Option<Code<'p>>,
    pub(super) class: Option<CellId>,
    pub(super) returns: Option<Value<'p>>,
    /// The `with` statement whose body runs where this function yields.
    pub(super) managed: Option<Managed<'p>>,
    pub(super) yields: Vec<Value<'p>>,
    /// Of a function with `yield`: how much of it runs.
    pub(super) until: Until,
    /// The statements that it stands in at its `yield`, innermost first, and what is to be done when they are left.
    pub(super) suspended: Vec<(&'p ast::StmtWith, Exit<'p>)>,
    pub(super) left: Vec<Changes<'p>>,
    pub(super) loops_left: Vec<Vec<Changes<'p>>>,
    pub(super) globals: FxHashSet<&'p str>,
    pub(super) nonlocals: FxHashSet<&'p str>,
}

impl<'p> Frame<'p> {
    /// The frame of a function.
    pub(super) fn new(function: &Function<'p>, scope: CellId, call: Option<Site>) -> Self {
        Self {
            class: function.class,
            function: Some(function.code),
            ..Self::module(
                function.file,
                function.code.name(),
                scope,
                call,
                function.code.address(),
            )
        }
    }

    /// The frame of a module or of a class's body.
    pub(super) fn module(
        file: FileId,
        name: &'p str,
        scope: CellId,
        call: Option<Site>,
        code: usize,
    ) -> Self {
        Self {
            file,
            name,
            scope,
            statement: scope,
            call,
            graphs: Vec::new(),
            code,
            function: None,
            class: None,
            returns: None,
            managed: None,
            yields: Vec::new(),
            until: Until::TheEnd,
            suspended: Vec::new(),
            left: Vec::new(),
            loops_left: Vec::new(),
            globals: FxHashSet::default(),
            nonlocals: FxHashSet::default(),
        }
    }
}

impl<'p> Interp<'p> {
    /// The name of the function that is followed.
    pub(crate) fn function_name(&self) -> &'p str {
        self.frames.last().map_or("<module>", |frame| frame.name)
    }

    /// The code of the function that is followed.
    pub(crate) fn code(&self) -> Option<Code<'p>> {
        self.frames.last()?.function
    }

    /// The functions that run inside a capture, outermost first, with their files; none for a module or a class.
    pub(crate) fn functions_inside(
        &self,
        capture: CaptureId,
    ) -> impl Iterator<Item = (FileId, Option<Code<'p>>)> {
        let inside = self.frames.iter().skip(self.captures[capture.0].depth);
        inside.map(|frame| (frame.file, frame.function))
    }

    /// The call of the function that is followed.
    pub(crate) fn call_site(&self) -> Option<Site> {
        self.frames.last()?.call
    }

    /// The names of the function that is followed, with their values, in no order.
    pub(crate) fn local_values(&self) -> impl Iterator<Item = (&'p str, &Value<'p>)> {
        let scope = self.frames.last().map(|frame| self.heap.get(frame.scope));
        let names = match scope {
            Some(Cell::Scope(names, _)) => Some(names),
            _ => None,
        };
        names
            .into_iter()
            .flatten()
            .map(|(name, value)| (*name, value))
    }

    /// The objects that names of the function that is followed refer to.
    pub(crate) fn local_objects(&self) -> Vec<CellId> {
        let scope = self.frames.last().map(|frame| self.heap.get(frame.scope));
        let Some(Cell::Scope(names, _)) = scope else {
            return Vec::new();
        };
        let mut objects: Vec<_> = names
            .values()
            .filter_map(|value| match value {
                Value::Object(cell) => Some(*cell),
                _ => None,
            })
            .collect();
        objects.sort();
        objects
    }

    /// How deep the call stack is.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Notes that a capture began in the functions that are followed.
    pub(crate) fn note_graph(&mut self, capture: CaptureId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.graphs.push(capture);
        }
    }
}
