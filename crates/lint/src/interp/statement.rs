//! Statements.

use std::rc::Rc;

use super::object::Kind;
use super::value::{LoopId, Number, Value};
use super::{Interp, Next};
use crate::rules;
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt};

/// How many elements of a list are followed one by one.
pub(super) const UNROLLED: usize = 4;
/// The same for lists of objects such as streams.
const UNROLLED_OBJECTS: usize = 64;

impl<'p> Interp<'p> {
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
        if !self.spend() {
            return Next::Raises;
        }
        let next_cell = self.heap.next();
        if let Some(frame) = self.frames.last_mut() {
            frame.statement = next_cell;
        }
        match statement {
            Stmt::Expr(it) => {
                self.expression(&it.value);
                self.is_dropped(&it.value);
            }
            Stmt::Assign(it) => {
                let value = self.expression(&it.value);
                self.is_kept(&it.value, &value);
                rules::side_effects::assigned(self, it, &value);
                let value = match &*it.value {
                    Expr::Name(_) | Expr::Attribute(_) => {
                        rules::answers::renamed(self, value, it.range())
                    }
                    _ => value,
                };
                for target in &it.targets {
                    rules::held_numbers::assigned(self, target, &it.value, &value);
                    rules::renewed::assigned(self, target, &it.value, &value);
                    self.assign(target, value.clone());
                }
            }
            Stmt::AnnAssign(it) => {
                if let Some(expression) = &it.value {
                    let value = self.expression(expression);
                    self.is_kept(expression, &value);
                    rules::renewed::assigned(self, &it.target, expression, &value);
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
                        self.is_kept(expression, &value);
                        value
                    }
                };
                self.returns(value);
                return Next::Returns;
            }
            Stmt::Assert(it) => {
                self.condition(&it.test);
                rules::control_flow::depends_on(self, &it.test);
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
        // What changes from turn to turn goes both ways.
        let alternates = self.last_condition.varies().is_some();
        rules::control_flow::depends_on(self, test);
        rules::capture_aware::branch(self, test, body, rest);
        match known {
            Some(true) => self.block(body),
            Some(false) => self.otherwise(rest),
            None => rules::first_uses::in_some_turns(self, |it| {
                let both = |it: &mut Self| it.either(|it| it.block(body), |it| it.otherwise(rest));
                if alternates {
                    both(it)
                } else {
                    it.some_may_leave(|it| it.in_doubt(both))
                }
            }),
        }
    }

    /// Follows ways of which one may return, or end a loop's turn: then all that stands behind them in the function, or
    /// in the loop's body, is in doubt as their own statements are.
    pub(super) fn some_may_leave(&mut self, ways: impl FnOnce(&mut Self) -> Next) -> Next {
        let before = self.ways_left();
        let next = ways(self);
        if next == Next::Goes && self.ways_left() > before {
            self.doubt += 1;
        }
        next
    }

    /// How many ways have left the function, or the innermost loop's turn.
    fn ways_left(&self) -> usize {
        let innermost = self.frames.last().and_then(|frame| frame.loops_left.last());
        self.ways_returned() + innermost.map_or(0, Vec::len)
    }

    /// How many ways have left the function.
    fn ways_returned(&self) -> usize {
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
    pub(super) fn in_doubt<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.doubt;
        self.doubt += 1;
        let result = body(self);
        self.doubt_is_again(around);
        result
    }

    /// What is in doubt has been followed. A capture that began there goes on in what is not.
    pub(super) fn doubt_is_again(&mut self, doubt: u32) {
        self.doubt = doubt;
        for id in &self.flow.captures {
            let capture = &mut self.captures[id.0];
            capture.doubt = capture.doubt.min(doubt);
        }
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
    fn leave(&mut self, how: Next, changes: super::Changes<'p>) {
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

    fn for_statement(&mut self, it: &'p ast::StmtFor) -> Next {
        let iterated = self.expression(&it.iter);
        rules::held_numbers::repeats(self, &it.iter);
        let iterated = self.iterated(&iterated, it.iter.range());
        rules::threads::iterated(self, &iterated, it.iter.range());
        let id = self.new_loop();
        let elements = self.elements(&iterated, id);
        let unrolled = elements.len() > 1;
        if let Some(turns) = self.turns_through(&iterated, &elements) {
            self.loop_lengths.insert(id, turns);
        }
        let turns = if unrolled { 1 } else { 2 };
        let around = self.enter_loop(id);
        self.in_use.push(iterated);
        let mut last = Next::Goes;
        'all: for element in elements {
            for _ in 0..turns {
                rules::renewed::looped(self, &it.target, &it.iter);
                let element = rules::answers::in_turn(self, element.clone());
                self.assign(&it.target, element);
                last = self.turn(&it.body);
                if last != Next::Goes {
                    break 'all;
                }
            }
        }
        self.in_use.pop();
        self.flow.loops = around;
        self.after_loop(last, &it.orelse)
    }

    fn while_statement(&mut self, it: &'p ast::StmtWhile) -> Next {
        let id = self.new_loop();
        let around = self.enter_loop(id);
        let mut last = Next::Goes;
        for _ in 0..2 {
            if self.condition(&it.test) == Some(false) {
                break;
            }
            rules::control_flow::depends_on(self, &it.test);
            last = self.turn(&it.body);
            if last != Next::Goes {
                break;
            }
        }
        self.flow.loops = around;
        if last == Next::Goes {
            rules::pinned_sources::polled(self, &it.test);
        }
        self.after_loop(last, &it.orelse)
    }

    fn after_loop(&mut self, last: Next, orelse: &'p [Stmt]) -> Next {
        match last {
            // A loop may have had no turn at all.
            Next::Returns | Next::Raises | Next::Leaves => Next::Goes,
            Next::Goes => self.block(orelse),
        }
    }

    /// One turn of a loop, with those that end early.
    fn turn(&mut self, body: &'p [Stmt]) -> Next {
        if let Some(id) = self.flow.loops.last() {
            *self.turns.entry(*id).or_default() += 1;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.loops_left.push(Vec::new());
        }
        let (around, returned) = (self.doubt, self.ways_returned());
        let next = self.block(body);
        if self.ways_returned() == returned {
            self.doubt_is_again(around);
        }
        let left = self
            .frames
            .last_mut()
            .and_then(|frame| frame.loops_left.pop())
            .unwrap_or_default();
        let continued = !left.is_empty();
        for changes in left {
            self.heap.merge_in(changes);
        }
        if continued { Next::Goes } else { next }
    }

    /// The loop that will be entered next.
    pub(crate) fn next_loop_id(&self) -> LoopId {
        LoopId(self.next_loop + 1)
    }

    pub(super) fn new_loop(&mut self) -> LoopId {
        self.next_loop += 1;
        LoopId(self.next_loop)
    }

    pub(super) fn enter_loop(&mut self, id: LoopId) -> Rc<[LoopId]> {
        let around = Rc::clone(&self.flow.loops);
        self.flow.loops = around.iter().copied().chain([id]).collect();
        around
    }

    /// How many turns a loop has that goes through this, followed with these elements.
    fn turns_through(&self, iterated: &Value<'p>, elements: &[Value<'p>]) -> Option<Turns> {
        if elements.len() > 1 {
            return Some(Turns::Each(elements.len()));
        }
        match iterated {
            Value::List(cell) => {
                let list = self.heap.list(*cell)?;
                list.exact.then_some(Turns::OneForAll(list.items.len()))
            }
            _ => None,
        }
    }

    /// The elements to follow a loop with: all, if they are few and known; otherwise one for all.
    pub(super) fn elements(&mut self, iterated: &Value<'p>, id: LoopId) -> Vec<Value<'p>> {
        match iterated {
            Value::List(cell) => {
                let Some(list) = self.heap.list(*cell) else {
                    return vec![Value::Unknown];
                };
                let objects = list.items.iter().all(|item| self.is_object(item));
                let most = if objects { UNROLLED_OBJECTS } else { UNROLLED };
                if list.exact && list.items.len() > 1 && list.items.len() <= most {
                    return list.items.clone();
                }
                let any = self.heap.any_item(*cell).unwrap_or(Value::Unknown);
                vec![varying(any, id)]
            }
            Value::External(name) if &**name == "range" => vec![varying(Value::number(), id)],
            Value::Tensor(cell) => vec![self.element_of(*cell)],
            Value::Object(cell) => match self.heap.object(*cell).map(|it| it.kind.clone()) {
                Some(Kind::Module(name, items))
                    if name.ends_with("ModuleList") || name.ends_with("Sequential") =>
                {
                    self.elements_of_modules(&items, id)
                }
                Some(Kind::Graphed(function, site)) => {
                    vec![self.element_of_graphed(*cell, function, site)]
                }
                _ => vec![Value::Unknown],
            },
            _ => vec![Value::Unknown],
        }
    }

    /// Whether a value is an object, or a tuple with one in it.
    fn is_object(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Object(_)
            | Value::Dict(_)
            | Value::Class(_)
            | Value::Function(_)
            | Value::External(_) => true,
            Value::List(cell) => self.heap.list(*cell).is_some_and(|list| {
                list.exact && list.items.iter().any(|it| matches!(it, Value::Object(_)))
            }),
            _ => false,
        }
    }

    /// How many parts a `Sequential` is known to have.
    pub(crate) fn parts_of_modules(&self, value: &Value<'p>) -> Option<usize> {
        let Value::Object(cell) = value else {
            return None;
        };
        match &self.heap.object(*cell)?.kind {
            Kind::Module(name, items) if name.ends_with("Sequential") => {
                let is_part = |it: &Value<'p>| matches!(it, Value::Object(_));
                items.iter().all(is_part).then_some(items.len())
            }
            _ => None,
        }
    }

    fn elements_of_modules(&mut self, items: &[Value<'p>], id: LoopId) -> Vec<Value<'p>> {
        match items {
            [list @ Value::List(_)] => self.elements(list, id),
            [] => vec![Value::Unknown],
            items => items.iter().take(UNROLLED).cloned().collect(),
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

/// How many turns a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// So many, and each is followed.
    Each(usize),
    /// So many, and what is followed stands for all.
    OneForAll(usize),
}

/// What a loop's variable is from turn to turn.
fn varying(value: Value<'_>, id: LoopId) -> Value<'_> {
    match value {
        Value::Number(number) => Value::Number(Number {
            constant: None,
            most: number.at_most(),
            varies: Some(id),
        }),
        other => other,
    }
}
