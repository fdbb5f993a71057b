//! Values that code which is not seen may know.

use std::rc::Rc;

use super::object::Kind;
use super::value::Value;
use super::{Cell, Interp, Semantics};

/// How deep containers are searched.
const DEEPEST: usize = 6;

impl<'p, L: Semantics> Interp<'p, L> {
    /// Notes that a value may be known to code that is not seen.
    pub(crate) fn escape(&mut self, value: &Value<'p>) {
        self.escape_to(value, DEEPEST);
    }

    fn escape_to(&mut self, value: &Value<'p>, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            Value::Extension(cell) => L::escaped(self, *cell),
            Value::List(cell) => {
                let items = self
                    .heap
                    .list(*cell)
                    .map(|it| it.items.clone())
                    .unwrap_or_default();
                for item in items {
                    self.escape_to(&item, depth - 1);
                }
            }
            Value::Dict(cell) => {
                if let Cell::Dict(items) = self.heap.edit(*cell) {
                    // It may have more in it from here on.
                    items.entry(Rc::from("")).or_insert(Value::Unknown);
                    let items: Vec<_> = items.values().cloned().collect();
                    for item in items {
                        self.escape_to(&item, depth - 1);
                    }
                }
            }
            Value::Object(cell) => {
                let Some(object) = self.heap.object(*cell) else {
                    return;
                };
                if !matches!(object.kind, Kind::Instance(_)) {
                    self.heap.lose(value);
                    return;
                }
                let fields: Vec<_> = object.fields.values().cloned().collect();
                for field in fields {
                    self.escape_to(&field, depth - 1);
                }
            }
            _ => {}
        }
    }
}
