//! Functions that keep what they gave: `functools.cache` and its kin.

use std::rc::Rc;

use super::value::{CellId, Function, Value};
use super::{Args, Interp, Semantics};
use crate::syntax::ast::TextRange;

/// How many calls of a function are remembered.
const MOST_CALLS: usize = 32;

/// A call of a cached function, and what it gave.
#[derive(Debug)]
pub(super) struct Kept<'p> {
    args: Args<'p>,
    result: Value<'p>,
}

impl<'p> Kept<'p> {
    /// What it refers to.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value<'p>> {
        self.args.all().chain([&self.result])
    }
}

/// What tells cached functions apart: their code, and the scope that they were made in.
pub(super) type CacheKey = (usize, CellId);

impl<'p, L: Semantics> Interp<'p, L> {
    /// Calls a cached function. It runs only for arguments that it has not seen.
    pub(super) fn call_cached(
        &mut self,
        function: &Rc<Function<'p>>,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let key = (function.code.address(), function.scope);
        let calls = self.cached.get(&key).map_or(&[][..], Vec::as_slice);
        let mut certain = calls.len() < MOST_CALLS;
        for kept in calls {
            match are_same(&kept.args, &args) {
                Some(true) => return kept.result.clone(),
                Some(false) => {}
                None => certain = false,
            }
        }
        if !certain && !L::may_guess(self) {
            return Value::Unknown;
        }
        let result = self.run_call(function, args.clone(), range);
        let calls = self.cached.entry(key).or_default();
        if calls.len() < MOST_CALLS {
            calls.push(Kept {
                args,
                result: result.clone(),
            });
        }
        result
    }
}

/// Whether two calls have the same arguments, if that is known.
fn are_same(left: &Args<'_>, right: &Args<'_>) -> Option<bool> {
    if left.open || right.open {
        return None;
    }
    let of_other = |name: &str| right.name(name);
    if left.positional.len() != right.positional.len()
        || left.named.len() != right.named.len()
        || left.named.iter().any(|(name, _)| of_other(name).is_none())
    {
        // Python takes the same arguments in another form for others.
        return Some(false);
    }
    let positional = left.positional.iter().zip(&right.positional);
    let named = left
        .named
        .iter()
        .filter_map(|(name, value)| Some((value, of_other(name)?)));
    positional
        .chain(named)
        .map(|(left, right)| is_equal(left, right))
        .try_fold(true, |all, one| match one {
            Some(false) => Some(false),
            Some(true) => Some(all),
            None => None,
        })
}

/// Whether two keys of a cache are equal, if that is known.
fn is_equal(left: &Value<'_>, right: &Value<'_>) -> Option<bool> {
    let is_constant = |value: &Value<'_>| {
        matches!(value, Value::None | Value::Bool(Some(_)))
            || value.as_integer().is_some()
            || value.as_text().is_some()
    };
    match (left, right) {
        (left, right) if is_constant(left) && is_constant(right) => Some(left.same(right)),
        // These are equal only to themselves; objects may say otherwise.
        (Value::Extension(left), Value::Extension(right))
        | (Value::Object(left), Value::Object(right)) => Some(left == right),
        (left, right) => left.same(right).then_some(true),
    }
}
