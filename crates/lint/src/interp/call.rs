//! Calls of the project's functions.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::{CellId, Code, Function, FunctionKind, Kind, Site, Value};
use super::{Cell, DEEPEST, Frame, Interp};
use crate::rules;
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};
use crate::torch;

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

impl<'p> Interp<'p> {
    pub(super) fn call_expression(&mut self, it: &'p ast::ExprCall) -> Value<'p> {
        let function = self.expression(&it.func);
        let args = self.arguments(it);
        if let Value::External(name) = &function
            && &**name == "super"
        {
            return self.super_object();
        }
        self.call(&function, args, it.range())
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
                            let mut items: Vec<_> = items
                                .iter()
                                .filter(|(name, _)| !name.is_empty())
                                .map(|(name, value)| (Rc::clone(name), value.clone()))
                                .collect();
                            args.open |= items.is_empty();
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
            Value::Native(it) => torch::methods::call(self, &it.0, &it.1, &args, range),
            Value::Class(class) => self.instantiate(*class, &args, range),
            Value::Object(cell) => self.call_object(*cell, args, range),
            Value::External(name) => torch::functions::call(self, &Rc::clone(name), &args, range),
            _ => self.call_unknown(&args),
        }
    }

    /// A call of which nothing is known: it may keep its arguments and call them.
    pub(crate) fn call_unknown(&mut self, args: &Args<'p>) -> Value<'p> {
        for value in args.all() {
            self.escape(value);
        }
        self.libraries.is_unsure();
        if let Some(capture) = self.capture() {
            self.captures[capture.0].opaque = true;
        }
        Value::Unknown
    }

    fn call_object(&mut self, cell: CellId, args: Args<'p>, range: TextRange) -> Value<'p> {
        let Some(object) = self.heap.object(cell) else {
            return Value::Unknown;
        };
        match object.kind.clone() {
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
            _ => torch::objects::call(self, cell, args, range),
        }
    }

    /// Follows a function of the project.
    pub(super) fn call_function(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let address = function.code.address();
        if function.is_manager {
            let site = self.site(range);
            return self.new_object(Kind::Managed(Rc::clone(function), Box::new(args)), site);
        }
        if function.is_cached && self.visited.contains(&address) && self.graph_capture().is_some() {
            return Value::Unknown;
        }
        let recursive = self.frames.iter().any(|frame| frame.code == address);
        if recursive || self.frames.len() >= DEEPEST || !self.spend() {
            return self.call_unknown(&args);
        }
        let call = self.site(range);
        let scope = self.scope_of_call(function, args);
        self.run_function(function, Frame::new(function, scope, Some(call)))
    }

    /// The scope of a call, with the parameters in it.
    pub(super) fn scope_of_call(&mut self, function: &Rc<Function<'p>>, args: Args<'p>) -> CellId {
        let scope = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(function.scope)));
        self.bind(function, args, scope);
        scope
    }

    fn run_function(&mut self, function: &Rc<Function<'p>>, frame: Frame<'p>) -> Value<'p> {
        let (result, frame) = self.run_frame(function, frame);
        match frame {
            Some(frame) if !frame.yields.is_empty() => self.new_list(frame.yields, false),
            _ => result,
        }
    }

    /// Follows a function to its end: what it returns, and its frame as it was then.
    pub(super) fn run_frame(
        &mut self,
        function: &Rc<Function<'p>>,
        frame: Frame<'p>,
    ) -> (Value<'p>, Option<Frame<'p>>) {
        self.visited.insert(function.code.address());
        self.frames.push(frame);
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
                self.block(&def.body);
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
        rules::inputs::left(self, &result);
        let Some(mut frame) = self.frames.pop() else {
            return (result, None);
        };
        if let Some(around) = self.frames.last_mut() {
            around.graphs.append(&mut frame.graphs);
        }
        (result, Some(frame))
    }

    /// Follows a function that nobody called: nothing is known of its arguments but their annotations.
    pub(super) fn call_from_nowhere(
        &mut self,
        function: &Rc<Function<'p>>,
        object: Option<Value<'p>>,
    ) {
        let Code::Def(def) = function.code else {
            return;
        };
        let scope = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(function.scope)));
        let first = match function.kind {
            FunctionKind::Static => None,
            _ => object,
        };
        let mut values = Vec::new();
        for (index, parameter) in def.parameters.iter_non_variadic_params().enumerate() {
            let name = parameter.parameter.name.as_str();
            let value = match &first {
                Some(object) if index == 0 => object.clone(),
                _ => self.annotated(parameter.parameter.annotation.as_deref(), function),
            };
            values.push((name, value));
        }
        if let Cell::Scope(names, _) = self.heap.edit(scope) {
            names.extend(values);
            let variadic = [&def.parameters.vararg, &def.parameters.kwarg];
            for parameter in variadic.into_iter().flatten() {
                names.insert(parameter.name.as_str(), Value::Unknown);
            }
        }
        self.run_function(function, Frame::new(function, scope, None));
    }

    fn annotated(
        &mut self,
        annotation: Option<&'p Expr>,
        function: &Rc<Function<'p>>,
    ) -> Value<'p> {
        let Some(annotation) = annotation else {
            return Value::Unknown;
        };
        let names_tensor = match annotation {
            Expr::Attribute(it) => it.attr.as_str() == "Tensor",
            Expr::Name(it) => it.id.as_str() == "Tensor",
            _ => false,
        };
        if !names_tensor {
            return Value::Unknown;
        }
        let site = Site {
            file: function.file,
            range: annotation.range(),
        };
        let tensor = self.unknown_tensor(site);
        Value::Tensor(tensor)
    }

    fn bind(&mut self, function: &Rc<Function<'p>>, args: Args<'p>, scope: CellId) {
        let Some(parameters) = function.code.parameters() else {
            return;
        };
        let mut values: Vec<(&'p str, Value<'p>)> = Vec::new();
        let mut positional = args.positional.into_iter();
        let mut named = args.named;
        let mut take = |name: &str| {
            let at = named.iter().position(|(it, _)| &**it == name)?;
            Some(named.swap_remove(at).1)
        };
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            let name = parameter.parameter.name.as_str();
            let value = positional
                .next()
                .or_else(|| take(name))
                .or_else(|| {
                    (!args.open)
                        .then(|| function.defaults.get(name).cloned())
                        .flatten()
                })
                .unwrap_or(Value::Unknown);
            values.push((name, value));
        }
        for parameter in &parameters.kwonlyargs {
            let name = parameter.parameter.name.as_str();
            let value = take(name)
                .or_else(|| {
                    (!args.open)
                        .then(|| function.defaults.get(name).cloned())
                        .flatten()
                })
                .unwrap_or(Value::Unknown);
            values.push((name, value));
        }
        if let Some(rest) = &parameters.vararg {
            let rest_values = positional.collect();
            let list = self.new_list(rest_values, !args.open);
            values.push((rest.name.as_str(), list));
        }
        if let Some(rest) = &parameters.kwarg {
            let items: FxHashMap<_, _> = named.into_iter().collect();
            let value = if args.open {
                Value::Unknown
            } else {
                Value::Dict(self.heap.add(Cell::Dict(items)))
            };
            values.push((rest.name.as_str(), value));
        }
        if let Cell::Scope(names, _) = self.heap.edit(scope) {
            names.extend(values);
        }
    }

    /// The values of a function's defaults.
    pub(super) fn defaults(
        &mut self,
        parameters: Option<&'p ast::Parameters>,
    ) -> FxHashMap<&'p str, Value<'p>> {
        let Some(parameters) = parameters else {
            return FxHashMap::default();
        };
        parameters
            .iter_non_variadic_params()
            .filter_map(|parameter| {
                let value = self.expression(parameter.default.as_deref()?);
                Some((parameter.parameter.name.as_str(), value))
            })
            .collect()
    }

    pub(super) fn define_function(&mut self, def: &'p ast::StmtFunctionDef) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let (scope, file, class) = (frame.scope, frame.file, frame.class);
        let defaults = self.defaults(Some(&def.parameters));
        let mut kind = FunctionKind::Plain;
        let mut is_manager = false;
        let mut is_cached = false;
        let mut others = Vec::new();
        for decorator in def.decorator_list.iter().rev() {
            if is_part_of_property(&decorator.expression) {
                return;
            }
            let value = self.expression(&decorator.expression);
            match value.as_external() {
                Some("staticmethod") => kind = FunctionKind::Static,
                Some("classmethod") => kind = FunctionKind::Class,
                Some("property") => kind = FunctionKind::Property,
                Some("functools.cached_property") => {
                    kind = FunctionKind::Property;
                    is_cached = true;
                }
                Some("functools.cache" | "functools.lru_cache") => is_cached = true,
                _ if is_call_of_cache(&decorator.expression) => is_cached = true,
                Some("contextlib.contextmanager" | "contextlib.asynccontextmanager") => {
                    is_manager = true;
                }
                _ => others.push((value, decorator.range())),
            }
        }
        // The names of a class's body are no part of its methods' scopes.
        let scope = match (class, self.heap.get(scope)) {
            (Some(_), Cell::Scope(_, Some(around))) if self.is_class_scope(scope) => *around,
            _ => scope,
        };
        let function = Rc::new(Function {
            code: Code::Def(def),
            scope,
            file,
            defaults,
            kind,
            is_manager,
            class,
            is_cached,
            contexts: Vec::new(),
        });
        let mut value = Value::Function(Rc::clone(&function));
        for (decorator, range) in others {
            value = torch::decorators::decorate(self, &decorator, value, range);
        }
        if matches!(value, Value::Unknown) {
            self.hidden.push(function);
        }
        self.set_name(def.name.as_str(), value);
    }
}

/// `@lru_cache(...)`.
fn is_call_of_cache(decorator: &Expr) -> bool {
    let function = decorator.as_call_expr().map(|it| &*it.func);
    match function {
        Some(Expr::Name(name)) => name.id.as_str() == "lru_cache",
        Some(Expr::Attribute(it)) => it.attr.as_str() == "lru_cache",
        _ => false,
    }
}

/// Whether a decorator adds to a property that is there: `@name.setter`.
fn is_part_of_property(decorator: &Expr) -> bool {
    decorator
        .as_attribute_expr()
        .is_some_and(|it| matches!(it.attr.as_str(), "setter" | "deleter"))
}

impl<'p> Frame<'p> {
    /// The frame of a function.
    pub(super) fn new(function: &Function<'p>, scope: CellId, call: Option<Site>) -> Self {
        Self {
            class: function.class,
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
        file: crate::project::FileId,
        name: &'p str,
        scope: CellId,
        call: Option<Site>,
        code: usize,
    ) -> Self {
        Self {
            file,
            name,
            scope,
            call,
            graphs: Vec::new(),
            code,
            class: None,
            returns: None,
            managed: None,
            yields: Vec::new(),
            left: Vec::new(),
            loops_left: Vec::new(),
            globals: rustc_hash::FxHashSet::default(),
            nonlocals: rustc_hash::FxHashSet::default(),
        }
    }
}
