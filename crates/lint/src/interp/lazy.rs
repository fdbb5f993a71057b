//! What runs only when something goes through it: generators, generator expressions, `map` and `filter`.

use std::rc::Rc;

use super::define::statement_yields;
use super::loops::UNROLLED;
use super::object::Kind;
use super::value::{CellId, Code, Function, FunctionKind, Value};
use super::{Args, DEEPEST, Frame, Interp, Semantics};
use crate::syntax::ast::{self, TextRange};

/// What runs later.
#[derive(Clone, Debug)]
pub(crate) enum Lazy<'p> {
    /// The body of a function with `yield`, called here.
    Body(Rc<Function<'p>>, Args<'p>, TextRange),
    /// A generator expression, in the scope that it stands in, over what its first `for` goes through.
    Expression(&'p ast::ExprGenerator, CellId, Value<'p>),
    /// `map(function, ...)`.
    Map(Value<'p>, Vec<Value<'p>>),
    /// `filter(function, iterable)`.
    Filter(Value<'p>, Value<'p>),
}

/// How much of it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// All of it.
    TheEnd,
    /// The statement that yields first.
    FirstValue,
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// What runs when something goes through it.
    pub(crate) fn new_lazy(&mut self, lazy: Lazy<'p>, range: TextRange) -> Value<'p> {
        let site = self.site(range);
        self.new_object(Kind::Lazy(Some(Rc::new(lazy))), site)
    }

    /// What a value gives when something goes through it to its end: a list, where that is known.
    pub(crate) fn iterated(&mut self, value: &Value<'p>, range: TextRange) -> Value<'p> {
        let Value::Object(cell) = value else {
            return value.clone();
        };
        match self.heap.object(*cell).map(|it| it.kind.clone()) {
            Some(Kind::Lazy(_)) => self.drained(*cell, Until::TheEnd, range),
            Some(Kind::Instance(class)) if self.frames.len() < DEEPEST => {
                if let Some(elements) = self.elements_of_tuple(*cell, class) {
                    return self.new_list(elements, true);
                }
                if let Some(iter) = self.class_attribute(class, "__iter__") {
                    let args = Args::of(vec![value.clone()]);
                    let result = self.call(&iter, args, range);
                    return match &result {
                        Value::Object(other) if other == cell => self.stepped(*cell, class, range),
                        _ => self.iterated(&result, range),
                    };
                }
                value.clone()
            }
            _ => value.clone(),
        }
    }

    /// `next(value)`.
    pub(crate) fn next_of(&mut self, value: &Value<'p>, range: TextRange) -> Value<'p> {
        let Value::Object(cell) = value else {
            return match value {
                Value::List(cell) => self.heap.any_item(*cell).unwrap_or(Value::Unknown),
                _ => Value::Unknown,
            };
        };
        match self.heap.object(*cell).map(|it| it.kind.clone()) {
            Some(Kind::Lazy(_)) => {
                let values = self.drained(*cell, Until::FirstValue, range);
                self.next_of(&values, range)
            }
            Some(Kind::Instance(class)) => match self.class_attribute(class, "__next__") {
                Some(next) => self.call(&next, Args::of(vec![value.clone()]), range),
                None => Value::Unknown,
            },
            _ => self.next_of_object(*cell),
        }
    }

    /// What an object gives whose `__iter__` gives the object itself.
    fn stepped(&mut self, cell: CellId, class: CellId, range: TextRange) -> Value<'p> {
        let Some(next) = self.class_attribute(class, "__next__") else {
            return Value::Unknown;
        };
        let value = self.call(&next, Args::of(vec![Value::Object(cell)]), range);
        self.new_list(vec![value], false)
    }

    fn drained(&mut self, cell: CellId, until: Until, range: TextRange) -> Value<'p> {
        let Some(object) = self.heap.object_mut(cell) else {
            return Value::Unknown;
        };
        let Kind::Lazy(lazy) = &mut object.kind else {
            return Value::Unknown;
        };
        match lazy.take() {
            Some(lazy) => self.run_lazy(&lazy, until, range),
            // What was gone through has nothing left; after `next`, the rest is not known.
            None => self.new_list(Vec::new(), false),
        }
    }

    fn run_lazy(&mut self, lazy: &Lazy<'p>, until: Until, range: TextRange) -> Value<'p> {
        match lazy {
            Lazy::Body(function, args, call) => self.run_body(function, args.clone(), *call, until),
            Lazy::Expression(expression, scope, first) => {
                let Some(frame) = self.frames.last_mut() else {
                    return Value::Unknown;
                };
                let around = std::mem::replace(&mut frame.scope, *scope);
                let values = self.comprehension_over(
                    &expression.elt,
                    &expression.generators,
                    Some(first.clone()),
                );
                if let Some(frame) = self.frames.last_mut() {
                    frame.scope = around;
                }
                values
            }
            Lazy::Map(function, lists) => {
                let rows = self.rows(lists, range);
                let exact = rows.1;
                let values = rows
                    .0
                    .into_iter()
                    .map(|row| self.call(function, Args::of(row), range))
                    .collect();
                self.new_list(values, exact)
            }
            Lazy::Filter(function, list) => {
                let rows = self.rows(std::slice::from_ref(list), range).0;
                let mut kept = Vec::new();
                for value in rows.into_iter().flatten() {
                    let truth = match function {
                        Value::None => value.clone(),
                        function => self.call(function, Args::of(vec![value.clone()]), range),
                    };
                    L::truth_asked(self, &truth, range);
                    if truth.truth() != Some(false) {
                        kept.push(value);
                    }
                }
                self.new_list(kept, false)
            }
        }
    }

    /// What a function is called with that takes an element of each of these, and whether that is all.
    pub(crate) fn rows(
        &mut self,
        lists: &[Value<'p>],
        range: TextRange,
    ) -> (Vec<Vec<Value<'p>>>, bool) {
        let lists: Vec<_> = lists.iter().map(|it| self.iterated(it, range)).collect();
        let exact: Vec<Vec<Value<'p>>> = lists
            .iter()
            .filter_map(|it| match it {
                Value::List(cell) => self.heap.list(*cell),
                _ => None,
            })
            .filter(|list| list.exact && list.items.len() <= UNROLLED)
            .map(|list| list.items.clone())
            .collect();
        if exact.len() == lists.len() {
            let length = exact.iter().map(Vec::len).min().unwrap_or(0);
            let row = |at: usize| exact.iter().map(|list| list[at].clone()).collect();
            return ((0..length).map(row).collect(), true);
        }
        let id = self.new_loop();
        let row = lists
            .iter()
            .map(|it| {
                let elements = self.elements(it, id);
                elements.into_iter().next().unwrap_or(Value::Unknown)
            })
            .collect();
        (vec![row], false)
    }

    fn run_body(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        call: TextRange,
        until: Until,
    ) -> Value<'p> {
        let address = function.code.address();
        let recursive = self.frames.iter().any(|frame| frame.code == address);
        if recursive || self.frames.len() >= DEEPEST || !self.spend(call) {
            return Value::Unknown;
        }
        let call = self.site(call);
        let scope = self.scope_of_call(function, args);
        let mut frame = Frame::new(function, scope, Some(call));
        frame.until = until;
        let (_, frame) = self.run_frame(function, frame);
        let Some(frame) = frame else {
            return Value::Unknown;
        };
        self.leave_all_suspended(frame.suspended);
        self.yielded(frame.yields)
    }

    /// What a function yielded, as a list: one by one, where that is more than one number would say.
    pub(super) fn yielded(&mut self, yields: Vec<Value<'p>>) -> Value<'p> {
        let numbers = yields.iter().all(|it| matches!(it, Value::Number(_)));
        let several = (2..=UNROLLED).contains(&yields.len());
        self.new_list(yields, several && !numbers)
    }

    /// Goes through what a call is given, where what is called does so at once.
    pub(super) fn drain_arguments(
        &mut self,
        function: &Value<'p>,
        args: &mut Args<'p>,
        range: TextRange,
    ) {
        for value in &mut args.positional {
            let Value::Object(cell) = value else { continue };
            let Some(Kind::Lazy(Some(lazy))) = self.heap.object(*cell).map(|it| &it.kind) else {
                continue;
            };
            let at_once = match function {
                Value::External(name) => {
                    L::drains(name) || matches!(**lazy, Lazy::Expression(..)) && !runs_later(name)
                }
                Value::Native(it) => matches!(it.1.as_str(), "join" | "extend" | "update"),
                Value::Unknown => matches!(**lazy, Lazy::Expression(..)),
                _ => false,
            };
            if at_once {
                let collects = match function {
                    Value::External(name) => L::collects(name),
                    Value::Native(it) => it.1 == "extend",
                    _ => false,
                };
                let before = L::moment(self);
                *value = self.iterated(&value.clone(), range);
                L::drained(self, value, before, collects, range);
            }
        }
    }

    /// Whether the function that is followed has yielded as much as is asked for.
    pub(super) fn has_yielded(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|it| it.until == Until::FirstValue && !it.yields.is_empty())
    }

    /// `yield from value`.
    pub(super) fn yields_from(&mut self, value: &Value<'p>, range: TextRange) {
        let values = self.iterated(value, range);
        let items = match values {
            Value::List(cell) => self.heap.list(cell).map(|list| list.items.clone()),
            _ => None,
        };
        let items = items.unwrap_or_else(|| vec![Value::Unknown]);
        if let Some(frame) = self.frames.last_mut() {
            frame.yields.extend(items);
        }
    }
}

impl Function<'_> {
    /// Whether a call of it runs nothing, and gives what runs later.
    pub(super) fn is_lazy(&self) -> bool {
        !self.is_manager && self.kind != FunctionKind::Property && self.yields()
    }

    /// Whether there is a `yield` in it, and not only in a function inside it.
    fn yields(&self) -> bool {
        *self.yields.get_or_init(|| match self.code {
            Code::Def(def) => def.body.iter().any(statement_yields),
            Code::Lambda(..) => false,
        })
    }
}

/// Whether what a function gives goes through its arguments later.
fn runs_later(name: &str) -> bool {
    matches!(name, "map" | "filter" | "iter" | "next") || name.starts_with("itertools.")
}
