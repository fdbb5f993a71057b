//! `functools.singledispatch` and `singledispatchmethod`: functions that take what fits their argument's class.

use std::rc::Rc;

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Interp, Semantics};
use crate::syntax::ast::TextRange;

/// The field with the function for all else.
const DEFAULT: &str = "<default>";
/// The field with the classes and their functions, in the order in which they were registered.
const CASES: &str = "<cases>";

impl<'p, L: Semantics> Interp<'p, L> {
    /// A function of which the argument at this position decides which is called.
    pub(crate) fn new_dispatch(
        &mut self,
        default: Value<'p>,
        at: usize,
        range: TextRange,
    ) -> Value<'p> {
        let site = self.site(range);
        let cases = self.new_list(Vec::new(), true);
        let dispatch = self.new_object(Kind::Dispatch(at), site);
        if let Value::Object(cell) = dispatch
            && let Some(object) = self.heap.object_mut(cell)
        {
            object.fields.insert(Rc::from(DEFAULT), default);
            object.fields.insert(Rc::from(CASES), cases);
        }
        dispatch
    }

    /// `f.register(class, function)`, or as a decorator: with the class, or with the function alone, whose annotation says it.
    pub(crate) fn register_case(
        &mut self,
        dispatch: CellId,
        at: usize,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let (class, function) = match &*args.positional {
            [class, function] => (class.clone(), function.clone()),
            [function @ Value::Function(it)] => {
                let parameters = it.code.parameters();
                let parameter = parameters.and_then(|it| it.iter_non_variadic_params().nth(at));
                let annotation = parameter.and_then(|it| it.parameter.annotation.as_deref());
                let class = annotation.map_or(Value::Unknown, |it| self.expression(it));
                (class, function.clone())
            }
            [class] => {
                let itself = Value::Object(dispatch);
                let register = Value::Native(Rc::new((itself, "register".to_owned())));
                let site = self.site(range);
                let first = vec![class.clone()];
                return self.new_object(Kind::Partial(register, first, Vec::new()), site);
            }
            _ => return self.call_unknown(args),
        };
        let case = self.new_list(vec![class, function.clone()], true);
        let cases = self
            .heap
            .object(dispatch)
            .and_then(|it| it.fields.get(CASES));
        if let Some(Value::List(cases)) = cases.cloned()
            && let super::Cell::List(cases) = self.heap.edit(cases)
        {
            cases.items.push(case);
        }
        function
    }

    /// Calls what fits; where that is not known, each that may.
    pub(super) fn dispatch(
        &mut self,
        cell: CellId,
        at: usize,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let Some(decides) = args.positional.get(at).cloned() else {
            return self.call_unknown(&args);
        };
        let mut may_fit = Vec::new();
        for (class, function) in self.cases_of(cell) {
            match L::is_instance(self, &decides, &class) {
                Some(true) if may_fit.is_empty() => return self.call(&function, args, range),
                Some(false) => {}
                _ => may_fit.push(function),
            }
        }
        let default = self.heap.object(cell).and_then(|it| it.fields.get(DEFAULT));
        let default = default.cloned().unwrap_or(Value::Unknown);
        if may_fit.is_empty() {
            return self.call(&default, args, range);
        }
        self.in_doubt(|interp| {
            let mut result = interp.call(&default, args.clone(), range);
            for function in may_fit {
                let other = interp.call(&function, args.clone(), range);
                result = interp.heap.join(result, other);
            }
            result
        })
    }

    /// The classes and their functions, the last registered first.
    fn cases_of(&self, cell: CellId) -> Vec<(Value<'p>, Value<'p>)> {
        let cases = self.heap.object(cell).and_then(|it| it.fields.get(CASES));
        let Some(Value::List(cases)) = cases else {
            return Vec::new();
        };
        let cases = self.heap.list(*cases).into_iter().flat_map(|it| &it.items);
        cases
            .rev()
            .filter_map(|case| match case {
                Value::List(case) => match self.heap.list(*case)?.items.as_slice() {
                    [class, function] => Some((class.clone(), function.clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }
}
