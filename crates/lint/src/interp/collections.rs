//! Lists, dictionaries and comprehensions.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::event::Event;
use super::lazy::Lazy;
use super::value::{CellId, Form, List, Value};
use super::{Cell, Interp, Semantics};
use crate::syntax::ast::{self, Expr, Ranged as _};

impl<'p, L: Semantics> Interp<'p, L> {
    pub(super) fn list_of(&mut self, elements: &'p [Expr], form: Form) -> Value<'p> {
        let exact = !elements.iter().any(Expr::is_starred_expr);
        let items = elements.iter().map(|it| self.part(it)).collect();
        let list = self.new_list(items, exact);
        self.formed(list, form)
    }

    /// A part of a display: a reference of its own.
    fn part(&mut self, element: &'p Expr) -> Value<'p> {
        let value = self.expression(element);
        L::referred(self, value, element.range())
    }

    /// A new list.
    pub(crate) fn new_list(&mut self, items: Vec<Value<'p>>, exact: bool) -> Value<'p> {
        let loops = Rc::clone(&self.loops.around);
        Value::List(self.heap.add(Cell::List(List {
            items,
            exact,
            count: None,
            grows: false,
            form: Form::Other,
            loops,
        })))
    }

    /// A new list of so many elements, for all of which these stand.
    pub(crate) fn one_for(&mut self, items: Vec<Value<'p>>, count: Option<usize>) -> Value<'p> {
        let list = self.new_list(items, false);
        if let Value::List(cell) = &list
            && let Cell::List(list) = self.heap.edit(*cell)
        {
            list.count = count;
        }
        list
    }

    /// The same list, known to be of that form.
    pub(crate) fn formed(&mut self, list: Value<'p>, form: Form) -> Value<'p> {
        if let Value::List(cell) = &list
            && let Cell::List(list) = self.heap.edit(*cell)
        {
            list.form = form;
        }
        list
    }

    pub(super) fn dict(&mut self, it: &'p ast::ExprDict) -> Value<'p> {
        let mut items: FxHashMap<Rc<str>, Value<'p>> = FxHashMap::default();
        for item in &it.items {
            let key = item.key.as_ref().map(|key| self.expression(key));
            let value = self.part(&item.value);
            let key: Rc<str> = key
                .as_ref()
                .and_then(Value::as_text)
                .unwrap_or_default()
                .into();
            // What stands for all other keys is one of theirs.
            let value = match items.remove(&key) {
                Some(other) if key.is_empty() => self.heap.join(other, value),
                _ => value,
            };
            items.insert(key, value);
        }
        Value::Dict(self.heap.add(Cell::Dict(items)))
    }

    /// A comprehension that keeps its elements.
    pub(super) fn collection(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
        form: Form,
    ) -> Value<'p> {
        let inside = self.next_loop_id();
        let list = self.comprehension(element, generators);
        self.emit(Event::Collected {
            values: &list,
            element: Some(element),
            inside,
        });
        self.formed(list, form)
    }

    pub(super) fn comprehension(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
    ) -> Value<'p> {
        self.comprehension_over(element, generators, None)
    }

    /// A generator expression: what its first `for` goes through is made at once, and the rest later.
    pub(super) fn generator(&mut self, it: &'p ast::ExprGenerator) -> Value<'p> {
        let (Some(first), Some(scope)) = (
            it.generators.first(),
            self.frames.last().map(|frame| frame.scope),
        ) else {
            return Value::Unknown;
        };
        let first = self.expression(&first.iter);
        self.new_lazy(Lazy::Expression(it, scope, first), it.range())
    }

    /// A comprehension; `first` is what its first `for` goes through, if that was made before.
    pub(super) fn comprehension_over(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
        first_iterated: Option<Value<'p>>,
    ) -> Value<'p> {
        let Some((first, rest)) = generators.split_first() else {
            return Value::Unknown;
        };
        let Some(scope) = self.frames.last().map(|frame| frame.scope) else {
            return Value::Unknown;
        };
        let inner = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(scope)));
        self.set_scope(inner);
        let iterated = first_iterated.unwrap_or_else(|| self.expression(&first.iter));
        let iterated = self.iterated(&iterated, first.iter.range());
        let id = self.new_loop();
        let (elements, exact) = self.comprehended(&iterated, id);
        let around = self.enter_loop(id);
        self.roots.in_use.push(iterated);
        let mut items = Vec::new();
        for value in elements {
            let value = L::in_turn(self, value);
            self.assign(&first.target, value);
            let mut filtered = false;
            for test in &first.ifs {
                filtered |= self.condition(test) == Some(false);
            }
            if filtered {
                continue;
            }
            if rest.is_empty() {
                items.push(self.part(element));
            } else if let Value::List(inner) = self.comprehension(element, rest) {
                items.extend(self.heap.any_item(inner));
            }
        }
        self.roots.in_use.pop();
        self.loops.around = around;
        self.set_scope(scope);
        self.new_list(items, exact && first.ifs.is_empty() && rest.is_empty())
    }

    /// The values that a comprehension goes through, and whether these are all.
    fn comprehended(
        &mut self,
        iterated: &Value<'p>,
        id: super::value::LoopId,
    ) -> (Vec<Value<'p>>, bool) {
        if let Value::List(cell) = iterated
            && let Some(list) = self.heap.list(*cell)
            && let Some(length) = list.length().filter(|it| *it <= 64)
        {
            if list.exact {
                return (list.items.clone(), true);
            }
            if list.form == Form::Range
                && let Some(last) = list.items.first().and_then(Value::at_most)
            {
                let first = last + 1 - i64::try_from(length).unwrap_or_default();
                return ((first..=last).map(Value::integer).collect(), true);
            }
        }
        let elements = self.elements(iterated, id);
        let exact = L::length(self, iterated) == Some(elements.len());
        (elements, exact)
    }

    fn set_scope(&mut self, scope: CellId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = scope;
        }
    }
}

/// The elements of a list that a slice takes, if that is known.
pub(super) fn part<'p>(list: &List<'p>, slice: &Value<'p>) -> Option<Vec<Value<'p>>> {
    let Value::Slice(bounds) = slice else {
        return None;
    };
    let length = i64::try_from(list.items.len())
        .ok()
        .filter(|_| list.exact)?;
    let bound = |value: &Value<'p>, otherwise: i64| match value {
        Value::None => Some(otherwise),
        value => {
            let at = value.as_integer()?;
            Some(if at < 0 { at + length } else { at }.clamp(0, length))
        }
    };
    let [lower, upper, step] = &**bounds;
    if !matches!(step, Value::None) {
        return None;
    }
    let lower = usize::try_from(bound(lower, 0)?).ok()?;
    let upper = usize::try_from(bound(upper, length)?).ok()?;
    Some(list.items.get(lower..upper).unwrap_or_default().to_vec())
}
