//! When a device has work: spans that neither overlap nor touch, so that any window is answered in logarithmic time.

use cgsan_timeline::Span;

/// The union of spans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy {
    spans: Vec<Span>,
    /// Of each span: the length of those before it.
    before: Vec<u64>,
}

impl Busy {
    /// The union of spans that come by their begin.
    pub(crate) fn of(all: impl Iterator<Item = Span>) -> Self {
        let mut spans: Vec<Span> = Vec::new();
        for span in all {
            match spans.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => spans.push(span),
            }
        }
        let before = spans.iter().scan(0, |sum, span| {
            let before = *sum;
            *sum += span.length();
            Some(before)
        });
        Self {
            before: before.collect(),
            spans,
        }
    }

    /// How much of a window it covers.
    pub(crate) fn within(&self, window: Span) -> u64 {
        let end = self.until(window.end.max(window.start));
        end - self.until(window.start)
    }

    /// How much it covers before a moment.
    fn until(&self, moment: u64) -> u64 {
        let begun = self.spans.partition_point(|it| it.start < moment);
        begun.checked_sub(1).map_or(0, |last| {
            let span = self.spans[last];
            self.before[last] + span.end.min(moment) - span.start
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let spans = [
            Span::new(0, 10),
            Span::new(5, 10),
            Span::new(20, 10),
            Span::new(22, 1),
        ];
        let busy = Busy::of(spans.into_iter());
        assert_eq!(busy.within(Span::new(0, 100)), 25);
        assert_eq!(busy.within(Span::new(8, 15)), 10);
        assert_eq!(busy.within(Span::new(16, 2)), 0);
        assert_eq!(busy.within(Span::new(25, 0)), 0);
        assert_eq!(Busy::default().within(Span::new(0, 5)), 0);
    }

    proptest::proptest! {
        #[test]
        fn it_is_what_counting_gives(mut spans in proptest::collection::vec((0u64..60, 0u64..20), 0..20), start in 0u64..60, length in 0u64..60) {
            spans.sort_unstable();
            let spans: Vec<Span> = spans.into_iter().map(|(start, length)| Span::new(start, length)).collect();
            let window = Span::new(start, length);
            let counted = (window.start..window.end).filter(|it| spans.iter().any(|span| span.holds(*it)));
            let counted = counted.count() as u64;
            proptest::prop_assert_eq!(Busy::of(spans.into_iter()).within(window), counted);
        }
    }
}
