//! The shortest sequence of launches that repeats.
//!
//! Layers of a model repeat too, with the same kernels. What tells a step from a layer is what a step does once: the loss, the
//! optimizer, a copy of the input. So a length is judged by how many *different* symbols repeat at it, not by how many launches do.
//! Candidates for the length are the distances between occurrences of the rarest short sequences, so that the time is linear in the
//! number of launches.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::bounds::float;

/// How many launches at the end are looked at for the length: the beginning is warm-up, and more would not say more.
const TAIL: usize = 400_000;
/// How many launches are one short sequence.
const SHORT: usize = 4;
/// How often something has to occur to repeat.
const OFTEN: usize = 3;
/// How many of the rarest sequences give candidates.
const RAREST: usize = 64;
/// How many occurrences of one sequence a step may have, for it to give candidates.
const PER_STEP: usize = 16;
/// How many pairs of occurrences of one sequence are looked at.
const PAIRS: usize = 1000;
/// How many candidates are compared.
const CANDIDATES: usize = 24;
/// Of the occurrences of a symbol, the least part that has to recur at a length for the symbol to repeat at it.
const RECURS: f64 = 0.6;
/// The least part of the different symbols that has to repeat.
const LEAST: f64 = 0.7;
/// By how much the best length may be better than a shorter one that is taken. What is done every few steps only, such as reading a
/// loss to print it, makes a longer length better by a few symbols; what a layer lacks of a step is more.
const AS_GOOD: f64 = 0.2;

/// A sequence that repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    /// How many launches it has.
    pub(super) length: usize,
    /// Where it begins, each time; the last one is where the last one ends.
    pub(super) begins: Vec<usize>,
}

/// Finds it; `None` if nothing repeats.
pub(super) fn find(symbols: &[u32]) -> Option<Sequence> {
    let tail = &symbols[symbols.len().saturating_sub(TAIL)..];
    let length = length(tail)?;
    let begins = begins(symbols, length);
    (begins.len() >= OFTEN).then_some(Sequence { length, begins })
}

/// The length of the sequence.
fn length(tail: &[u32]) -> Option<usize> {
    let candidates = candidates(tail);
    let scored: Vec<(usize, f64)> = candidates
        .into_iter()
        .map(|length| (length, score(tail, length)))
        .collect();
    let best = scored.iter().map(|it| it.1).fold(0.0, f64::max);
    if best < LEAST {
        return None;
    }
    let good = scored.iter().filter(|it| it.1 >= best - AS_GOOD);
    good.map(|it| it.0).min()
}

/// Distances at which the rarest short sequences occur again, the most frequent ones.
fn candidates(tail: &[u32]) -> Vec<usize> {
    let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, short) in tail.windows(SHORT).enumerate() {
        places.entry(hash(short)).or_default().push(at);
    }
    let mut places: Vec<Vec<usize>> = places.into_values().collect();
    places.retain(|it| it.len() >= OFTEN);
    places.sort_unstable_by_key(|it| (it.len(), it[0]));
    let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
    for places in places.iter().take(RAREST) {
        for apart in 1..=PER_STEP.min(places.len() - 1) {
            let mut seen: FxHashMap<usize, usize> = FxHashMap::default();
            for pair in places.windows(apart + 1).take(PAIRS) {
                *seen.entry(pair[apart] - pair[0]).or_default() += 1;
            }
            let pairs = (places.len() - apart).min(PAIRS);
            // The distance that occurs most often, if it does so more than half of the time.
            let most = seen
                .iter()
                .max_by_key(|(length, count)| (**count, usize::MAX - **length));
            if let Some((length, count)) = most
                && 2 * count > pairs
            {
                *votes.entry(*length).or_default() += 1;
            }
        }
    }
    let mut votes: Vec<(usize, usize)> = votes.into_iter().collect();
    votes.retain(|(length, _)| length * (OFTEN - 1) <= tail.len());
    votes.sort_unstable_by_key(|(length, count)| (std::cmp::Reverse(*count), *length));
    // Multiples of the length get fewer votes than the length, so that the first ones have it.
    votes.truncate(CANDIDATES);
    votes.into_iter().map(|it| it.0).collect()
}

/// How well a tail repeats at a length: the part of its different symbols that recur this many launches later.
fn score(tail: &[u32], length: usize) -> f64 {
    // The begin of the tail may be warm-up: two thirds of it count.
    let from = (tail.len() / 3).min(tail.len().saturating_sub(length * 2));
    let mut counts: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for at in from..tail.len().saturating_sub(length) {
        let (all, same) = counts.entry(tail[at]).or_default();
        *all += 1;
        *same += u32::from(tail[at] == tail[at + length]);
    }
    let repeats = |(all, same): &&(u32, u32)| f64::from(*same) >= RECURS * f64::from(*all);
    let repeating = counts.values().filter(repeats).count();
    let different: FxHashSet<u32> = tail[from..].iter().copied().collect();
    float(repeating as u64) / float(different.len().max(1) as u64)
}

/// Where the sequence begins, each time: at a short sequence that occurs once in it and at the right distances.
fn begins(symbols: &[u32], length: usize) -> Vec<usize> {
    let short = SHORT.min(length);
    let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, window) in symbols.windows(short).enumerate() {
        places.entry(hash(window)).or_default().push(at);
    }
    let regular = |places: &Vec<usize>| {
        let apart = places.windows(2);
        apart.filter(|it| it[1] - it[0] == length).count()
    };
    // The most regular one; of several, the one that begins first in the last whole sequence.
    let best = places
        .values()
        .map(|it| (regular(it), it))
        .filter(|(regular, _)| *regular >= OFTEN - 1)
        .max_by_key(|(regular, it)| (*regular, std::cmp::Reverse(it[0])));
    let Some((regular, places)) = best else {
        return Vec::new();
    };
    // One that occurs several times in a sequence is not its begin.
    if 2 * regular < places.len() - 1 {
        return Vec::new();
    }
    places.clone()
}

fn hash(symbols: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    symbols.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of layers: a first kernel, the same kernels for each layer, a last one.
    fn step(layers: usize) -> Vec<u32> {
        let mut step = vec![100, 101];
        for _ in 0..layers {
            step.extend([1, 2, 3, 2, 4, 5]);
        }
        step.extend([102, 103, 104]);
        step
    }

    fn warm_up() -> Vec<u32> {
        (200..260).collect()
    }

    #[test]
    fn a_step_is_longer_than_its_layers() {
        let symbols = [warm_up(), step(48).repeat(6)].concat();
        let found = find(&symbols).expect("steps");
        assert_eq!(found.length, step(48).len());
        assert_eq!(found.begins.len(), 6);
    }

    #[test]
    fn a_short_sequence_may_repeat_thousands_of_times() {
        let found = find(&[1, 2].repeat(20_000)).expect("steps");
        assert_eq!(found.length, 2);
        assert_eq!(found.begins.len(), 20_000);
    }

    #[test]
    fn a_few_steps_may_deviate() {
        let mut symbols = warm_up();
        for number in 0..20 {
            symbols.extend(step(12));
            if number % 7 == 3 {
                symbols.extend([300, 301]);
            }
        }
        let found = find(&symbols).expect("steps");
        assert_eq!(found.length, step(12).len());
        assert_eq!(found.begins.len(), 20);
    }

    #[test]
    fn a_forward_pass_of_equal_layers_is_one_step() {
        let layer: Vec<u32> = (0..15).collect();
        let head: Vec<u32> = (20..25).collect();
        let step = [layer.repeat(96), head].concat();
        let found = find(&step.repeat(5)).expect("steps");
        assert_eq!(found.length, step.len());
    }

    #[test]
    fn one_replay_for_each_step_is_found() {
        let found = find(&[7; 50]).expect("steps");
        assert_eq!((found.length, found.begins.len()), (1, 50));
        let found = find(&[1, 7].repeat(50)).expect("steps");
        assert_eq!(found.length, 2);
    }

    #[test]
    fn what_does_not_repeat_is_no_step() {
        let mut state = 12345u32;
        let random = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 26
        });
        let symbols: Vec<u32> = random.take(3000).collect();
        assert_eq!(find(&symbols), None);
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[1, 2, 3, 4, 5, 6, 7, 8]), None);
        assert_eq!(find(&step(4).repeat(2)), None);
    }

    proptest::proptest! {
        #[test]
        fn the_length_of_what_repeats_exactly_is_found(
            step in proptest::collection::vec(0u32..40, 5..60),
            times in 4usize..12,
        ) {
            let found = find(&step.repeat(times));
            let found = found.expect("it repeats");
            // A step that itself repeats is several steps.
            proptest::prop_assert!(step.len() % found.length == 0, "{} of {}", found.length, step.len());
        }
    }
}
