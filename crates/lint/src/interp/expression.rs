//! Expressions.

use std::rc::Rc;

use super::event::Event;
use super::numbers::Reading;
use super::value::{Form, FunctionKind, Number, Value};
use super::{Cell, Interp, Semantics};
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};

impl<'p, L: Semantics> Interp<'p, L> {
    /// The value of an expression.
    pub(crate) fn expression(&mut self, expression: &'p Expr) -> Value<'p> {
        self.expression_for(expression, Reading::Value)
    }

    /// The same, where it is known what a number would be read for.
    pub(crate) fn expression_for(&mut self, expression: &'p Expr, reading: Reading) -> Value<'p> {
        if !self.spend(expression.range()) {
            return Value::Unknown;
        }
        self.budget.nesting += 1;
        let value = self.follow(expression, reading);
        self.budget.nesting -= 1;
        value
    }

    fn follow(&mut self, expression: &'p Expr, reading: Reading) -> Value<'p> {
        match expression {
            Expr::Name(name) => {
                let (name, range) = (name.id.as_str(), name.range());
                let value = self.name(name);
                self.name_read(name, &value, reading, range);
                value
            }
            Expr::Attribute(it) => {
                let object = self.expression(&it.value);
                let (name, range) = (it.attr.as_str(), it.range());
                let value = self.attribute(&object, name, range);
                self.attribute_read(&object, name, &value, reading, range);
                value
            }
            Expr::Call(it) => self.call_expression(it),
            Expr::Subscript(it) => self.subscript(it),
            Expr::BinOp(it) => {
                let left = self.expression(&it.left);
                let right = self.expression(&it.right);
                match (&left, &right) {
                    (Value::Extension(_), Value::Number(_)) => {
                        self.emit(Event::Operand {
                            expression: &it.right,
                            range: it.range(),
                        });
                    }
                    (Value::Number(_), Value::Extension(_)) => {
                        self.emit(Event::Operand {
                            expression: &it.left,
                            range: it.range(),
                        });
                    }
                    _ => {}
                }
                self.binary(&left, it.op, &right, it.range())
            }
            Expr::UnaryOp(it) => self.unary(it),
            Expr::BoolOp(it) => self.boolean(it),
            Expr::Compare(it) => self.compare(it),
            Expr::If(it) => self.choice(it),
            Expr::Named(it) => {
                let value = self.expression(&it.value);
                self.assign(&it.target, value.clone());
                value
            }
            Expr::Lambda(it) => self.lambda(it),
            Expr::NumberLiteral(it) => Value::Number(match &it.value {
                ast::Number::Int(value) => Number {
                    constant: value.as_i64(),
                    ..Number::default()
                },
                ast::Number::Float(value) => Number {
                    fraction: Some(value.to_bits()),
                    ..Number::default()
                },
                ast::Number::Complex { .. } => Number::default(),
            }),
            Expr::BooleanLiteral(it) => Value::Bool(Some(it.value)),
            Expr::NoneLiteral(_) => Value::None,
            Expr::EllipsisLiteral(_) => Value::External(Rc::from("Ellipsis")),
            Expr::StringLiteral(it) => Value::text(it.value.to_str()),
            Expr::FString(it) => self.f_string(it),
            Expr::List(it) => self.list_of(&it.elts, Form::List),
            Expr::Tuple(it) => self.list_of(&it.elts, Form::Other),
            Expr::Set(it) => self.list_of(&it.elts, Form::Set),
            Expr::Dict(it) => self.dict(it),
            Expr::ListComp(it) => self.collection(&it.elt, &it.generators, Form::List),
            Expr::SetComp(it) => self.collection(&it.elt, &it.generators, Form::Set),
            Expr::Generator(it) => self.generator(it),
            Expr::DictComp(it) => {
                if let Some(key) = &it.key {
                    self.comprehension(key, &it.generators);
                }
                let inside = self.next_loop_id();
                let values = self.comprehension(&it.value, &it.generators);
                self.emit(Event::Collected {
                    values: &values,
                    element: None,
                    inside,
                });
                let any = match values {
                    Value::List(cell) => self.heap.any_item(cell),
                    _ => None,
                };
                let items = any.map(|any| (Rc::from(""), any)).into_iter().collect();
                Value::Dict(self.heap.add(Cell::Dict(items)))
            }
            Expr::Starred(it) => {
                let value = self.expression(&it.value);
                self.heap.forget(&value);
                Value::Unknown
            }
            Expr::Slice(it) => {
                let part = |interp: &mut Self, part: Option<&'p Expr>| {
                    part.map_or(Value::None, |it| interp.expression(it))
                };
                let lower = part(self, it.lower.as_deref());
                let upper = part(self, it.upper.as_deref());
                let step = part(self, it.step.as_deref());
                Value::Slice(Rc::new([lower, upper, step]))
            }
            Expr::Await(it) => {
                L::awaited(self);
                self.expression(&it.value)
            }
            Expr::Yield(it) => {
                let value = it
                    .value
                    .as_ref()
                    .map_or(Value::None, |it| self.expression(it));
                let value = L::referred(self, value, it.range());
                self.yields(value);
                Value::Unknown
            }
            Expr::YieldFrom(it) => {
                let value = self.expression(&it.value);
                self.yields_from(&value, it.range());
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    /// `one if test else other`.
    fn choice(&mut self, it: &'p ast::ExprIf) -> Value<'p> {
        let known = self.condition(&it.test);
        match known {
            Some(true) => self.expression(&it.body),
            Some(false) => self.expression(&it.orelse),
            None => {
                self.emit(Event::Decides { test: &it.test });
                let alternates = self.choices.last.varies().is_some();
                let both = |interp: &mut Self| {
                    let one = interp.expression(&it.body);
                    let other = interp.expression(&it.orelse);
                    interp.heap.join(one, other)
                };
                self.in_some_turns(|interp| {
                    if alternates {
                        both(interp)
                    } else {
                        interp.in_doubt(both)
                    }
                })
            }
        }
    }

    /// Follows a condition, and tells what it is known to be. Python asks a value for its truth here.
    pub(super) fn condition(&mut self, test: &'p Expr) -> Option<bool> {
        let value = self.expression_for(test, Reading::Zero);
        let truth = self.truth_of(&value, test.range());
        self.choices.last = value;
        truth
    }

    fn subscript(&mut self, it: &'p ast::ExprSubscript) -> Value<'p> {
        let container = self.expression(&it.value);
        let index = self.expression(&it.slice);
        match &container {
            Value::Extension(_) => {
                self.emit(Event::Sliced { index: &it.slice });
                L::element_read(self, &container, &index, it.range())
            }
            Value::List(cell) => {
                let Some(list) = self.heap.list(*cell) else {
                    return Value::Unknown;
                };
                let length = i64::try_from(list.items.len()).unwrap_or(i64::MAX);
                let at = index
                    .as_integer()
                    .map(|at| if at < 0 { at + length } else { at })
                    .and_then(|at| usize::try_from(at).ok());
                match at {
                    Some(at) if list.exact => list.items.get(at).cloned().unwrap_or(Value::Unknown),
                    _ if matches!(index, Value::Slice(_)) => {
                        let part = super::collections::part(list, &index);
                        let (items, exact, form) = match part {
                            Some(items) => (items, true, list.form),
                            None => (list.items.clone(), false, Form::Other),
                        };
                        let part = self.new_list(items, exact);
                        self.formed(part, form)
                    }
                    _ => self.heap.any_item(*cell).unwrap_or(Value::Unknown),
                }
            }
            Value::Dict(cell) => {
                let Cell::Dict(items) = self.heap.get(*cell) else {
                    return Value::Unknown;
                };
                let key = index.as_text().unwrap_or_default();
                items
                    .get(key)
                    .or_else(|| items.get(""))
                    .cloned()
                    .unwrap_or(Value::Unknown)
            }
            Value::Object(cell) => self.element_of_object(*cell, &index, it.range()),
            Value::External(name) if L::is_generic(name) => container,
            _ => Value::Unknown,
        }
    }

    /// An attribute of a value.
    pub(crate) fn attribute(
        &mut self,
        object: &Value<'p>,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        match object {
            Value::External(module) => L::external(&format!("{module}.{name}")),
            Value::Module(file) => self.module_attribute(*file, name),
            Value::Object(cell) => self.object_attribute(*cell, name, range),
            Value::Class(cell) => match self.class_attribute(*cell, name) {
                None if name == "__name__" => self
                    .heap
                    .class(*cell)
                    .map_or(Value::Unknown, |it| Value::text(it.def.name.as_str())),
                Some(Value::Function(function)) if function.kind == FunctionKind::Class => {
                    Value::Method(Rc::new((object.clone(), Value::Function(function))))
                }
                None if name == "apply" && L::is_applied(self, *cell) => {
                    Value::Native(Rc::new((object.clone(), name.to_owned())))
                }
                value => value.unwrap_or(Value::Unknown),
            },
            Value::Extension(cell) => L::extension_attribute(self, *cell, name, range),
            Value::List(cell) => match L::list_attribute(self, *cell, name) {
                Some(value) => value,
                None => Value::Native(Rc::new((object.clone(), name.to_owned()))),
            },
            Value::Dict(_) | Value::Text(_) => {
                Value::Native(Rc::new((object.clone(), name.to_owned())))
            }
            _ => Value::Unknown,
        }
    }

    /// The site of a range.
    pub(crate) fn at(&self, range: TextRange) -> Site {
        self.site(range)
    }
}
