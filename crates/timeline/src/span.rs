//! A stretch of time.

/// From a moment to a later one, in nanoseconds on the clock of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// When it begins.
    pub start: u64,
    /// When it ends; never before it begins.
    pub end: u64,
}

impl Span {
    /// From `start` on, for `length` nanoseconds.
    pub fn new(start: u64, length: u64) -> Self {
        Self {
            start,
            end: start.saturating_add(length),
        }
    }

    /// How long it is, in nanoseconds.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether a moment lies in it; its end does not.
    pub fn holds(self, moment: u64) -> bool {
        (self.start..self.end).contains(&moment)
    }

    /// Whether another lies in it whole.
    pub fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The part of it that lies in another; empty if there is none.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let start = self.start.clamp(other.start, other.end);
        let end = self.end.clamp(start, other.end.max(start));
        Self { start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_in_both() {
        let one = Span::new(10, 10);
        assert_eq!(one.within(Span::new(15, 20)), Span::new(15, 5));
        assert_eq!(one.within(Span::new(30, 5)).length(), 0);
        assert_eq!(one.within(Span::new(0, 5)).length(), 0);
        assert!(one.covers(Span::new(12, 3)) && !one.covers(Span::new(12, 30)));
        assert!(one.holds(10) && !one.holds(20));
    }
}
