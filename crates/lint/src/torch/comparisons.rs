//! What Python compares by itself: each comparison of tensors has a tensor as its result, whose truth the host must know.

use super::{Interp, host};
use crate::interp::Args;
use crate::interp::value::{CellId, Form, Value};
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

/// `value in container`.
pub(crate) fn contained<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    container: &Value<'p>,
    range: TextRange,
) {
    const WHAT: &str = "`in` with tensors";
    match container {
        Value::Extension(_) => host::asked(interp, container, WHAT, range),
        Value::List(list) => {
            let Some(found) = interp.heap.list(*list) else {
                return;
            };
            // A set asks for hashes, and what is identical is not compared.
            let Some(first) = found.items.first().filter(|it| !it.same(value)) else {
                return;
            };
            if found.form == Form::Set || !found.exact {
                return;
            }
            let first = first.clone();
            pair(interp, value, &first, WHAT, range);
        }
        _ => {}
    }
}

/// Two lists or tuples are compared, element by element.
pub(crate) fn compared<'p>(
    interp: &mut Interp<'p>,
    left: &Value<'p>,
    right: &Value<'p>,
    range: TextRange,
) {
    let first = |value: &Value<'p>| match value {
        Value::List(list) => interp
            .heap
            .list(*list)
            .filter(|list| list.exact && list.form != Form::Set)
            .and_then(|list| list.items.first().cloned()),
        _ => None,
    };
    if let (Some(left), Some(right)) = (first(left), first(right))
        && !left.same(&right)
    {
        pair(interp, &left, &right, "a comparison of tensors", range);
    }
}

/// `list.index(value)` and its kin, which compare each element with a value.
pub(super) fn searched<'p>(
    interp: &mut Interp<'p>,
    list: CellId,
    value: Option<&Value<'p>>,
    range: TextRange,
) {
    let first = interp
        .heap
        .list(list)
        .filter(|list| list.exact && list.form != Form::Set)
        .and_then(|list| list.items.first().cloned());
    if let (Some(first), Some(value)) = (first, value)
        && !first.same(value)
    {
        pair(interp, value, &first, "a search for a tensor", range);
    }
}

/// The truth of `left == right`. With something of which nothing is known, it may be that of a number.
fn pair<'p>(
    interp: &mut Interp<'p>,
    left: &Value<'p>,
    right: &Value<'p>,
    what: &'static str,
    range: TextRange,
) {
    let is_plain =
        |it: &Value<'p>| matches!(it, Value::Extension(_) | Value::Number(_) | Value::Bool(_));
    if !is_plain(left) || !is_plain(right) {
        return;
    }
    let tensor = [left, right]
        .into_iter()
        .find(|it| matches!(it, Value::Extension(_)));
    if let Some(tensor) = tensor {
        host::asked(interp, &tensor.clone(), what, range);
    }
}

/// `any` and `all`: they ask for the truth of elements, of the first at least.
pub(super) fn all_or_any<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    const WHAT: &str = "the truth of a tensor";
    let first = match value {
        Value::Extension(_) => Some(value.clone()),
        Value::List(list) => interp
            .heap
            .list(*list)
            .and_then(|list| list.items.first().cloned()),
        _ => None,
    };
    if let Some(first) = first {
        host::asked(interp, &first, WHAT, range);
    }
}
