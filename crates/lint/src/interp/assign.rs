//! Names, attributes and elements: how they are set and found.

use std::rc::Rc;

use super::event::{Assignment, Event};
use super::numbers::Reading;
use super::value::{CellId, Number, Value};
use super::{Args, Cell, Interp, Semantics, finalizers};
use crate::syntax::ast::{self, Expr, Ranged as _};

impl<'p, L: Semantics> Interp<'p, L> {
    /// Gives a target its value.
    pub(super) fn assign(&mut self, target: &'p Expr, value: Value<'p>) {
        match target {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let old = if self.is_local(name) {
                    self.local(name)
                } else {
                    self.name_in_scope(name)
                };
                self.emit(Event::Rebound {
                    old: old.as_ref(),
                    new: &value,
                    range: target.range(),
                });
                let value = L::referred(self, value, target.range());
                self.set_name(name, value);
                self.emit(Event::NameBound);
                self.replaced(old, target);
            }
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value);
                let name = attribute.attr.as_str();
                let old = self.held_by(&object, &Value::text(name));
                self.emit(Event::Rebound {
                    old: old.as_ref(),
                    new: &value,
                    range: target.range(),
                });
                L::attribute_set(self, &object, name, &value, target.range());
                if let Some(setter) = self.setter(&object, name) {
                    self.call(&setter, Args::of(vec![object, value]), target.range());
                    return;
                }
                let value = L::referred(self, value, target.range());
                match object {
                    Value::Class(class) => self.set_class_attribute(class, name, value),
                    object => self.set_attribute(&object, name, value),
                }
                self.replaced(old, target);
            }
            Expr::Subscript(subscript) => {
                let container = self.expression(&subscript.value);
                let index = self.expression(&subscript.slice);
                let old = self.held_by(&container, &index);
                self.emit(Event::Rebound {
                    old: old.as_ref(),
                    new: &value,
                    range: target.range(),
                });
                self.emit(Event::Stored {
                    container: &container,
                    index: &index,
                    value: &value,
                    range: target.range(),
                });
                let value = L::entered(self, &container, &index, value, target.range());
                self.emit(Event::EntrySet {
                    container: &container,
                    key: &index,
                    value: &value,
                });
                let key = (&index, &*subscript.slice);
                self.emit(Event::EntryKept {
                    container: &container,
                    key,
                    value: &value,
                });
                self.set_element(&container, &index, value, target);
                self.replaced(old, target);
            }
            Expr::Tuple(ast_tuple) => self.unpack(&ast_tuple.elts, &value),
            Expr::List(list) => self.unpack(&list.elts, &value),
            Expr::Starred(starred) => self.assign(&starred.value, Value::Unknown),
            _ => {}
        }
    }

    /// What an object has under a name, a dictionary under a key, or a list at an index, where that is known.
    fn held_by(&self, container: &Value<'p>, index: &Value<'p>) -> Option<Value<'p>> {
        match container {
            Value::Object(cell) => self.heap.object(*cell)?.fields.get(index.as_text()?),
            Value::Dict(cell) => match self.heap.get(*cell) {
                Cell::Dict(items) => items.get(index.as_text()?),
                _ => None,
            },
            Value::List(cell) => {
                let list = self.heap.list(*cell).filter(|list| list.exact)?;
                list.items.get(usize::try_from(index.as_integer()?).ok()?)
            }
            _ => None,
        }
        .cloned()
    }

    fn unpack(&mut self, targets: &'p [Expr], value: &Value<'p>) {
        let value = &match targets.first() {
            Some(first) => self.iterated(value, first.range()),
            None => value.clone(),
        };
        let items = match value {
            Value::List(cell) => self
                .heap
                .list(*cell)
                .filter(|list| list.exact)
                .map(|it| it.items.clone()),
            _ => None,
        };
        if let Some(items) = &items
            && items.len() == targets.len()
            && !targets.iter().any(Expr::is_starred_expr)
        {
            for (target, item) in targets.iter().zip(items) {
                self.assign(target, item.clone());
            }
            return;
        }
        self.heap.forget(value);
        let each = match value {
            Value::List(cell) => self.heap.any_item(*cell).unwrap_or(Value::Unknown),
            Value::Extension(_) => value.clone(),
            _ => Value::Unknown,
        };
        for target in targets {
            self.assign(target, each.clone());
        }
    }

    /// Gives a name its value, in the scope it belongs to.
    pub(super) fn set_name(&mut self, name: &'p str, value: Value<'p>) {
        if let Some(scope) = self.scope_to_bind(name)
            && let Cell::Scope(names, _) = self.heap.edit(scope)
        {
            names.insert(name, value);
        }
    }

    /// The scope in which a name gets its value, if it is assigned here.
    pub(crate) fn scope_to_bind(&self, name: &str) -> Option<CellId> {
        let frame = self.frames.last()?;
        Some(if frame.globals.contains(&name) {
            self.modules
                .get(&frame.file)
                .copied()
                .unwrap_or(frame.scope)
        } else if frame.nonlocals.contains(&name) {
            self.scope_with(name, frame.scope).unwrap_or(frame.scope)
        } else {
            frame.scope
        })
    }

    /// The scope that has a name.
    pub(crate) fn scope_of(&self, name: &str) -> Option<CellId> {
        let scope = self.frames.last()?.scope;
        match self.heap.get(scope) {
            Cell::Scope(names, _) if names.contains_key(name) => Some(scope),
            _ => self.scope_with(name, scope),
        }
    }

    fn scope_with(&self, name: &str, inside: CellId) -> Option<CellId> {
        let Cell::Scope(_, parent) = self.heap.get(inside) else {
            return None;
        };
        let mut next = *parent;
        while let Some(scope) = next {
            let Cell::Scope(names, parent) = self.heap.get(scope) else {
                return None;
            };
            if names.contains_key(name) {
                return Some(scope);
            }
            next = *parent;
        }
        None
    }

    /// The value of a name in the innermost scope.
    pub(super) fn local(&self, name: &str) -> Option<Value<'p>> {
        match self.heap.get(self.frames.last()?.scope) {
            Cell::Scope(names, _) => names.get(name).cloned(),
            _ => None,
        }
    }

    /// The value of a name, if a scope has it.
    pub(crate) fn name_in_scope(&self, name: &str) -> Option<Value<'p>> {
        match self.name(name) {
            Value::External(_) => None,
            value => Some(value),
        }
    }

    /// The value of a name.
    pub(super) fn name(&self, name: &str) -> Value<'p> {
        match self.frames.last() {
            Some(frame) => self.name_from(frame.scope, name),
            None => Value::External(Rc::from(name)),
        }
    }

    /// The value of a name in code of this scope.
    pub(super) fn name_from(&self, scope: CellId, name: &str) -> Value<'p> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            let Cell::Scope(names, parent) = self.heap.get(scope) else {
                break;
            };
            if let Some(value) = names.get(name) {
                return value.clone();
            }
            next = *parent;
        }
        match name {
            "__name__" => Value::Unknown,
            _ => Value::External(Rc::from(name)),
        }
    }

    /// Whether a name belongs to the function that is followed.
    pub(crate) fn is_local(&self, name: &str) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| !frame.globals.contains(&name) && !frame.nonlocals.contains(&name))
    }

    /// Sets an attribute of an object.
    pub(super) fn set_attribute(&mut self, object: &Value<'p>, name: &str, value: Value<'p>) {
        match object {
            Value::Object(cell) => {
                if let Some(object) = self.heap.object_mut(*cell) {
                    object.fields.insert(Rc::from(name), value);
                }
            }
            Value::Extension(cell) if L::extension_attribute_set(self, *cell, name, &value) => {}
            Value::External(of) if L::external_attribute_set(self, of, name) => {}
            _ => self.escape(&value),
        }
    }

    fn set_class_attribute(&mut self, class: CellId, name: &'p str, value: Value<'p>) {
        let Some(scope) = self.heap.class(class).map(|class| class.scope) else {
            return;
        };
        if let Cell::Scope(names, _) = self.heap.edit(scope) {
            names.insert(name, value);
        }
    }

    fn set_element(
        &mut self,
        container: &Value<'p>,
        index: &Value<'p>,
        value: Value<'p>,
        target: &'p Expr,
    ) {
        let passed = vec![index.clone(), value.clone()];
        if self
            .special(container, "__setitem__", passed, target.range())
            .is_some()
        {
            return;
        }
        match container {
            Value::Dict(cell) => {
                let key: Rc<str> = index.as_text().unwrap_or_default().into();
                let old = match self.heap.get(*cell) {
                    Cell::Dict(items) => items.get(&key).cloned(),
                    _ => None,
                };
                let value = match old {
                    Some(old) if key.is_empty() => {
                        self.put_away(&old, index, &value);
                        self.heap.join(old, value)
                    }
                    _ => value,
                };
                if let Cell::Dict(items) = self.heap.edit(*cell) {
                    items.insert(key, value);
                }
            }
            Value::List(cell) => {
                let at = index.as_integer().and_then(|it| usize::try_from(it).ok());
                let Cell::List(list) = self.heap.edit(*cell) else {
                    return;
                };
                match at {
                    Some(at) if list.exact && at < list.items.len() => list.items[at] = value,
                    // Which element it takes the place of is not known.
                    Some(_) => self.heap.forget(&value),
                    None => {
                        list.items.push(value);
                        list.blurs();
                    }
                }
            }
            Value::Extension(_) => {
                L::element_written(self, container, index, &value, target.range());
            }
            _ if L::written(self, container, target.range()) => {}
            _ => {
                self.put_away(container, index, &value);
                self.escape(&value);
            }
        }
    }

    /// `target op= value`.
    pub(super) fn assign_in_place(&mut self, it: &'p ast::StmtAugAssign) {
        let old = self.expression_for(&it.target, Reading::Change);
        let value = self.next_value(Some(&it.target), &it.value);
        match &old {
            Value::Extension(_) => L::in_place(self, &old, value, it.range()),
            _ if L::written(self, &old, it.range()) => {}
            Value::List(cell) => {
                let one = match &value {
                    Value::List(other) => self.heap.any_item(*other),
                    _ => Some(Value::Unknown),
                };
                if let (Value::List(_), Some(any)) = (&value, &one) {
                    self.emit(Event::Extended {
                        list: &old,
                        any,
                        range: it.range(),
                    });
                }
                if let Cell::List(list) = self.heap.edit(*cell) {
                    list.items.extend(one);
                    list.blurs();
                }
            }
            Value::Number(number) => {
                L::number_changes(self, &it.target, *number, it.op, it.range());
                let varies = number.varies.or(value.varies());
                let constant = match (number.constant, value.as_integer()) {
                    (Some(a), Some(b)) if self.loops.around.is_empty() => {
                        super::operators::arithmetic(it.op, a, b)
                    }
                    _ => None,
                };
                let result = Value::Number(Number {
                    constant,
                    fraction: None,
                    most: None,
                    varies: varies.or_else(|| self.loops.around.last().copied()),
                });
                self.emit(Event::Assigned {
                    target: &it.target,
                    expression: &it.value,
                    value: &result,
                    how: Assignment::InPlace,
                });
                self.assign(&it.target, result);
            }
            _ => {
                let result = self.binary(&old, it.op, &value, it.range());
                self.assign(&it.target, result);
            }
        }
    }

    /// `del target`.
    pub(super) fn delete(&mut self, target: &'p Expr) {
        match target {
            Expr::Name(name) => {
                let Some(old) = self.local(name.id.as_str()) else {
                    return;
                };
                self.emit(Event::Released { value: &old });
                let Some(scope) = self.frames.last().map(|frame| frame.scope) else {
                    return;
                };
                if let Cell::Scope(names, _) = self.heap.edit(scope) {
                    names.remove(name.id.as_str());
                }
                self.emit(Event::Deleted {
                    value: &old,
                    range: target.range(),
                });
                finalizers::let_go(self, &[old], target.range());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|it| self.delete(it)),
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value);
                let name = attribute.attr.as_str();
                let old = self.held_by(&object, &Value::text(name));
                if let Value::Object(cell) = object
                    && let Some(object) = self.heap.object_mut(cell)
                {
                    object.fields.remove(name);
                }
                self.deleted(old, target);
            }
            Expr::Subscript(subscript) => {
                let container = self.expression(&subscript.value);
                let index = self.expression(&subscript.slice);
                let old = self.held_by(&container, &index);
                if let (Value::Dict(cell), Some(key)) = (&container, index.as_text())
                    && let Cell::Dict(items) = self.heap.edit(*cell)
                {
                    items.remove(key);
                }
                if let Value::List(cell) | Value::Dict(cell) = container {
                    self.takes_out(cell, &index);
                }
                self.deleted(old, target);
            }
            _ => {}
        }
    }

    /// A container loses the entries of this index, or key.
    pub(crate) fn takes_out(&mut self, container: CellId, index: &Value<'p>) {
        if index.is_whole_slice() {
            return self.emit(Event::Emptied { container });
        }
        let innermost = self.loops.around.last();
        let is_of_turn = index.varies().is_some_and(|it| innermost == Some(&it));
        self.emit(Event::TakenOut {
            container,
            is_last: is_of_turn || index.as_integer() == Some(-1),
        });
    }

    /// Something else took the place of an object.
    fn replaced(&mut self, old: Option<Value<'p>>, target: &'p Expr) {
        if let Some(old @ Value::Object(_)) = old {
            finalizers::let_go(self, &[old], target.range());
        }
    }

    fn deleted(&mut self, old: Option<Value<'p>>, target: &'p Expr) {
        if let Some(old) = old {
            self.emit(Event::Released { value: &old });
            self.emit(Event::Deleted {
                value: &old,
                range: target.range(),
            });
            finalizers::let_go(self, &[old], target.range());
        }
    }
}
