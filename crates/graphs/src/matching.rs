//! Which node of a graph is which of another.
//!
//! Nodes are compared in the order of their capture, as lines of a text are. First those that are alike in all but addresses hold the
//! two sequences together; between them, those that run the same kernel; then those of one kind; and what is left between two
//! such, if it is as many nodes on both sides.

use cgsan_finding::{GraphNode, Parameters};
use rustc_hash::{FxHashMap, FxHashSet};
use similar::{Algorithm, DiffOp};

/// Sequences are aligned with the fewest differences if not more pairs of nodes could be compared. That takes seconds at most, where
/// all of them differ.
const PAIRS: usize = 1_000_000_000;

/// The nodes of two graphs that are one and the same.
#[derive(Debug)]
pub(crate) struct Matching {
    /// For each old node, the new one.
    pub(crate) new_of: Vec<Option<usize>>,
    /// For each new node, the old one.
    pub(crate) old_of: Vec<Option<usize>>,
}

/// What nodes are compared by, from all of it to very little.
const LEVELS: [Level; 3] = [Level::All, Level::Name, Level::Kind];

#[derive(Clone, Copy)]
enum Level {
    All,
    Name,
    Kind,
}

/// What a node is compared by.
type Key<'a> = (
    &'static str,
    Option<&'a str>,
    Option<&'a str>,
    Option<Parameters>,
);

fn key(node: &GraphNode, level: Level) -> Key<'_> {
    // The name of a copy or a fill says what its parameters say.
    let name = match node.kind {
        "kernel" => node.name.as_deref(),
        _ => None,
    };
    match level {
        Level::All => (node.kind, name, node.operator.as_deref(), node.parameters),
        Level::Name => (node.kind, name, None, None),
        Level::Kind => (node.kind, None, None, None),
    }
}

/// Finds out which nodes are one and the same.
pub(crate) fn matching(old: &[GraphNode], new: &[GraphNode]) -> Matching {
    let mut matching = Matching {
        new_of: vec![None; old.len()],
        old_of: vec![None; new.len()],
    };
    for level in LEVELS {
        let mut numbers = FxHashMap::default();
        let mut number = |node| {
            let next = numbers.len();
            *numbers.entry(key(node, level)).or_insert(next)
        };
        let old_keys: Vec<usize> = old.iter().map(&mut number).collect();
        let new_keys: Vec<usize> = new.iter().map(&mut number).collect();
        for gap in matching.gaps() {
            for (from, to) in aligned(&old_keys, &new_keys, &gap) {
                matching.pair(from, to);
            }
        }
    }
    for Gap { old, new } in matching.gaps() {
        if old.len() == new.len() {
            for (from, to) in old.zip(new) {
                matching.pair(from, to);
            }
        }
    }
    matching
}

/// What lies between two pairs of nodes, on both sides.
struct Gap {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

impl Matching {
    fn pair(&mut self, old: usize, new: usize) {
        self.new_of[old] = Some(new);
        self.old_of[new] = Some(old);
    }

    /// The gaps that have nodes on both sides. Pairs come in the same order on both sides.
    fn gaps(&self) -> Vec<Gap> {
        let pairs = self.new_of.iter().enumerate();
        let pairs = pairs.filter_map(|(old, new)| Some((old, (*new)?)));
        let end = (self.new_of.len(), self.old_of.len());
        let mut gaps = Vec::new();
        let mut begins = (0, 0);
        for (old, new) in pairs.chain([end]) {
            gaps.push(Gap {
                old: begins.0..old,
                new: begins.1..new,
            });
            begins = (old + 1, new + 1);
        }
        gaps.retain(|gap| !gap.old.is_empty() && !gap.new.is_empty());
        gaps
    }
}

/// The pairs of equal keys in a gap, in order.
fn aligned(old: &[usize], new: &[usize], gap: &Gap) -> Vec<(usize, usize)> {
    // What only one side has takes part in no pair, and would cost most of the time.
    let of_old: FxHashSet<usize> = old[gap.old.clone()].iter().copied().collect();
    let of_new: FxHashSet<usize> = new[gap.new.clone()].iter().copied().collect();
    let old_places: Vec<usize> = gap
        .old
        .clone()
        .filter(|it| of_new.contains(&old[*it]))
        .collect();
    let new_places: Vec<usize> = gap
        .new
        .clone()
        .filter(|it| of_old.contains(&new[*it]))
        .collect();
    let old: Vec<usize> = old_places.iter().map(|it| old[*it]).collect();
    let new: Vec<usize> = new_places.iter().map(|it| new[*it]).collect();
    let pairs = if old.len().saturating_mul(new.len()) <= PAIRS {
        fewest_differences(&old, &new)
    } else {
        by_occurrence(&old, &new)
    };
    let place = |(from, to): (usize, usize)| (old_places[from], new_places[to]);
    pairs.into_iter().map(place).collect()
}

fn fewest_differences(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let operations = similar::capture_diff_slices(Algorithm::Myers, old, new);
    let equal = operations.into_iter().filter_map(|it| match it {
        DiffOp::Equal {
            old_index,
            new_index,
            len,
        } => Some((old_index..old_index + len).zip(new_index..new_index + len)),
        _ => None,
    });
    equal.flatten().collect()
}

/// Pairs the first of each key with the first, the second with the second, and so on, and keeps as many of these pairs as come in
/// the same order on both sides. It takes little more time than there are nodes.
fn by_occurrence(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let mut places: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    let mut seen: FxHashMap<usize, usize> = FxHashMap::default();
    for (place, key) in new.iter().enumerate() {
        let count = seen.entry(*key).or_default();
        places.insert((*key, *count), place);
        *count += 1;
    }
    seen.clear();
    let mut pairs = Vec::new();
    for (place, key) in old.iter().enumerate() {
        let count = seen.entry(*key).or_default();
        pairs.extend(places.get(&(*key, *count)).map(|other| (place, *other)));
        *count += 1;
    }
    longest_rising(&pairs)
}

/// The most pairs that rise on both sides, of pairs that rise on the first.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends a rising sequence of it the lowest; and for each pair, the one before it.
    let mut lowest: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = lowest.partition_point(|it| pairs[*it].1 < *new);
        before[index] = length.checked_sub(1).map(|it| lowest[it]);
        if length == lowest.len() {
            lowest.push(index);
        } else {
            lowest[length] = index;
        }
    }
    let kept = std::iter::successors(lowest.last().copied(), |it| before[*it]);
    let mut kept: Vec<(usize, usize)> = kept.map(|it| pairs[it]).collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{launched, line};

    fn new_of(old: &[GraphNode], new: &[GraphNode]) -> Vec<Option<usize>> {
        matching(old, new).new_of
    }

    #[test]
    fn an_inserted_node_moves_those_behind_it() {
        let (old, new) = (
            line(&["mm", "add", "relu"]),
            line(&["mm", "mul", "add", "relu"]),
        );
        assert_eq!(new_of(&old.nodes, &new.nodes), [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn nodes_that_are_alike_hold_those_that_changed_between_them() {
        let old = [
            launched("add", 8, &[]),
            launched("mm", 4, &[]),
            launched("add", 8, &[]),
        ];
        let new = [
            launched("add", 8, &[]),
            launched("add", 9, &[]),
            launched("mm", 5, &[]),
            launched("add", 8, &[]),
        ];
        assert_eq!(new_of(&old, &new), [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn a_kernel_that_takes_the_place_of_another_is_the_same_node() {
        let (old, new) = (line(&["mm", "add", "relu"]), line(&["mm", "mul", "relu"]));
        assert_eq!(new_of(&old.nodes, &new.nodes), [Some(0), Some(1), Some(2)]);
    }

    proptest! {
        #[test]
        fn pairs_rise_and_are_equal_on_both_ways(
            old in proptest::collection::vec(0_usize..4, 0..30),
            new in proptest::collection::vec(0_usize..4, 0..30),
        ) {
            for pairs in [fewest_differences(&old, &new), by_occurrence(&old, &new)] {
                prop_assert!(pairs.iter().all(|(from, to)| old[*from] == new[*to]));
                prop_assert!(pairs.windows(2).all(|it| it[0].0 < it[1].0 && it[0].1 < it[1].1));
            }
            prop_assert!(
                fewest_differences(&old, &new).len() >= by_occurrence(&old, &new).len()
            );
        }
    }
}
