//! The captures as parts of the width.

use cgsan_finding::MemoryTimeline;

/// Which captures are put together with their neighbours, in steps.
pub(super) struct Narrow {
    /// The width from which on a capture stands alone.
    pub(super) width: usize,
    /// The gap from which on two captures stand apart.
    pub(super) gap: usize,
}

/// How many parts are drawn at most.
const MOST: usize = 1_000;

/// One capture, or several that lie close together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The places of the captures among the timeline's.
    pub(super) captures: std::ops::Range<usize>,
    /// The first step.
    pub(super) begins: usize,
    /// The last one.
    pub(super) ends: usize,
}

/// The parts of the width that captures take, in order, and how many of the last captures are left out.
pub(super) fn spans(timeline: &MemoryTimeline, narrow: &Narrow) -> (Vec<Span>, usize) {
    let mut spans: Vec<Span> = Vec::new();
    for (place, capture) in timeline.captures.iter().enumerate() {
        let is_narrow = |begins: usize, ends: usize| ends.saturating_sub(begins) + 1 < narrow.width;
        let is_full = spans.len() == MOST;
        let last = spans.last_mut().filter(|last| {
            let is_near = capture.begins.saturating_sub(last.ends) <= narrow.gap;
            let is_group = last.captures.len() > 1 || is_narrow(last.begins, last.ends);
            is_near && is_group && is_narrow(capture.begins, capture.ends)
        });
        match last {
            Some(last) => {
                last.captures.end = place + 1;
                last.ends = last.ends.max(capture.ends);
            }
            None if is_full => return (spans, timeline.captures.len() - place),
            None => spans.push(Span {
                captures: place..place + 1,
                begins: capture.begins,
                ends: capture.ends,
            }),
        }
    }
    (spans, 0)
}

#[cfg(test)]
mod tests {
    use cgsan_finding::CaptureSpan;

    use super::*;

    fn drawn(captures: &[(usize, usize)]) -> (Vec<Span>, usize) {
        let captures = captures.iter().enumerate();
        let timeline = MemoryTimeline {
            captures: captures
                .map(|(graph, (begins, ends))| CaptureSpan {
                    graph: graph + 1,
                    begins: *begins,
                    ends: *ends,
                })
                .collect(),
            ..MemoryTimeline::default()
        };
        let narrow = Narrow { width: 4, gap: 2 };
        spans(&timeline, &narrow)
    }

    #[test]
    fn captures_that_are_narrow_and_close_together_are_one_part() {
        let (spans, _) = drawn(&[(0, 1), (2, 3), (4, 5), (10, 30), (31, 32)]);
        let captures: Vec<_> = spans.iter().map(|it| it.captures.clone()).collect();
        assert_eq!(captures, [0..3, 3..4, 4..5]);
        assert_eq!((spans[0].begins, spans[0].ends), (0, 5));
    }

    #[test]
    fn there_are_not_more_than_can_be_seen() {
        let overlapping = vec![(0, 1_000_000); 5_000];
        let (spans, left_out) = drawn(&overlapping);
        assert_eq!((spans.len(), left_out), (MOST, 5_000 - MOST));
    }
}
