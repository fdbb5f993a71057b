//! Reads of what no kernel computed, counted for each place that reads: a loop that waits for such a value may never end,
//! and then no report would name it.

use cgsan_trace::FrameId;
use rustc_hash::FxHashMap;

/// At so many reads by one place it is named. A loop that waits gets there within seconds; one that logs a loss at each
/// step gets there as well, if it is long, so what is said must hold for that too.
const MANY: u32 = 1000;

/// The places that have read what no kernel computed.
#[derive(Debug, Default)]
pub struct Uncomputed {
    /// How often, by the innermost frame of the whole stack.
    reads: FxHashMap<FrameId, u32>,
    is_named: bool,
}

impl Uncomputed {
    /// No place has read anything. Where values are computed, none is named: what is not computed has been by then.
    pub fn new(values: bool) -> Uncomputed {
        Uncomputed {
            is_named: values,
            ..Uncomputed::default()
        }
    }

    /// Whether nothing will be said any more, so that nobody need count.
    pub fn is_over(&self) -> bool {
        self.is_named
    }

    /// A place reads; whether it is now to be named.
    pub fn read_at(&mut self, place: FrameId) -> bool {
        let reads = self.reads.entry(place).or_default();
        *reads += 1;
        let is_due = *reads == MANY && !self.is_named;
        self.is_named |= is_due;
        is_due
    }
}

/// What is said of such a place.
pub fn text(place: &str) -> String {
    format!(
        "{place} has read {MANY} times what a kernel should have computed. A loop that waits for such a value may never end \
         here: the virtual GPU computes PyTorch's operators with `cgsan run --values` only, and other kernels not at all"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_that_reads_often_is_named_once() {
        let mut uncomputed = Uncomputed::default();
        for _ in 1..MANY {
            assert!(!uncomputed.read_at(FrameId(1)));
            assert!(!uncomputed.read_at(FrameId(2)));
        }
        assert!(uncomputed.read_at(FrameId(2)));
        assert!(uncomputed.is_over());
        assert!(!uncomputed.read_at(FrameId(1)));
        assert!(!uncomputed.read_at(FrameId(2)));
    }
}
