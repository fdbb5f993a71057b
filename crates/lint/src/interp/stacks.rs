//! Contexts that are entered and left by hand, or by an `ExitStack`.

use std::rc::Rc;

use super::exits::Exit;
use super::lazy::Until;
use super::object::Kind;
use super::value::{CellId, Code, Function, Value};
use super::{Args, Cell, DEEPEST, Frame, Interp, Library, Semantics};
use crate::syntax::ast::{self, Stmt, TextRange};

/// A function under `@contextmanager` that has come to its `yield`.
#[derive(Debug)]
pub(super) struct Suspended<'p, L: Library> {
    frame: Frame<'p, L>,
    body: &'p [Stmt],
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// `context.__enter__()`, or `stack.enter_context(context)` where `holder` is the stack.
    pub(crate) fn enter_by_hand(
        &mut self,
        holder: CellId,
        context: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let (value, exit) = self.enter_context(context, range, None);
        self.contexts.exits.entry(holder).or_default().push(exit);
        value
    }

    /// `context.__exit__(...)`, or the end of a stack: leaves what was entered, the last first.
    pub(crate) fn exit_by_hand(&mut self, holder: CellId) {
        while let Some(exit) = self.contexts.exits.get_mut(&holder).and_then(Vec::pop) {
            self.exit_context(exit);
        }
    }

    /// `stack.pop_all()`: another stack, which leaves what this one was to leave.
    pub(crate) fn move_exits(&mut self, from: CellId, range: TextRange) -> Value<'p> {
        let site = self.site(range);
        let stack = self.new_object(Kind::ExitStack, site);
        if let Value::Object(to) = stack
            && let Some(exits) = self.contexts.exits.remove(&from)
        {
            self.contexts.exits.insert(to, exits);
        }
        stack
    }

    /// Follows a function under `@contextmanager` to its `yield`: what it yields, and what is to be done at the end.
    pub(super) fn enter_managed(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        range: TextRange,
    ) -> (Value<'p>, Exit<'p, L>) {
        let address = function.code.address();
        let recursive = self.frames.iter().any(|frame| frame.code == address);
        let Code::Def(def) = function.code else {
            return (Value::Unknown, Exit::Nothing);
        };
        if recursive || self.frames.len() >= DEEPEST {
            return (Value::Unknown, Exit::Nothing);
        }
        let call = self.site(range);
        let scope = self.scope_of_call(function, args);
        let mut frame = Frame::new(function, scope, Some(call));
        frame.until = Until::FirstValue;
        self.functions.visited.insert(address);
        self.frames.push(frame);
        self.block(&def.body);
        let Some(mut frame) = self.frames.pop() else {
            return (Value::Unknown, Exit::Nothing);
        };
        L::adopted(self);
        if let Some(around) = self.frames.last_mut() {
            L::frame_left(&mut frame, around);
        }
        let value = frame.yields.pop().unwrap_or(Value::Unknown);
        let body = &def.body;
        let suspended = Suspended { frame, body };
        (value, Exit::Resume(Box::new(suspended)))
    }

    /// Follows the rest of a function that was left at its `yield`.
    pub(super) fn resume(&mut self, suspended: Suspended<'p, L>) {
        let Suspended { mut frame, body } = suspended;
        frame.until = Until::TheEnd;
        self.frames.push(frame);
        self.resume_block(body);
        self.frames.pop();
    }

    fn resume_block(&mut self, body: &'p [Stmt]) {
        let Some(at) = body.iter().position(super::define::statement_yields) else {
            return;
        };
        match &body[at] {
            Stmt::With(it) => {
                self.resume_block(&it.body);
                self.leave_suspended(it);
            }
            Stmt::Try(it) => {
                self.resume_block(&it.body);
                self.block(&it.finalbody);
            }
            Stmt::If(it) => {
                let clauses = it.elif_else_clauses.iter().map(|clause| &*clause.body);
                for body in std::iter::once(&*it.body).chain(clauses) {
                    self.resume_block(body);
                }
            }
            Stmt::For(it) => self.resume_block(&it.body),
            Stmt::While(it) => self.resume_block(&it.body),
            _ => {}
        }
        self.block(&body[at + 1..]);
    }

    /// Leaves the contexts of a statement that a function was left in.
    fn leave_suspended(&mut self, it: &'p ast::StmtWith) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let (own, others): (Vec<_>, Vec<_>) = std::mem::take(&mut frame.suspended)
            .into_iter()
            .partition(|(of, _)| std::ptr::eq(*of, it));
        frame.suspended = others;
        for (_, exit) in own {
            self.exit_context(exit);
        }
    }

    /// Leaves all contexts that a function stands in which will not go on.
    pub(super) fn leave_all_suspended(&mut self, exits: Vec<(&'p ast::StmtWith, Exit<'p, L>)>) {
        for (_, exit) in exits {
            self.exit_context(exit);
        }
    }

    /// Whether a class of the project has a method of its own of that name.
    pub(crate) fn has_method(&self, object: CellId, name: &str) -> bool {
        let Cell::Object(object) = self.heap.get(object) else {
            return false;
        };
        match object.kind {
            Kind::Instance(class) => self.class_attribute(class, name).is_some(),
            _ => false,
        }
    }
}
