//! Statements.

use std::cell::Cell;

use super::event::{Assignment, Event};
use super::value::Value;
use super::{Interp, Next, Semantics};
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt};

impl<'p, L: Semantics> Interp<'p, L> {
    /// Follows statements in order, to the first that leaves.
    pub(super) fn block(&mut self, body: &'p [Stmt]) -> Next {
        for statement in body {
            let next = self.statement(statement);
            if next != Next::Goes {
                return next;
            }
            if self.has_yielded() {
                return Next::Raises;
            }
        }
        Next::Goes
    }

    fn statement(&mut self, statement: &'p Stmt) -> Next {
        if !self.spend(statement.range()) {
            return Next::Raises;
        }
        let next_cell = self.heap.next();
        if let Some(frame) = self.frames.last_mut() {
            frame.statement = next_cell;
        }
        match statement {
            Stmt::Expr(it) => {
                self.expression(&it.value);
                L::dropped(self, &it.value);
            }
            Stmt::Assign(it) => {
                let only = it.targets.first().filter(|_| it.targets.len() == 1);
                let value = self.next_value(only, &it.value);
                L::kept(self, &it.value, &value);
                L::assigned(self, it, &value);
                let value = match &*it.value {
                    Expr::Name(_) | Expr::Attribute(_) => L::renamed(self, value, it.range()),
                    _ => value,
                };
                for target in &it.targets {
                    let (value, how) = if self.sets_up(target) {
                        (value.clone().stays(), Assignment::SetUp)
                    } else {
                        (value.clone(), Assignment::Plain)
                    };
                    self.emit(Event::Assigned {
                        target,
                        expression: &it.value,
                        value: &value,
                        how,
                    });
                    self.assign(target, value);
                }
            }
            Stmt::AnnAssign(it) => {
                if let Some(expression) = &it.value {
                    let value = self.expression(expression);
                    L::kept(self, expression, &value);
                    self.emit(Event::Assigned {
                        target: &it.target,
                        expression,
                        value: &value,
                        how: Assignment::Annotated,
                    });
                    self.assign(&it.target, value);
                }
            }
            Stmt::AugAssign(it) => self.assign_in_place(it),
            Stmt::If(it) => return self.if_statement(it),
            Stmt::For(it) => return self.for_statement(it),
            Stmt::While(it) => return self.while_statement(it),
            Stmt::With(it) => return self.with_statement(it, &it.items),
            Stmt::Try(it) => return self.try_statement(it),
            Stmt::FunctionDef(it) => self.define_function(it),
            Stmt::ClassDef(it) => self.define_class(it),
            Stmt::Import(it) => self.import(it),
            Stmt::ImportFrom(it) => self.import_from(it),
            Stmt::Return(it) => {
                let value = match &it.value {
                    None => Value::None,
                    Some(expression) => {
                        let value = self.expression(expression);
                        L::kept(self, expression, &value);
                        value
                    }
                };
                self.returns(value);
                return Next::Returns;
            }
            Stmt::Assert(it) => {
                self.condition(&it.test);
                self.emit(Event::Decides { test: &it.test });
            }
            Stmt::Delete(it) => {
                for target in &it.targets {
                    self.delete(target);
                }
            }
            Stmt::Raise(it) => {
                if let Some(error) = &it.exc {
                    self.expression(error);
                }
                return Next::Raises;
            }
            Stmt::Global(it) => {
                let names = it.names.iter().map(ruff_python_ast::Identifier::as_str);
                if let Some(frame) = self.frames.last_mut() {
                    frame.globals.extend(names);
                }
            }
            Stmt::Nonlocal(it) => {
                let names = it.names.iter().map(ruff_python_ast::Identifier::as_str);
                if let Some(frame) = self.frames.last_mut() {
                    frame.nonlocals.extend(names);
                }
            }
            Stmt::Match(it) => return self.match_statement(it),
            Stmt::Break(_) | Stmt::Continue(_) => return Next::Leaves,
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
        Next::Goes
    }

    fn returns(&mut self, value: Value<'p>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let earlier = frame.returns.take();
        let joined = match earlier {
            Some(earlier) => self.heap.join(earlier, value),
            None => value,
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.returns = Some(joined);
        }
    }

    fn if_statement(&mut self, it: &'p ast::StmtIf) -> Next {
        self.if_clauses(&it.test, &it.body, &it.elif_else_clauses)
    }

    fn if_clauses(
        &mut self,
        test: &'p Expr,
        body: &'p [Stmt],
        rest: &'p [ast::ElifElseClause],
    ) -> Next {
        let known = self.condition(test);
        // What changes with each iteration goes both ways.
        let alternates = self.choices.last.varies().is_some();
        self.emit(Event::Decides { test });
        self.emit(Event::Branches { test, body, rest });
        let (held, failed) = (Cell::new(Next::Leaves), Cell::new(Next::Leaves));
        let holds = |it: &mut Self| {
            held.set(it.where_test_is(true, test, |it| it.block(body)));
            held.get()
        };
        let fails = |it: &mut Self| {
            failed.set(it.where_test_is(false, test, |it| it.otherwise(rest)));
            failed.get()
        };
        let next = match known {
            Some(true) => holds(self),
            Some(false) => fails(self),
            None => self.in_some_turns(|it| {
                let both = |it: &mut Self| it.either(holds, fails);
                if alternates {
                    both(it)
                } else {
                    it.some_may_leave(|it| it.in_doubt(both))
                }
            }),
        };
        self.go_on_from(test, held.get(), failed.get());
        next
    }

    /// Follows ways of which one may return, or end a loop's turn: then all that stands behind them in the function, or
    /// in the loop's body, is in doubt as their own statements are.
    pub(super) fn some_may_leave(&mut self, ways: impl FnOnce(&mut Self) -> Next) -> Next {
        let before = self.ways_left();
        let next = ways(self);
        if next == Next::Goes && self.ways_left() > before {
            self.choices.doubt += 1;
        }
        next
    }

    /// How many ways have left the function, or the innermost loop's turn.
    fn ways_left(&self) -> usize {
        let innermost = self.frames.last().and_then(|frame| frame.loops_left.last());
        self.ways_returned() + innermost.map_or(0, Vec::len)
    }

    /// How many ways have left the function.
    pub(super) fn ways_returned(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.left.len())
    }

    fn otherwise(&mut self, rest: &'p [ast::ElifElseClause]) -> Next {
        match rest.split_first() {
            None => Next::Goes,
            Some((clause, rest)) => match &clause.test {
                Some(test) => self.if_clauses(test, &clause.body, rest),
                None => self.block(&clause.body),
            },
        }
    }

    /// Follows what may never run, for all that is known.
    pub(crate) fn in_doubt<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.choices.doubt;
        self.choices.doubt += 1;
        let result = body(self);
        self.doubt_is_again(around);
        result
    }

    /// What is in doubt has been followed.
    pub(super) fn doubt_is_again(&mut self, doubt: u32) {
        self.choices.doubt = doubt;
        L::doubt_ends(self, doubt);
    }

    /// Follows two ways from the same state, and goes on from both.
    pub(super) fn either(
        &mut self,
        first: impl FnOnce(&mut Self) -> Next,
        second: impl FnOnce(&mut Self) -> Next,
    ) -> Next {
        let before = self.flow.clone();
        self.heap.begin();
        let one = first(self);
        let changes = self.heap.take_back();
        let after = std::mem::replace(&mut self.flow, before);
        self.heap.begin();
        let other = second(self);
        let other_changes = self.heap.take_back();
        match (one, other) {
            (Next::Goes, Next::Goes) => {
                self.heap.merge(changes, other_changes);
                self.flow = after;
                Next::Goes
            }
            (Next::Goes, _) => {
                self.leave(other, other_changes);
                self.heap.apply(changes);
                self.flow = after;
                Next::Goes
            }
            (_, Next::Goes) => {
                self.leave(one, changes);
                self.heap.apply(other_changes);
                Next::Goes
            }
            _ => {
                self.leave(one, changes);
                self.leave(other, other_changes);
                if one == Next::Raises { other } else { one }
            }
        }
    }

    /// Keeps the state in which a loop's turn or a function was left, to be added where it goes on.
    fn leave(&mut self, how: Next, changes: super::Changes<'p, L>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        match how {
            Next::Returns => frame.left.push(changes),
            Next::Leaves => {
                if let Some(innermost) = frame.loops_left.last_mut() {
                    innermost.push(changes);
                }
            }
            Next::Goes | Next::Raises => {}
        }
    }

    fn try_statement(&mut self, it: &'p ast::StmtTry) -> Next {
        let mut next = self.block(&it.body);
        if self.has_yielded() {
            return next;
        }
        if let (Next::Raises, [handler]) = (next, it.handlers.as_slice()) {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            next = self.handler(handler);
            return self.finally(&it.finalbody, next);
        }
        if next == Next::Raises {
            next = Next::Goes;
        } else if next == Next::Goes {
            next = self.block(&it.orelse);
        }
        for handler in &it.handlers {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            let after = self.flow.clone();
            self.heap.begin();
            let end = self.in_doubt(|it| it.handler(handler));
            let changes = self.heap.take_back();
            if end == Next::Goes {
                self.heap.merge_in(changes);
            }
            self.flow = after;
        }
        self.finally(&it.finalbody, next)
    }

    fn handler(&mut self, handler: &'p ast::ExceptHandlerExceptHandler) -> Next {
        if let Some(name) = &handler.name {
            self.set_name(name.as_str(), Value::Unknown);
        }
        self.block(&handler.body)
    }

    /// Follows what runs at the end of a `try` that ended as `next` says.
    fn finally(&mut self, body: &'p [Stmt], next: Next) -> Next {
        match self.block(body) {
            Next::Goes => next,
            left => left,
        }
    }
}
