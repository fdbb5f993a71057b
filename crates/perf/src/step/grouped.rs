//! Steps that consist of the same sequence of launches several times, such as layers that are all alike.
//!
//! No launch tells such a step from its parts. What does is the host: between two steps it does more than between two parts. So
//! where the pause before every n-th sequence is longer than before the others, far beyond chance, n of them are a step.

use crate::bounds::{float, median};

/// The most sequences that are looked at, and that a step may have.
const LOOKED_AT: usize = 4096;
const MOST: usize = 512;
/// How often a step has to occur.
const OFTEN: usize = 11;
/// The least mean rank of its pauses among all, from 0 to 1; and by how many standard deviations that is more than chance gives.
const RANK: f64 = 0.8;
const DEVIATIONS: f64 = 5.4;
/// The longest pause decides which of several groups is a step; one as long, within this factor, and with fewer sequences is taken.
const AS_LONG: f64 = 0.9;

/// Sequences that are a step together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// How many they are.
    pub(super) length: usize,
    /// The number of the first sequence that begins a step.
    pub(super) first: usize,
    /// The pause before a step, in nanoseconds.
    pub(super) pause: u64,
}

/// Finds them by the pauses before each sequence; `None` if nothing says that a step has more than one.
pub(super) fn find(pauses: &[u64]) -> Option<Group> {
    let pauses = &pauses[..pauses.len().min(LOOKED_AT)];
    let ranks = ranks(pauses);
    let most = MOST.min(pauses.len() / OFTEN);
    let groups: Vec<Group> = (2..=most)
        .filter_map(|length| group(pauses, &ranks, length))
        .filter(|it| is_no_chance(&ranks, it.length, it.first))
        .collect();
    let longest = groups.iter().map(|it| it.pause).max()?;
    groups
        .into_iter()
        .find(|it| float(it.pause) >= AS_LONG * float(longest))
}

/// Those of a length that is known: of all places where a step could begin, the one with the longest pauses.
pub(super) fn of_length(pauses: &[u64], length: usize) -> Option<Group> {
    let pauses = &pauses[..pauses.len().min(LOOKED_AT)];
    group(pauses, &ranks(pauses), length)
}

fn group(pauses: &[u64], ranks: &[f64], length: usize) -> Option<Group> {
    let rank = |first: usize| mean(ranks, length, first);
    let first =
        (0..length.min(pauses.len())).max_by(|one, two| rank(*one).total_cmp(&rank(*two)))?;
    let pause = median(pauses.iter().skip(first).step_by(length).copied())?;
    Some(Group {
        length,
        first,
        pause,
    })
}

/// Of each number, the share of all that are smaller; of equal ones, half count.
fn ranks(numbers: &[u64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let all = float(sorted.len().max(1) as u64);
    numbers
        .iter()
        .map(|number| {
            let below = sorted.partition_point(|it| it < number);
            let up_to = sorted.partition_point(|it| it <= number);
            float((below + up_to) as u64) / 2.0 / all
        })
        .collect()
}

fn mean(ranks: &[f64], length: usize, first: usize) -> f64 {
    let own = ranks.iter().skip(first).step_by(length);
    own.clone().sum::<f64>() / float(own.count().max(1) as u64)
}

/// Whether the ranks of these pauses are higher than a random choice of as many would have.
fn is_no_chance(ranks: &[f64], length: usize, first: usize) -> bool {
    let count = ranks.iter().skip(first).step_by(length).count();
    let rank = mean(ranks, length, first);
    // Ranks are spread evenly from 0 to 1, with a variance of 1/12.
    let deviation = (1.0 / 12.0 / float(count.max(1) as u64)).sqrt();
    count >= OFTEN && rank >= RANK && rank - 0.5 >= DEVIATIONS * deviation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers as a generator of low quality gives them: enough for noise.
    fn noise(count: usize) -> Vec<u64> {
        let mut state = 12_345_u64;
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 40
        };
        (0..count).map(next).map(|it| 20_000 + it % 9000).collect()
    }

    fn found(pauses: &[u64]) -> Option<(usize, usize)> {
        find(pauses).map(|it| (it.length, it.first))
    }

    #[test]
    fn longer_pauses_at_each_eighth_make_steps_of_eight() {
        let mut pauses = noise(600);
        for at in (3..600).step_by(8) {
            pauses[at] += 8000;
        }
        assert_eq!(found(&pauses), Some((8, 3)));
    }

    #[test]
    fn where_the_length_is_known_the_pauses_say_where_a_step_begins() {
        let mut pauses = noise(40);
        for at in (3..40).step_by(8) {
            pauses[at] += 8000;
        }
        assert_eq!(found(&pauses), None);
        let known = of_length(&pauses, 8).expect("there are sequences");
        assert_eq!((known.length, known.first), (8, 3));
        assert_eq!(of_length(&[], 8), None);
    }

    #[test]
    fn the_longest_pauses_are_those_between_steps() {
        let mut pauses = noise(1200);
        for at in (0..1200).step_by(4) {
            pauses[at] += 10_000;
        }
        for at in (40..1200).step_by(48) {
            pauses[at] += 90_000;
        }
        assert_eq!(found(&pauses), Some((48, 40)));
    }

    #[test]
    fn noise_has_no_steps() {
        for count in [0, 5, 100, 1000, 4096] {
            assert_eq!(find(&noise(count)), None, "{count}");
        }
        assert_eq!(find(&[7; 500]), None);
    }

    #[test]
    fn a_few_long_pauses_are_no_steps() {
        let mut pauses = noise(400);
        for at in [10, 60, 110, 160, 210] {
            pauses[at] += 500_000;
        }
        assert_eq!(find(&pauses), None);
    }
}
