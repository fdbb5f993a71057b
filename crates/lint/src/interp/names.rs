//! What the program calls a value, for people.

use super::heap::Cell;
use super::value::{CellId, Value};
use super::{Interp, Semantics};

impl<L: Semantics> Interp<'_, L> {
    /// The name that the function which is followed has for a value: that of a variable, or of an attribute of one. The
    /// shortest, where there are several.
    pub(crate) fn name_of(&self, cell: CellId) -> Option<String> {
        let mut next = self.frames.last().map(|frame| frame.scope);
        while let Some(scope) = next {
            let Cell::Scope(names, parent) = self.heap.get(scope) else {
                return None;
            };
            self.spend_many(u32::try_from(names.len()).unwrap_or(u32::MAX));
            let variables = names
                .iter()
                .filter(|(_, value)| refers_to(value, cell))
                .map(|(name, _)| (*name).to_owned());
            let attributes = || {
                names
                    .iter()
                    .flat_map(|(name, value)| self.attributes(name, value, cell))
            };
            if let Some(name) = shortest(variables).or_else(|| shortest(attributes())) {
                return Some(name);
            }
            next = *parent;
        }
        None
    }

    /// The attributes of a variable that refer to a value.
    fn attributes(&self, name: &str, owner: &Value<'_>, cell: CellId) -> Vec<String> {
        let Value::Object(owner) = owner else {
            return Vec::new();
        };
        let Some(object) = self.heap.object(*owner) else {
            return Vec::new();
        };
        self.spend_many(u32::try_from(object.fields.len()).unwrap_or(u32::MAX));
        let fields = object.fields.iter();
        fields
            .filter(|(field, value)| refers_to(value, cell) && is_identifier(field))
            .map(|(field, _)| format!("{name}.{field}"))
            .collect()
    }
}

fn refers_to(value: &Value<'_>, cell: CellId) -> bool {
    matches!(value, Value::Object(it) | Value::Extension(it) if *it == cell)
}

/// Whether a field has a name that can be written behind a dot: the parts of a container may have numbers.
fn is_identifier(field: &str) -> bool {
    field.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && field.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn shortest(names: impl Iterator<Item = String>) -> Option<String> {
    names.min_by(|a, b| (a.len(), a).cmp(&(b.len(), b)))
}
