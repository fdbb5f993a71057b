//! Methods of lists and dictionaries.

use std::rc::Rc;

use super::{Cell, Interp};
use crate::interp::value::{CellId, Value};
use crate::interp::{Args, Event, Turns, finalizers};
use crate::syntax::ast::TextRange;

/// A method of a list.
pub(super) fn list<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::List(cell);
    match name {
        "append" | "add" | "insert" | "appendleft" => {
            let value = args.positional.last().cloned().unwrap_or(Value::Unknown);
            interp.emit(Event::Appended {
                list: &itself,
                value: &value,
                call: args.node,
                range,
            });
            let is_followed = name == "append" && is_each_turn_followed(interp, cell);
            let in_loop = !interp.loops.around.is_empty();
            if let Cell::List(list) = interp.heap.edit(cell) {
                list.items.push(value);
                list.exact &= is_followed;
                list.count = None;
                list.grows |= in_loop;
            }
            Value::None
        }
        "extend" => {
            let any = match args.positional.first() {
                Some(Value::List(other)) => interp.heap.any_item(*other),
                _ => Some(Value::Unknown),
            };
            if let Cell::List(list) = interp.heap.edit(cell) {
                list.items.extend(any);
                list.blurs();
            }
            Value::None
        }
        "pop" | "popleft" => {
            let end = Value::integer(if name == "pop" { -1 } else { 0 });
            interp.takes_out(cell, args.positional.first().unwrap_or(&end));
            interp.heap.any_item(cell).unwrap_or(Value::Unknown)
        }
        "clear" => {
            if let Cell::List(list) = interp.heap.edit(cell) {
                let held = std::mem::take(&mut list.items);
                interp.emit(Event::Emptied { container: cell });
                for value in &held {
                    interp.emit(Event::Deleted { value, range });
                }
                finalizers::let_go(interp, &held, range);
            }
            Value::None
        }
        "copy" => itself,
        _ => Value::Unknown,
    }
}

/// Whether each turn is followed of the loops around that the list is older than.
fn is_each_turn_followed(interp: &Interp<'_>, list: CellId) -> bool {
    let Some(list) = interp.heap.list(list) else {
        return false;
    };
    let mut younger = interp
        .loops
        .around
        .iter()
        .filter(|it| !list.loops.contains(it));
    younger.all(|it| matches!(interp.turns_in(*it), Some(Turns::Each(_))))
}

/// A method of a dictionary.
pub(super) fn dict<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Cell::Dict(items) = interp.heap.get(cell) else {
        return Value::Unknown;
    };
    let length = interp.heap.entries(cell);
    let mut values: Vec<_> = items.iter().collect();
    values.sort_by(|a, b| a.0.cmp(b.0));
    let values: Vec<_> = values.into_iter().map(|(_, value)| value.clone()).collect();
    match name {
        "values" => interp.one_for(values, length),
        "items" => {
            let any = values.into_iter().reduce(|a, b| interp.heap.join(a, b));
            let pair = interp.new_list(vec![Value::Unknown, any.unwrap_or(Value::Unknown)], true);
            interp.one_for(vec![pair], length)
        }
        "get" | "setdefault" | "pop" => {
            let key = args
                .positional
                .first()
                .and_then(Value::as_text)
                .unwrap_or_default();
            let found = items.get(key).or_else(|| items.get("")).cloned();
            let key: Rc<str> = Rc::from(key);
            let default = args.positional.get(1).cloned();
            match (name, &found) {
                ("setdefault", None) => {
                    let value = default.clone().unwrap_or(Value::None);
                    if let Cell::Dict(items) = interp.heap.edit(cell) {
                        items.insert(key, value);
                    }
                }
                ("pop", Some(_)) if !key.is_empty() => {
                    if let Cell::Dict(items) = interp.heap.edit(cell) {
                        items.remove(&key);
                    }
                }
                _ => {}
            }
            if name == "pop" {
                let key = args.positional.first().unwrap_or(&Value::Unknown);
                interp.takes_out(cell, key);
            }
            match name {
                "setdefault" => found.or(default).unwrap_or(Value::Unknown),
                _ => found.unwrap_or(Value::Unknown),
            }
        }
        "popitem" => {
            let any = values.into_iter().reduce(|a, b| interp.heap.join(a, b));
            interp.takes_out(cell, &Value::integer(-1));
            interp.new_list(vec![Value::Unknown, any.unwrap_or(Value::Unknown)], true)
        }
        "clear" => {
            if let Cell::Dict(items) = interp.heap.edit(cell) {
                items.clear();
            }
            interp.emit(Event::Emptied { container: cell });
            for value in &values {
                interp.emit(Event::Deleted { value, range });
            }
            finalizers::let_go(interp, &values, range);
            Value::None
        }
        "update" => {
            for value in args.all() {
                interp.escape(value);
            }
            updated(interp, cell, args);
            Value::None
        }
        _ => Value::Unknown,
    }
}

/// `dict.update(...)`: what it brings wins; where that is not known, nothing is known of the entries that were there.
fn updated<'p>(interp: &mut Interp<'p>, cell: CellId, args: &Args<'p>) {
    let mut new = Some(Vec::new());
    for value in &args.positional {
        match value {
            Value::Dict(other) => {
                if let (Some(new), Cell::Dict(items)) = (&mut new, interp.heap.get(*other)) {
                    new.extend(
                        items
                            .iter()
                            .map(|(key, value)| (Rc::clone(key), value.clone())),
                    );
                }
            }
            _ => new = None,
        }
    }
    let named = args.named.iter().cloned();
    let Cell::Dict(items) = interp.heap.edit(cell) else {
        return;
    };
    match new {
        Some(new) if !args.open => items.extend(new.into_iter().chain(named)),
        _ => {
            for value in items.values_mut() {
                *value = Value::Unknown;
            }
            items.insert(Rc::from(""), Value::Unknown);
            items.extend(named);
        }
    }
}

/// Whether a function goes through its arguments before it returns.
pub(super) fn drains(name: &str) -> bool {
    matches!(
        name,
        "list"
            | "tuple"
            | "set"
            | "frozenset"
            | "dict"
            | "sorted"
            | "reversed"
            | "sum"
            | "min"
            | "max"
            | "any"
            | "all"
            | "enumerate"
            | "zip"
            | "math.prod"
            | "collections.deque"
            | "collections.OrderedDict"
            | "torch.stack"
            | "torch.cat"
            | "torch.tensor"
    )
}

/// Whether it keeps all that it goes through, side by side.
pub(super) fn collects(name: &str) -> bool {
    matches!(
        name,
        "list"
            | "tuple"
            | "set"
            | "frozenset"
            | "sorted"
            | "reversed"
            | "collections.deque"
            | "torch.stack"
            | "torch.cat"
    )
}

/// Whether a class may be written with the types of what is in its objects.
pub(super) fn is_generic(name: &str) -> bool {
    matches!(
        name,
        "list"
            | "tuple"
            | "set"
            | "frozenset"
            | "dict"
            | "collections.deque"
            | "collections.OrderedDict"
            | "collections.defaultdict"
    )
}
