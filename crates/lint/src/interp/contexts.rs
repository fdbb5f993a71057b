//! `with`, and the project's own contexts: functions under `@contextlib.contextmanager`, around whose `yield` the body
//! of the statement runs.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::exits::Exit;
use super::object::Kind;
use super::value::{CellId, Function, Value};
use super::{Args, DEEPEST, Frame, Interp, Library, Next, Semantics};
use crate::syntax::ast::{self, Ranged as _};

/// What runs where a function that makes a context yields.
#[derive(Debug)]
pub(super) struct Managed<'p> {
    statement: &'p ast::StmtWith,
    /// The context of the statement that is entered.
    item: &'p ast::WithItem,
    /// Those after it.
    rest: &'p [ast::WithItem],
    /// How the body ended, once it has run.
    next: Option<Next>,
}

/// The contexts around what is followed.
#[derive(Debug, Default)]
pub(super) struct Contexts<'p, L: Library> {
    /// What is to be done when those are left that were entered by hand, or by a stack.
    pub(super) exits: FxHashMap<CellId, Vec<Exit<'p, L>>>,
    /// How many there are whose bodies are to fail.
    pub(super) expected_failures: u32,
    /// The names of functions that something else stands in for meanwhile.
    pub(super) patched: Vec<Rc<str>>,
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// Whether what is followed is to fail.
    pub(crate) fn is_to_fail(&self) -> bool {
        self.contexts.expected_failures > 0
    }

    /// Enters the contexts in order, follows the body of `it`, and leaves them again.
    pub(super) fn with_statement(
        &mut self,
        it: &'p ast::StmtWith,
        items: &'p [ast::WithItem],
    ) -> Next {
        let Some((item, rest)) = items.split_first() else {
            return self.block(&it.body);
        };
        let context = self.expression(&item.context_expr);
        if let Value::Object(cell) = context
            && let Some(Kind::Either(one, other)) = self.heap.object(cell).map(|it| it.kind.clone())
        {
            return self.in_some_turns(|interp| {
                interp.some_may_leave(|interp| {
                    interp.in_doubt(|interp| {
                        interp.either(
                            |interp| interp.with_context(it, item, rest, &one),
                            |interp| interp.with_context(it, item, rest, &other),
                        )
                    })
                })
            });
        }
        self.with_context(it, item, rest, &context)
    }

    /// Enters one context, and then the rest.
    fn with_context(
        &mut self,
        it: &'p ast::StmtWith,
        item: &'p ast::WithItem,
        rest: &'p [ast::WithItem],
        context: &Value<'p>,
    ) -> Next {
        if let Some((function, args)) = self.managed(context) {
            let managed = Managed {
                statement: it,
                item,
                rest,
                next: None,
            };
            return self.with_managed(&function, args, managed);
        }
        let (entered, exit) = self.enter_context(context, item.context_expr.range(), Some(it));
        if let Some(target) = &item.optional_vars {
            self.assign(target, entered);
        }
        self.roots.in_use.push(context.clone());
        let next = self.with_statement(it, rest);
        self.roots.in_use.pop();
        if self.has_yielded() {
            if let Some(frame) = self.frames.last_mut() {
                frame.suspended.push((it, exit));
            }
        } else {
            self.exit_context(exit);
        }
        next
    }

    /// The function of the project that makes this context, if it can be followed.
    fn managed(&self, context: &Value<'p>) -> Option<(Rc<Function<'p>>, Args<'p>)> {
        let Value::Object(cell) = context else {
            return None;
        };
        let Kind::Managed(function, args) = &self.heap.object(*cell)?.kind else {
            return None;
        };
        let address = function.code.address();
        let recursive = self.frames.iter().any(|frame| frame.code == address);
        (!recursive && self.frames.len() < DEEPEST)
            .then(|| (Rc::clone(function), Args::clone(args)))
    }

    fn with_managed(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        managed: Managed<'p>,
    ) -> Next {
        let call = self.site(managed.item.context_expr.range());
        let scope = self.scope_of_call(function, args);
        let mut frame = Frame::new(function, scope, Some(call));
        frame.managed = Some(managed);
        let (_, frame) = self.run_frame(function, frame);
        frame
            .and_then(|frame| frame.managed?.next)
            .unwrap_or(Next::Goes)
    }

    /// `yield value`.
    pub(super) fn yields(&mut self, value: Value<'p>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Some(managed) = &frame.managed else {
            frame.yields.push(value);
            return;
        };
        let (statement, item, rest) = (managed.statement, managed.item, managed.rest);
        // The body belongs to the function that has the statement.
        let Some(suspended) = self.frames.pop() else {
            return;
        };
        L::adopted(self);
        if let Some(target) = &item.optional_vars {
            self.assign(target, value);
        }
        let next = self.with_statement(statement, rest);
        self.frames.push(suspended);
        if let Some(managed) = self
            .frames
            .last_mut()
            .and_then(|frame| frame.managed.as_mut())
        {
            managed.next = Some(next);
        }
    }
}
