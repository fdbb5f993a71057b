//! Reads of what no kernel computed, counted for each place that reads: a loop that waits for such a value may never end,
//! and then no report would name it.

use cgsan_trace::FrameId;
use rustc_hash::FxHashMap;

/// At so many reads by one place it is named. A loop that waits gets there within seconds; one that logs a loss at each
/// step gets there as well, if it is long, so what is said must hold for that too.
const MANY: u32 = 1000;

/// At so many, if it reads a truth value: the program decides by it whether to go on.
const MANY_DECISIONS: u32 = 100;

/// The bytes of a truth value.
const TRUTH_VALUE: u64 = 1;

/// The places that have read what no kernel computed.
#[derive(Debug, Default)]
pub struct Uncomputed {
    /// How often, by the innermost frame of the whole stack.
    reads: FxHashMap<FrameId, u32>,
    computes: bool,
    is_named: bool,
}

/// What a read says of its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// It is now to be named, with this number of reads.
    pub named_after: Option<u32>,
    /// It goes on reading a truth value, and may do so without end.
    pub decides: bool,
}

impl Uncomputed {
    /// No place has read anything. Where values are computed, none is named: what is not computed has been by then.
    pub fn new(values: bool) -> Uncomputed {
        Uncomputed {
            computes: values,
            ..Uncomputed::default()
        }
    }

    /// Whether nothing will be said of a read of so many bytes, so that nobody need count.
    pub fn is_over(&self, bytes: u64) -> bool {
        self.computes || self.is_named && bytes != TRUTH_VALUE
    }

    /// A place reads so many bytes.
    pub fn read_at(&mut self, place: FrameId, bytes: u64) -> Read {
        if self.is_over(bytes) {
            return Read::default();
        }
        let reads = self.reads.entry(place).or_default();
        *reads = reads.saturating_add(1);
        let is_truth_value = bytes == TRUTH_VALUE;
        let many = if is_truth_value { MANY_DECISIONS } else { MANY };
        let is_due = *reads >= many && !self.is_named;
        self.is_named |= is_due;
        Read {
            named_after: is_due.then_some(*reads),
            decides: is_truth_value && *reads >= many,
        }
    }
}

/// What is said of a place that has read so often.
pub fn text(place: &str, reads: u32) -> String {
    format!(
        "{place} has read {reads} times what a kernel should have computed. A loop that waits for such a value may never end \
         here: the virtual GPU computes PyTorch's operators without `--no-values` only, and other kernels not at all"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(after: u32) -> Read {
        Read {
            named_after: Some(after),
            decides: false,
        }
    }

    #[test]
    fn the_first_place_that_reads_often_is_named_once() {
        let mut uncomputed = Uncomputed::default();
        for _ in 1..MANY {
            assert_eq!(uncomputed.read_at(FrameId(1), 4), Read::default());
            assert_eq!(uncomputed.read_at(FrameId(2), 4), Read::default());
        }
        assert_eq!(uncomputed.read_at(FrameId(2), 4), named(MANY));
        assert!(uncomputed.is_over(4));
        assert_eq!(uncomputed.read_at(FrameId(1), 4), Read::default());
    }

    #[test]
    fn a_place_that_reads_truth_values_is_named_earlier_and_goes_on_deciding() {
        let mut uncomputed = Uncomputed::default();
        for _ in 1..MANY_DECISIONS {
            assert_eq!(uncomputed.read_at(FrameId(1), 1), Read::default());
        }
        let first = uncomputed.read_at(FrameId(1), 1);
        assert_eq!(first.named_after, Some(MANY_DECISIONS));
        for _ in 0..2 {
            let later = uncomputed.read_at(FrameId(1), 1);
            assert!(later.decides && later.named_after.is_none());
        }
    }

    #[test]
    fn nothing_is_said_where_values_are_computed() {
        let mut uncomputed = Uncomputed::new(true);
        for _ in 0..MANY {
            assert_eq!(uncomputed.read_at(FrameId(1), 1), Read::default());
        }
    }
}
