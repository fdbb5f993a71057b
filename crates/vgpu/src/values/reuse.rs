//! Computations that are used again: a loop calls the same operators on the same memory, step by step.

use std::hash::{Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use cgsan_observe::Given;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Operator;
use super::describe::Values;
use crate::gpu::values::Computation;

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
            Found::Known(known.computation.clone())
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
            && self.given == given.0
            && self.results == results.0
    }
}

/// A number for an operator on values; `None` if some are known by their identity only.
fn hash(ended: Ended, given: &Values, results: &Values) -> Option<u64> {
    let mut hasher = FxHasher::default();
    std::ptr::from_ref(ended.operator).hash(&mut hasher);
    (ended.is_later, ended.is_outermost).hash(&mut hasher);
    add_all(&given.0, &mut hasher)?;
    add_all(&results.0, &mut hasher)?;
    Some(hasher.finish())
}

fn add_all(values: &[Given], hasher: &mut FxHasher) -> Option<()> {
    hasher.write_usize(values.len());
    values.iter().try_for_each(|value| add(value, hasher))
}

fn add(value: &Given, hasher: &mut FxHasher) -> Option<()> {
    std::mem::discriminant(value).hash(hasher);
    match value {
        Given::Absent => {}
        Given::Bool(value) => value.hash(hasher),
        Given::Integer(value) => value.hash(hasher),
        // By its bits: zero has two signs.
        Given::Float(value) => value.to_bits().hash(hasher),
        Given::Tensor(tensor) => tensor.hash(hasher),
        Given::List(values) => add_all(values, hasher)?,
        Given::Complex(parts) => parts.map(f64::to_bits).hash(hasher),
        Given::Text(text) => text.hash(hasher),
        Given::Other(word) => word.hash(hasher),
        Given::Object(_) => return None,
    }
    Some(())
}
