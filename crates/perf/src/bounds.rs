//! A number that is not known exactly.

use std::ops::Add;

use serde::Serialize;

/// The least and the most that a number may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bounds {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Bounds {
    /// Between two numbers, in whichever order.
    pub fn new(one: f64, two: f64) -> Self {
        Self {
            low: one.min(two),
            high: one.max(two),
        }
    }

    /// A number that is known.
    pub fn exactly(number: f64) -> Self {
        Self::new(number, number)
    }

    /// Both ends, times a number that is not negative.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::new(self.low * factor, self.high * factor)
    }

    /// Both ends, and at least this.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        Self::new(self.low.max(least), self.high.max(least))
    }

    /// The greater of two numbers.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.max(other.high))
    }

    /// The middle between both ends.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

impl Add for Bounds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }
}

/// The median of numbers; of an even count, the lower of the two in the middle. `None` if there are none.
pub(crate) fn median<T: Copy + PartialOrd>(numbers: impl IntoIterator<Item = T>) -> Option<T> {
    quantile(numbers, 1, 2)
}

/// The number below which `of` in `whole` parts of the numbers lie.
pub(crate) fn quantile<T: Copy + PartialOrd>(
    numbers: impl IntoIterator<Item = T>,
    of: usize,
    whole: usize,
) -> Option<T> {
    let mut numbers: Vec<T> = numbers.into_iter().collect();
    let last = numbers.len().checked_sub(1)?;
    let order = |one: &T, two: &T| one.partial_cmp(two).unwrap_or(std::cmp::Ordering::Equal);
    Some(*numbers.select_nth_unstable_by(last * of / whole, order).1)
}

/// A sum of times. A damaged file may have such that their sum is none.
pub(crate) fn sum(times: impl IntoIterator<Item = u64>) -> u64 {
    times.into_iter().fold(0, u64::saturating_add)
}

/// A count or a time as a number to calculate with.
#[allow(
    clippy::cast_precision_loss,
    reason = "2^53 nanoseconds are a hundred days"
)]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_maxima_keep_both_ends() {
        let one = Bounds::new(3.0, 1.0);
        assert_eq!(one + Bounds::exactly(2.0), Bounds::new(3.0, 5.0));
        assert_eq!(one.max(Bounds::new(2.0, 2.5)), Bounds::new(2.0, 3.0));
        assert_eq!(one.times(2.0), Bounds::new(2.0, 6.0));
        assert_eq!(Bounds::new(-1.0, 2.0).at_least(0.0), Bounds::new(0.0, 2.0));
    }

    #[test]
    fn the_median_needs_no_order() {
        assert_eq!(median([5, 1, 9]), Some(5));
        assert_eq!(median([2.0, 1.0]), Some(1.0));
        assert_eq!(median::<u64>([]), None);
        assert_eq!(quantile([4, 3, 2, 1, 0], 3, 4), Some(3));
    }
}
