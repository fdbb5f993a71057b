//! Calls of the project's functions.

use std::rc::Rc;

use super::event::Event;
use super::lazy::Lazy;
use super::object::Kind;
use super::value::{CellId, Code, Function, Value};
use super::{Cell, DEEPEST, Frame, Interp, Semantics};
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Args<'p> {
    /// Those without a name.
    pub(crate) positional: Vec<Value<'p>>,
    /// Those with one.
    pub(crate) named: Vec<(Rc<str>, Value<'p>)>,
    /// Whether `*args` or `**kwargs` may hold more.
    pub(crate) open: bool,
    /// The call.
    pub(crate) node: Option<&'p ast::ExprCall>,
}

impl<'p> Args<'p> {
    /// Arguments without names.
    pub(crate) fn of(positional: Vec<Value<'p>>) -> Self {
        Self {
            positional,
            ..Self::default()
        }
    }

    /// The argument of that position or name.
    pub(crate) fn get(&self, position: usize, name: &str) -> Option<&Value<'p>> {
        self.positional.get(position).or_else(|| self.name(name))
    }

    /// The argument of that name.
    pub(crate) fn name(&self, name: &str) -> Option<&Value<'p>> {
        self.named
            .iter()
            .find(|(it, _)| &**it == name)
            .map(|(_, value)| value)
    }

    /// All arguments.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Value<'p>> {
        self.positional
            .iter()
            .chain(self.named.iter().map(|(_, value)| value))
    }

    /// The arguments with `first` before them.
    pub(crate) fn after(&self, first: Value<'p>) -> Self {
        let mut args = self.clone();
        args.positional.insert(0, first);
        args
    }
}

impl<'p, L: Semantics> Interp<'p, L> {
    pub(super) fn call_expression(&mut self, it: &'p ast::ExprCall) -> Value<'p> {
        let function = self.expression(&it.func);
        let mut args = self.arguments(it);
        self.drain_arguments(&function, &mut args, it.range());
        self.set_default(it, &function, &args);
        if let Value::External(name) = &function
            && &**name == "super"
        {
            return self.super_object(&args);
        }
        if matches!(function, Value::Unknown) {
            L::calls_unknown(self);
        }
        self.call(&function, args, it.range())
    }

    /// `container.setdefault(key, value)`.
    fn set_default(&mut self, it: &'p ast::ExprCall, function: &Value<'p>, args: &Args<'p>) {
        let ([key, value], [written, _]) = (&*args.positional, &*it.arguments.args) else {
            return;
        };
        if let Value::Native(native) = function
            && native.1 == "setdefault"
        {
            self.emit(Event::EntryKept {
                container: &native.0,
                key: (key, written),
                value,
            });
        }
    }

    fn arguments(&mut self, it: &'p ast::ExprCall) -> Args<'p> {
        let mut args = Args {
            node: Some(it),
            ..Args::default()
        };
        for argument in &it.arguments.args {
            match argument {
                Expr::Starred(starred) => {
                    let value = self.expression(&starred.value);
                    let value = self.iterated(&value, starred.range());
                    if let Value::List(cell) = &value {
                        match self.heap.list(*cell) {
                            Some(list) if list.exact => {
                                args.positional.extend(list.items.iter().cloned());
                            }
                            _ => args.open = true,
                        }
                    } else {
                        self.escape(&value);
                        args.open = true;
                    }
                }
                other => {
                    let value = self.expression(other);
                    args.positional.push(value);
                }
            }
        }
        for keyword in &it.arguments.keywords {
            let value = self.expression(&keyword.value);
            match &keyword.arg {
                Some(name) => args.named.push((Rc::from(name.as_str()), value)),
                None => match &value {
                    Value::Dict(cell) => {
                        if let Cell::Dict(items) = self.heap.get(*cell) {
                            let has_others = items.contains_key("");
                            let mut items: Vec<_> = items
                                .iter()
                                .filter(|(name, _)| !name.is_empty())
                                .map(|(name, value)| (Rc::clone(name), value.clone()))
                                .collect();
                            args.open |= items.is_empty() || has_others;
                            items.sort_by(|a, b| a.0.cmp(&b.0));
                            args.named.extend(items);
                        }
                    }
                    _ => args.open = true,
                },
            }
        }
        args
    }

    /// Calls whatever it is.
    pub(crate) fn call(
        &mut self,
        function: &Value<'p>,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        match function {
            Value::Function(it) => self.call_function(&Rc::clone(it), args, range),
            Value::Method(it) => {
                let args = args.after(it.0.clone());
                self.call(&it.1, args, range)
            }
            Value::Native(it) => {
                if let (Value::Object(cell), "__init__") = (&it.0, &*it.1) {
                    self.inherit(*cell, &args, range);
                }
                let args = self.as_inherited(args);
                L::call_method(self, &it.0, &it.1, &args, range)
            }
            Value::Class(class) => self.instantiate(*class, &args, range),
            Value::Object(cell) => L::call_object(self, *cell, args, range),
            Value::External(name) => {
                let args = self.as_inherited(args);
                L::call(self, &Rc::clone(name), &args, range)
            }
            _ => self.call_unknown(&args),
        }
    }

    /// An unknown call: it may keep its arguments and call them.
    pub(crate) fn call_unknown(&mut self, args: &Args<'p>) -> Value<'p> {
        for value in args.all() {
            self.escape(value);
        }
        self.emit(Event::UnknownCalled);
        L::unknown_called(self);
        Value::Unknown
    }

    /// Calls an object as Python does it.
    pub(crate) fn call_object(
        &mut self,
        cell: CellId,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let Some(kind) = self.heap.object(cell).map(|it| it.kind.clone()) else {
            return Value::Unknown;
        };
        match kind {
            Kind::Instance(class) => self.call_instance(cell, class, &args, range),
            Kind::Partial(function, first, named) => {
                let mut args = args;
                args.positional.splice(0..0, first);
                // What the call itself names wins.
                for (name, value) in named {
                    if args.name(&name).is_none() {
                        args.named.push((name, value));
                    }
                }
                self.call(&function, args, range)
            }
            Kind::Weak(value) => value,
            _ => self.call_unknown(&args),
        }
    }

    /// Follows a function of the project.
    pub(super) fn call_function(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        if function.is_manager {
            let site = self.site(range);
            return self.new_object(Kind::Managed(Rc::clone(function), Box::new(args)), site);
        }
        if self
            .contexts
            .patched
            .iter()
            .any(|it| **it == *function.code.name())
        {
            return self.call_unknown(&args);
        }
        if function.is_cached {
            return self.call_cached(function, args, range);
        }
        self.run_call(function, args, range)
    }

    /// Follows a call of a function, or notes what is to run later if it yields.
    pub(super) fn run_call(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        if function.is_lazy() {
            let lazy = Lazy::Body(Rc::clone(function), args, range);
            return self.new_lazy(lazy, range);
        }
        let address = function.code.address();
        let recursive = self.frames.iter().any(|frame| frame.code == address);
        if recursive || self.frames.len() >= DEEPEST || !self.spend(range) {
            return self.call_unknown(&args);
        }
        let call = self.site(range);
        let given = self.given_by(&args);
        let scope = self.scope_of_call(function, args);
        let frame = Frame::new(function, scope, Some(call));
        self.run_function(function, Frame { given, ..frame })
    }

    pub(super) fn run_function(
        &mut self,
        function: &Rc<Function<'p>>,
        frame: Frame<'p, L>,
    ) -> Value<'p> {
        let (result, frame) = self.run_frame(function, frame);
        match frame {
            Some(frame) if !frame.yields.is_empty() => self.yielded(frame.yields),
            _ => result,
        }
    }

    /// Follows a function to its end: what it returns, and its frame as it was then.
    pub(super) fn run_frame(
        &mut self,
        function: &Rc<Function<'p>>,
        frame: Frame<'p, L>,
    ) -> (Value<'p>, Option<Frame<'p, L>>) {
        let before = L::moment(self);
        self.functions.visited.insert(function.code.address());
        self.frames.push(frame);
        let around = self.choices.doubt;
        let exits: Vec<_> = function
            .contexts
            .iter()
            .rev()
            .map(|it| self.enter_context(it, TextRange::default(), None).1)
            .collect();
        let result = match function.code {
            Code::Lambda(body, ..) => {
                let value = self.expression(body);
                Some(value)
            }
            Code::Def(def) => {
                self.with_phases_of(|it| it.block(&def.body));
                let left = self
                    .frames
                    .last_mut()
                    .map(|frame| std::mem::take(&mut frame.left))
                    .unwrap_or_default();
                for changes in left {
                    self.heap.merge_in(changes);
                }
                self.frames
                    .last_mut()
                    .and_then(|frame| frame.returns.take())
            }
        };
        for exit in exits.into_iter().rev() {
            self.exit_context(exit);
        }
        let result = result.unwrap_or(Value::None);
        let result = L::returned(self, result, before);
        self.doubt_is_again(around);
        self.emit(Event::Returned { result: &result });
        let Some(mut frame) = self.frames.pop() else {
            return (result, None);
        };
        if let Some(around) = self.frames.last_mut() {
            L::frame_left(&mut frame, around);
        }
        (result, Some(frame))
    }
}
