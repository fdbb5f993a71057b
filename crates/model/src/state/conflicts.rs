//! The running captures that a class of calls conflicts with.

use std::collections::VecDeque;

use super::capture::Captures;
use crate::CaptureId;

/// Running captures, broken ones included, that a class of calls conflicts with.
///
/// A call of the class breaks every one of them, once: those up to `broken` need no second visit, so that a program
/// that retries a refused call pays nothing for the captures it already broke.
///
/// Captures are numbered as they begin, so the set is a window of marks, one for each number from the oldest member to
/// the newest: joining and leaving cost the same however many captures run.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    /// The first mark's capture.
    oldest: u64,
    /// Whether a capture is a member; the first and the last mark are, if there are any.
    members: VecDeque<bool>,
    broken: CaptureId,
}

impl Conflicts {
    /// A capture belongs to the set from now on.
    pub(crate) fn insert(&mut self, capture: CaptureId) {
        if self.members.is_empty() {
            self.oldest = capture.0;
        }
        while capture.0 < self.oldest {
            self.members.push_front(false);
            self.oldest -= 1;
        }
        let place = self.place(capture).unwrap_or(0);
        if place >= self.members.len() {
            self.members.resize(place + 1, false);
        }
        let is_new = !std::mem::replace(&mut self.members[place], true);
        if is_new && capture <= self.broken {
            self.broken = CaptureId(capture.0.saturating_sub(1));
        }
    }

    /// A capture ended.
    pub(crate) fn remove(&mut self, capture: CaptureId) {
        if let Some(mark) = self
            .place(capture)
            .and_then(|place| self.members.get_mut(place))
        {
            *mark = false;
        }
        while self.members.front() == Some(&false) {
            self.members.pop_front();
            self.oldest += 1;
        }
        while self.members.back() == Some(&false) {
            self.members.pop_back();
        }
    }

    /// A call of this class breaks every member. Returns the capture to name as the one in conflict.
    pub(crate) fn break_all(&mut self, captures: &mut Captures) -> Option<CaptureId> {
        let culprit = self.culprit()?;
        for capture in self.take_unbroken() {
            captures.invalidate(capture);
        }
        Some(culprit)
    }

    /// The capture to name as the one in conflict: the first that no earlier call of this class broke, else the oldest.
    fn culprit(&self) -> Option<CaptureId> {
        self.unbroken().next().or_else(|| self.oldest())
    }

    /// The member that began first.
    pub(crate) fn oldest(&self) -> Option<CaptureId> {
        (!self.members.is_empty()).then_some(CaptureId(self.oldest))
    }

    /// The captures that no earlier call of this class broke. They count as broken afterwards.
    fn take_unbroken(&mut self) -> Vec<CaptureId> {
        let unbroken = self.unbroken().collect();
        if let Ok(count @ 1..) = u64::try_from(self.members.len()) {
            self.broken = CaptureId(self.oldest + count - 1);
        }
        unbroken
    }

    fn unbroken(&self) -> impl Iterator<Item = CaptureId> {
        let next = CaptureId(self.broken.0.saturating_add(1));
        let first = self.place(next).unwrap_or(0).min(self.members.len());
        let captures = (self.oldest..).skip(first).map(CaptureId);
        self.members
            .range(first..)
            .zip(captures)
            .filter_map(|(is_member, capture)| is_member.then_some(capture))
    }

    /// A capture's place in the window; `None` before the window.
    fn place(&self, capture: CaptureId) -> Option<usize> {
        let distance = capture.0.checked_sub(self.oldest)?;
        usize::try_from(distance).ok()
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

    #[test]
    fn the_window_follows_the_captures_that_run() {
        let mut conflicts = Conflicts::default();
        for number in 1..=1_000 {
            conflicts.insert(CaptureId(number));
            conflicts.remove(CaptureId(number - 1));
        }
        assert_eq!(conflicts.oldest(), Some(CaptureId(1_000)));
        assert_eq!(conflicts.members.len(), 1);
        conflicts.insert(CaptureId(1_003));
        conflicts.remove(CaptureId(1_000));
        assert_eq!(conflicts.take_unbroken(), [CaptureId(1_003)]);
    }
}
