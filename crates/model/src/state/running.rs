//! The captures that run, by number.

use std::collections::VecDeque;

use crate::CaptureId;

/// The captures that run.
///
/// Captures are numbered as they begin, so they lie in a window from the oldest running one to the newest: finding one
/// costs the same however many run, and neighbours lie together. Within the window an ended capture leaves one pointer.
#[derive(Debug)]
pub(crate) struct Running<C> {
    /// The number of the first place.
    oldest: u64,
    window: VecDeque<Option<Box<C>>>,
}

impl<C> Running<C> {
    /// No captures; those to come are numbered on from these.
    pub(crate) fn anew(&self) -> Running<C> {
        Running {
            oldest: self.oldest + self.window.len() as u64,
            window: VecDeque::new(),
        }
    }

    /// Add a capture. Returns its number, one more than that of the capture added before.
    pub(crate) fn begin(&mut self, capture: C) -> CaptureId {
        self.window.push_back(Some(Box::new(capture)));
        // Captures are counted from 1.
        CaptureId(self.oldest + self.window.len() as u64)
    }

    /// Take a capture out.
    pub(crate) fn end(&mut self, id: CaptureId) -> Option<C> {
        let place = self.place(id)?;
        let capture = self.window.get_mut(place)?.take();
        while let Some(None) = self.window.front() {
            self.window.pop_front();
            self.oldest += 1;
        }
        capture.map(|capture| *capture)
    }

    pub(crate) fn get(&self, id: CaptureId) -> Option<&C> {
        self.window.get(self.place(id)?)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, id: CaptureId) -> Option<&mut C> {
        let place = self.place(id)?;
        self.window.get_mut(place)?.as_deref_mut()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    fn place(&self, id: CaptureId) -> Option<usize> {
        let distance = id.0.checked_sub(self.oldest + 1)?;
        usize::try_from(distance).ok()
    }
}

impl<C> Default for Running<C> {
    fn default() -> Self {
        Running {
            oldest: 0,
            window: VecDeque::new(),
        }
    }
}
