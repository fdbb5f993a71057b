//! Operators by what their calls are compared by, so that most calls, which are alike, are told so at once.

use rustc_hash::FxHashMap;

use super::number::{Number, numbers};
use super::region::Call;
use super::{Activity, Operation};

/// The form of each operator: the same number for those with the same name, sizes and numbers.
pub(crate) struct Forms(Vec<u32>);

impl Forms {
    /// Those of all operators.
    pub(crate) fn of<'t>(activity: &Activity<'t>) -> Forms {
        let mut known: FxHashMap<(&'t str, Vec<u64>, Vec<Number>), u32> = FxHashMap::default();
        let form = |operation: &Operation<'t>| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let numbers = numbers(operation.given());
            let key = (operation.name, operation.sizes(), numbers);
            *known.entry(key).or_insert(next)
        };
        Forms(activity.operations.iter().map(form).collect())
    }

    /// Whether two operators are of one form.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.0[one] == self.0[other]
    }

    /// Whether the operators of two calls are, one by one.
    pub(super) fn are_calls_alike(&self, one: &Call, other: &Call) -> bool {
        let pairs = one.operations.iter().zip(other.operations.iter());
        one.operations.len() == other.operations.len() && { pairs }
            .all(|(one, other)| self.are_alike(*one, *other))
    }
}
