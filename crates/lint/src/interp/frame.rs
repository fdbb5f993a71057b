//! The frames of functions, modules and classes' bodies.

use rustc_hash::FxHashSet;

use super::contexts::Managed;
use super::exits::Exit;
use super::lazy::Until;
use super::value::{CellId, Code, Function, Given, Value};
use super::{Changes, Interp, Library, Semantics};
use crate::project::FileId;
use crate::site::Site;
use crate::syntax::ast;

/// A function that is being followed.
#[derive(Debug)]
pub(crate) struct Frame<'p, L: Library> {
    pub(crate) file: FileId,
    pub(crate) name: &'p str,
    pub(crate) scope: CellId,
    /// The first cell that was made since the statement began that is followed.
    pub(super) statement: CellId,
    pub(crate) call: Option<Site>,
    /// The numbers that it was given.
    pub(super) given: Vec<Given>,
    /// What the library notes of it.
    pub(crate) library: L::Frame,
    pub(super) code: usize,
    /// What is followed, if it is a function.
    pub(crate) function: Option<Code<'p>>,
    pub(super) class: Option<CellId>,
    pub(super) returns: Option<Value<'p>>,
    /// What gets the value that is evaluated, while it is.
    pub(super) assigned: Option<&'p ast::Expr>,
    /// The `with` statement whose body runs where this function yields.
    pub(super) managed: Option<Managed<'p>>,
    pub(super) yields: Vec<Value<'p>>,
    /// Of a function with `yield`: how much of it runs.
    pub(super) until: Until,
    /// The statements that it stands in at its `yield`, innermost first, and what is to be done when they are left.
    pub(super) suspended: Vec<(&'p ast::StmtWith, Exit<'p, L>)>,
    pub(super) left: Vec<Changes<'p, L>>,
    pub(super) loops_left: Vec<Vec<Changes<'p, L>>>,
    pub(super) globals: FxHashSet<&'p str>,
    pub(super) nonlocals: FxHashSet<&'p str>,
}

impl<'p, L: Library> Frame<'p, L> {
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
            given: Vec::new(),
            library: L::Frame::default(),
            code,
            function: None,
            class: None,
            returns: None,
            assigned: None,
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

impl<'p, L: Semantics> Interp<'p, L> {
    /// The name of the function that is followed.
    pub(crate) fn function_name(&self) -> &'p str {
        self.frames.last().map_or("<module>", |frame| frame.name)
    }

    /// The code of the function that is followed.
    pub(crate) fn code(&self) -> Option<Code<'p>> {
        self.frames.last()?.function
    }

    /// The functions that are followed, outermost first.
    pub(crate) fn frames(&self) -> &[Frame<'p, L>] {
        &self.frames
    }

    /// The function that is followed, to note something of it.
    pub(crate) fn frame_mut(&mut self) -> Option<&mut Frame<'p, L>> {
        self.frames.last_mut()
    }

    /// The call of the function that is followed.
    pub(crate) fn call_site(&self) -> Option<Site> {
        self.frames.last()?.call
    }

    /// How deep the call stack is.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }
}
