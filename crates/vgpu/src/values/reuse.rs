//! Computations that are used again: a loop calls the same operators on the same memory, step by step.

use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use cgsan_observe::Given;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::agent::Operator;
use super::describe::Values;
use crate::gpu::computation::Computation;

/// So many computations are kept; then one begins anew. Each takes some kilobytes.
const MOST: usize = 16_384;
/// Of so many it is remembered that they ended so once.
const MOST_ONCE: usize = 1 << 17;

/// An operator that has ended. On the same values it is computed in the same way.
#[derive(Clone, Copy)]
pub struct Ended {
    pub operator: &'static Operator,
    /// Whether it is computed when it is its turn.
    pub is_later: bool,
    /// Whether no operator is left that could be computed in its place.
    pub is_outermost: bool,
    /// Whether it draws random numbers, which it is told each time what from.
    pub draws: bool,
}

/// A computation with what it is of.
struct Known {
    ended: Ended,
    given: Vec<Given>,
    results: Vec<Given>,
    computation: Computation,
}

#[derive(Default)]
struct Reused {
    /// Hashes of what ended so once.
    once: FxHashSet<u64>,
    known: FxHashMap<u64, Known>,
}

static REUSED: Mutex<Option<Reused>> = Mutex::new(None);

/// What computes an operator.
pub enum Found {
    /// What computed it before.
    Known(Computation),
    /// Nothing yet. It ends so for the first time, or cannot be recognised.
    New,
    /// Nothing yet. It ends so again: what computes it is to be kept, under this number.
    Again(u64),
}

/// Looks for what computes an operator on what it was given, and gave back.
pub fn find(ended: Ended, given: &Values, results: &Values) -> Found {
    let Some(hash) = hash(ended, given, results) else {
        return Found::New;
    };
    let mut reused = REUSED.lock().unwrap_or_else(PoisonError::into_inner);
    let reused = reused.get_or_insert_default();
    match reused.known.get(&hash) {
        Some(known) if known.is_of(ended, given, results) => {
            let computation = known.computation.clone();
            Found::Known(computation.with_numbers(known.other_numbers(given)))
        }
        // Another one of the same hash has its place.
        Some(_) => Found::New,
        None if reused.once.remove(&hash) => Found::Again(hash),
        None => {
            if reused.once.len() >= MOST_ONCE {
                reused.once.clear();
            }
            reused.once.insert(hash);
            Found::New
        }
    }
}

/// Keeps what computes an operator, under the number that was found.
pub fn keep(hash: u64, ended: Ended, given: Values, results: Values, computation: Computation) {
    let known = Known {
        ended,
        given: given.into_inner(),
        results: results.into_inner(),
        computation,
    };
    let mut reused = REUSED.lock().unwrap_or_else(PoisonError::into_inner);
    let reused = reused.get_or_insert_default();
    if reused.known.len() >= MOST {
        reused.known.clear();
    }
    reused.known.insert(hash, known);
}

impl Known {
    fn is_of(&self, ended: Ended, given: &Values, results: &Values) -> bool {
        std::ptr::eq(self.ended.operator, ended.operator)
            && self.ended.is_later == ended.is_later
            && self.ended.is_outermost == ended.is_outermost
            && self.ended.draws == ended.draws
            && are_same_results(ended, &self.results, &results.0)
            && if takes_other_numbers(ended, given) {
                are_alike(&self.given, &given.0)
            } else {
                self.given == given.0
            }
    }

    /// The numbers that the operator is given, if they are others than those that it was prepared for.
    fn other_numbers(&self, given: &Values) -> Option<Arc<[f64]>> {
        if !self.ended.operator.takes_other_numbers {
            return None;
        }
        let mut numbers = Vec::new();
        add_numbers(&given.0, &mut numbers);
        let mut known = Vec::new();
        add_numbers(&self.given, &mut known);
        let bits = |numbers: &[f64]| {
            numbers
                .iter()
                .copied()
                .map(f64::to_bits)
                .collect::<Vec<_>>()
        };
        (bits(&numbers) != bits(&known)).then(|| numbers.into())
    }
}

/// Whether the same computes the operator on other numbers with a fraction: those that step sizes come to be at each step, say.
fn takes_other_numbers(ended: Ended, given: &Values) -> bool {
    // A tensor without dimensions may be taken as the number that it holds.
    let is_number = |it: &Given| matches!(it, Given::Tensor(tensor) if tensor.held.is_some());
    ended.operator.takes_other_numbers && !given.0.iter().any(is_number)
}

/// Whether a result is a number that the host has written: a seed or an offset that is left for a backward pass.
fn is_of_host(ended: Ended, result: &Given) -> bool {
    ended.draws && matches!(result, Given::Tensor(tensor) if tensor.held.is_some())
}

fn are_same_results(ended: Ended, some: &[Given], others: &[Given]) -> bool {
    let is_same = |(one, other): (&Given, &Given)| {
        one == other || (is_of_host(ended, one) && is_of_host(ended, other))
    };
    some.len() == others.len() && some.iter().zip(others).all(is_same)
}

/// Whether values differ in such numbers alone.
fn are_alike(some: &[Given], others: &[Given]) -> bool {
    let is_alike = |(one, other): (&Given, &Given)| match (one, other) {
        (Given::Float(_), Given::Float(_)) => true,
        (Given::List(some), Given::List(others)) => are_alike(some, others),
        _ => one == other,
    };
    some.len() == others.len() && some.iter().zip(others).all(is_alike)
}

/// Adds such numbers, in their order.
fn add_numbers(values: &[Given], found: &mut Vec<f64>) {
    for value in values {
        match value {
            Given::Float(number) => found.push(*number),
            Given::List(values) => add_numbers(values, found),
            _ => {}
        }
    }
}

/// A number for an operator on values; `None` if some are known by their identity only.
fn hash(ended: Ended, given: &Values, results: &Values) -> Option<u64> {
    let mut hasher = FxHasher::default();
    std::ptr::from_ref(ended.operator).hash(&mut hasher);
    (ended.is_later, ended.is_outermost, ended.draws).hash(&mut hasher);
    let leaves_numbers = takes_other_numbers(ended, given);
    add_all(&given.0, leaves_numbers, &mut hasher)?;
    for result in &results.0 {
        if !is_of_host(ended, result) {
            add(result, false, &mut hasher)?;
        }
    }
    Some(hasher.finish())
}

fn add_all(values: &[Given], leaves_numbers: bool, hasher: &mut FxHasher) -> Option<()> {
    hasher.write_usize(values.len());
    let mut values = values.iter();
    values.try_for_each(|value| add(value, leaves_numbers, hasher))
}

fn add(value: &Given, leaves_numbers: bool, hasher: &mut FxHasher) -> Option<()> {
    std::mem::discriminant(value).hash(hasher);
    match value {
        Given::Absent => {}
        Given::Bool(value) => value.hash(hasher),
        Given::Integer(value) => value.hash(hasher),
        Given::Float(_) if leaves_numbers => {}
        // By its bits: zero has two signs.
        Given::Float(value) => value.to_bits().hash(hasher),
        Given::Tensor(tensor) => tensor.hash(hasher),
        Given::List(values) => add_all(values, leaves_numbers, hasher)?,
        Given::Complex(parts) => parts.map(f64::to_bits).hash(hasher),
        Given::Text(text) => text.hash(hasher),
        Given::Other(word) => word.hash(hasher),
        Given::Object(_) => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_in_numbers_with_a_fraction_are_alike() {
        let given = |scale, others: [f64; 2], axis| {
            let others = others.map(Given::Float).into();
            [
                Given::Float(scale),
                Given::List(others),
                Given::Integer(axis),
            ]
        };
        let some = given(0.5, [1.0, 2.0], 3);
        assert!(are_alike(&some, &given(0.25, [4.0, 8.0], 3)));
        assert!(!are_alike(&some, &given(0.5, [1.0, 2.0], 4)));
        assert!(!are_alike(&some, &some[..2]));
        assert!(!are_alike(&[Given::Float(1.0)], &[Given::Integer(1)]));
        let mut numbers = Vec::new();
        add_numbers(&some, &mut numbers);
        assert_eq!(numbers, [0.5, 1.0, 2.0]);
    }
}
