//! The frames of functions, modules and classes' bodies.

use rustc_hash::FxHashSet;

use super::Frame;
use super::lazy::Until;
use super::value::{CellId, Function};
use crate::project::FileId;
use crate::site::Site;

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
