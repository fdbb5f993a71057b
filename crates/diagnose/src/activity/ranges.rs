//! Sets of addresses.

use std::collections::BTreeMap;

/// Addresses as ranges that do not touch: first bytes, and where each ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds so many bytes. What touches becomes one range, so that each is taken out once at most.
    pub(super) fn add(&mut self, address: u64, bytes: u64) {
        let (mut start, mut end) = (address, address.saturating_add(bytes));
        if start == end {
            return;
        }
        while let Some((before, ends)) = self.0.range(..=end).next_back()
            && *ends >= start
        {
            (start, end) = (start.min(*before), end.max(*ends));
            let known = *before;
            self.0.remove(&known);
        }
        self.0.insert(start, end);
    }

    /// Whether so many bytes share one with the set.
    pub(super) fn touches(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let before = self.0.range(..end).next_back();
        before.is_some_and(|(_, ends)| *ends > address)
    }

    /// Whether all of so many bytes are in the set.
    pub(super) fn holds(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        let before = self.0.range(..=address).next_back();
        before.is_some_and(|(_, ends)| *ends >= end)
    }

    /// The ranges in ascending order: first bytes, and how many there are.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(start, end)| (*start, end - start))
    }
}

impl FromIterator<(u64, u64)> for Ranges {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(ranges: I) -> Ranges {
        let mut all = Ranges::default();
        for (address, bytes) in ranges {
            all.add(address, bytes);
        }
        all
    }
}

/// Whether two ranges share an address: each its first byte and its size.
pub(super) fn overlap(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 < other.0.saturating_add(other.1) && other.0 < one.0.saturating_add(one.1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let ranges: Ranges = [(30, 10), (10, 10), (20, 5), (12, 2)].into_iter().collect();
        let ranges: Vec<(u64, u64)> = ranges.iter().collect();
        assert_eq!(ranges, [(10, 15), (30, 10)]);
    }

    proptest! {
        #[test]
        fn a_set_of_ranges_is_the_set_of_their_addresses(
            added in proptest::collection::vec((0_u64..40, 0_u64..8), 0..12),
            asked in (0_u64..40, 1_u64..8),
        ) {
            let ranges: Ranges = added.iter().copied().collect();
            let all: BTreeSet<u64> = added.iter().flat_map(|(at, bytes)| *at..at + bytes).collect();
            let listed: Vec<u64> = ranges.iter().flat_map(|(at, bytes)| at..at + bytes).collect();
            prop_assert_eq!(listed, all.iter().copied().collect::<Vec<u64>>());
            let is_there = (asked.0..asked.0 + asked.1).any(|it| all.contains(&it));
            prop_assert_eq!(ranges.touches(asked.0, asked.1), is_there);
            let is_all_there = (asked.0..asked.0 + asked.1).all(|it| all.contains(&it));
            prop_assert_eq!(ranges.holds(asked.0, asked.1), is_all_there);
        }
    }
}
