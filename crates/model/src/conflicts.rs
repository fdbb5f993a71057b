//! The running captures that a class of calls conflicts with.

use std::collections::BTreeSet;

use crate::CaptureId;

/// Running captures, broken ones included, that a class of calls conflicts with.
///
/// A call of the class breaks every one of them, once: those up to `broken` need no second visit, so that a program
/// that retries a refused call pays nothing for the captures it already broke.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    running: BTreeSet<CaptureId>,
    broken: CaptureId,
}

impl Conflicts {
    /// A capture belongs to the set from now on.
    pub(crate) fn insert(&mut self, capture: CaptureId) {
        if self.running.insert(capture) && capture <= self.broken {
            self.broken = CaptureId(capture.0.saturating_sub(1));
        }
    }

    /// A capture ended.
    pub(crate) fn remove(&mut self, capture: CaptureId) {
        self.running.remove(&capture);
    }

    /// The capture to name as the one in conflict: the first that no earlier call of this class broke, else the oldest.
    pub(crate) fn culprit(&self) -> Option<CaptureId> {
        self.unbroken()
            .next()
            .or_else(|| self.running.first().copied())
    }

    /// The captures that no earlier call of this class broke. They count as broken afterwards.
    pub(crate) fn take_unbroken(&mut self) -> Vec<CaptureId> {
        let unbroken = self.unbroken().collect();
        self.broken = self.running.last().copied().unwrap_or(self.broken);
        unbroken
    }

    fn unbroken(&self) -> impl Iterator<Item = CaptureId> {
        let next = CaptureId(self.broken.0.saturating_add(1));
        self.running.range(next..).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: CaptureId = CaptureId(1);
    const B: CaptureId = CaptureId(2);

    #[test]
    fn a_capture_is_broken_once_and_stays_in_conflict_until_it_ends() {
        let mut conflicts = Conflicts::default();
        conflicts.insert(A);
        assert_eq!(conflicts.take_unbroken(), [A]);
        assert_eq!(conflicts.take_unbroken(), []);
        assert_eq!(conflicts.culprit(), Some(A));
        conflicts.remove(A);
        assert_eq!(conflicts.culprit(), None);
    }

    #[test]
    fn a_new_capture_is_named_before_a_broken_one() {
        let mut conflicts = Conflicts::default();
        conflicts.insert(A);
        conflicts.take_unbroken();
        conflicts.insert(B);
        assert_eq!(conflicts.culprit(), Some(B));
    }

    #[test]
    fn an_older_capture_that_comes_late_is_not_forgotten() {
        let mut conflicts = Conflicts::default();
        conflicts.insert(B);
        conflicts.take_unbroken();
        conflicts.insert(A);
        assert!(conflicts.take_unbroken().contains(&A));
    }
}
