//! What Python compares by itself: each comparison of tensors has a tensor as its result, whose truth the host must know.

use super::{Interp, host};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// How many elements a `key` is called with.
const MOST_KEYS: usize = 4;

/// `min`, `max` and `sorted`: they compare their arguments, or the elements of the only one.
pub(super) fn ordered<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) {
    let what = match name {
        "min" => "`min()` of tensors",
        "max" => "`max()` of tensors",
        _ => "`sorted()` of tensors",
    };
    let compared = match args.positional.as_slice() {
        [tensor @ Value::Extension(_)] => return host::asked(interp, tensor, what, range),
        [Value::List(list)] => elements(interp, *list),
        [_] => return,
        several => several.to_vec(),
    };
    let key = args.name("key").filter(|it| !matches!(it, Value::None));
    let values = match key.cloned() {
        None => compared,
        Some(key) => compared
            .into_iter()
            .take(MOST_KEYS)
            .map(|it| interp.call(&key, Args::of(vec![it]), range))
            .collect(),
    };
    if values.len() < 2 {
        return;
    }
    if let Some(tensor) = values.iter().find_map(|it| first_tensor(interp, it)) {
        host::asked(interp, &tensor, what, range);
    }
}

/// The elements of a list that are compared; where one stands for all, it is there twice.
fn elements<'p>(interp: &mut Interp<'p>, list: CellId) -> Vec<Value<'p>> {
    let Some(found) = interp.heap.list(list) else {
        return Vec::new();
    };
    if found.exact {
        return found.items.clone();
    }
    match interp.heap.any_item(list) {
        Some(any) => vec![any.clone(), any],
        None => Vec::new(),
    }
}

/// What is compared of a value: itself, or the first part of a tuple.
fn first_tensor<'p>(interp: &Interp<'p>, value: &Value<'p>) -> Option<Value<'p>> {
    match value {
        Value::Extension(_) => Some(value.clone()),
        Value::List(list) => match interp.heap.list(*list)?.items.first()? {
            tensor @ Value::Extension(_) => Some(tensor.clone()),
            _ => None,
        },
        _ => None,
    }
}
