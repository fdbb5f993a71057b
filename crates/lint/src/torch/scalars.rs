//! Arguments that PyTorch wants as numbers of the host: a tensor in such a place is read.

use super::{Interp, host};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// What reads the tensor.
const NUMBER: &str = "a tensor where PyTorch wants a number";

/// The arguments of operators that are numbers: function, position with the tensor first where it has one, name.
const NUMBERS: [(&str, Option<usize>, &str); 41] = [
    ("_foreach_add", None, "alpha"),
    ("_foreach_add_", None, "alpha"),
    ("_foreach_lerp", Some(2), "weight"),
    ("_foreach_lerp_", Some(2), "weight"),
    ("add", None, "alpha"),
    ("add_", None, "alpha"),
    ("addcdiv", None, "value"),
    ("addcdiv_", None, "value"),
    ("addcmul", None, "value"),
    ("addcmul_", None, "value"),
    ("addmm", None, "alpha"),
    ("addmm", None, "beta"),
    ("chunk", Some(1), "chunks"),
    ("cross_entropy", None, "label_smoothing"),
    ("diagonal", Some(1), "offset"),
    ("dropout", Some(1), "p"),
    ("elu", Some(1), "alpha"),
    ("exponential_", Some(1), "lambd"),
    ("full_like", Some(1), "fill_value"),
    ("hardtanh", Some(1), "min_val"),
    ("index_fill_", Some(3), "value"),
    ("kthvalue", Some(1), "k"),
    ("leaky_relu", Some(1), "negative_slope"),
    ("masked_fill", Some(2), "value"),
    ("masked_fill_", Some(2), "value"),
    ("multinomial", Some(1), "num_samples"),
    ("narrow", Some(2), "start"),
    ("narrow", Some(3), "length"),
    ("new_full", Some(2), "fill_value"),
    ("normal_", Some(1), "mean"),
    ("one_hot", Some(1), "num_classes"),
    ("roll", Some(1), "shifts"),
    ("scaled_dot_product_attention", None, "scale"),
    ("select", Some(2), "index"),
    ("split", Some(1), "split_size"),
    ("sub", None, "alpha"),
    ("sub_", None, "alpha"),
    ("topk", Some(1), "k"),
    ("tril", Some(1), "diagonal"),
    ("triu", Some(1), "diagonal"),
    ("uniform_", Some(1), "from"),
];

/// Operators whose arguments after the first are sizes.
const SIZES: [&str; 9] = [
    "expand",
    "new_empty",
    "new_full",
    "new_ones",
    "new_zeros",
    "repeat",
    "reshape",
    "tile",
    "view",
];

/// An operator is called, with its tensor first.
pub(super) fn of_operator<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) {
    for (_, position, named) in NUMBERS.iter().filter(|it| it.0 == name) {
        let value = position.and_then(|at| args.positional.get(at));
        if let Some(value) = value.or_else(|| args.name(named)) {
            let value = value.clone();
            wanted(interp, &value, range);
        }
    }
    if SIZES.contains(&name) {
        let sizes: Vec<_> = args.positional.iter().skip(1).cloned().collect();
        each_wanted(interp, &sizes, range);
    }
    if matches!(name, "clamp" | "clamp_" | "clip" | "clip_") {
        clamped(interp, args, range);
    }
}

/// A function is called that makes a tensor of a given size.
pub(super) fn of_creation<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) {
    let values: Vec<_> = match name {
        "normal" => return,
        "full_like" => args.get(1, "fill_value").cloned().into_iter().collect(),
        _ if name.ends_with("_like") => return,
        _ => {
            let named = ["size", "start", "end", "step", "steps", "fill_value", "n"];
            let named = named.iter().filter_map(|it| args.name(it));
            args.positional.iter().chain(named).cloned().collect()
        }
    };
    each_wanted(interp, &values, range);
}

/// Between a number and a tensor, the bounds become numbers both.
fn clamped<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    let bounds = [args.get(1, "min").cloned(), args.get(2, "max").cloned()];
    let is_number = |it: &Option<Value<'p>>| matches!(it, Some(Value::Number(_)));
    if bounds.iter().any(is_number) {
        for bound in bounds.iter().flatten() {
            wanted(interp, bound, range);
        }
    }
}

fn each_wanted<'p>(interp: &mut Interp<'p>, values: &[Value<'p>], range: TextRange) {
    for value in values {
        match value {
            Value::List(list) => {
                let items = interp
                    .heap
                    .list(*list)
                    .map(|list| list.items.clone())
                    .unwrap_or_default();
                for item in items {
                    wanted(interp, &item, range);
                }
            }
            value => wanted(interp, value, range),
        }
    }
}

/// PyTorch takes a tensor for a number there, and reads it.
fn wanted<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    host::asked(interp, value, NUMBER, range);
}
