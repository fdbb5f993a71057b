//! Parameters: which value each has in a call, and in one that nobody makes.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::{CellId, Function, FunctionKind, Value};
use super::{Args, Cell, Frame, Interp, Semantics};
use crate::site::Site;
use crate::syntax::ast::{Expr, Ranged as _};

impl<'p, L: Semantics> Interp<'p, L> {
    /// The scope of a call, with the parameters in it.
    pub(super) fn scope_of_call(&mut self, function: &Rc<Function<'p>>, args: Args<'p>) -> CellId {
        let scope = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(function.scope)));
        self.bind(function, args, scope);
        scope
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
        let default = |name: &str| {
            (!args.open)
                .then(|| function.defaults.get(name).cloned())
                .flatten()
        };
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            let name = parameter.parameter.name.as_str();
            let value = positional
                .next()
                .or_else(|| take(name))
                .or_else(|| default(name))
                .unwrap_or(Value::Unknown);
            values.push((name, value));
        }
        for parameter in &parameters.kwonlyargs {
            let name = parameter.parameter.name.as_str();
            let value = take(name)
                .or_else(|| default(name))
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

    /// Follows a function that nobody called: nothing is known of its arguments but their annotations.
    pub(super) fn call_from_nowhere(
        &mut self,
        function: &Rc<Function<'p>>,
        object: Option<Value<'p>>,
    ) {
        let parameters = function.code.parameters();
        let scope = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(function.scope)));
        let first = match function.kind {
            FunctionKind::Static => None,
            _ => object,
        };
        let mut values = Vec::new();
        let each = parameters
            .iter()
            .flat_map(|it| it.iter_non_variadic_params());
        for (index, parameter) in each.enumerate() {
            let name = parameter.parameter.name.as_str();
            let value = match &first {
                Some(object) if index == 0 => object.clone(),
                _ => self.annotated(parameter.parameter.annotation.as_deref(), function),
            };
            values.push((name, value));
        }
        if let Cell::Scope(names, _) = self.heap.edit(scope) {
            names.extend(values);
            let variadic = parameters.iter().flat_map(|it| [&it.vararg, &it.kwarg]);
            for parameter in variadic.flatten() {
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
        let Some(class) = self.peek_external_from(function.scope, annotation) else {
            return Value::Unknown;
        };
        let site = Site {
            file: function.file,
            range: annotation.range(),
        };
        L::annotated(self, &class, site)
    }
}
