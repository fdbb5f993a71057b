//! Events as they are emitted.

use super::{Interp, Semantics};

impl<'p, L: Semantics> Interp<'p, L> {
    /// Notifies the observer of an event.
    pub(crate) fn emit<'e>(&mut self, event: impl Into<L::Event<'e, 'p>>)
    where
        'p: 'e,
    {
        if let Some(observer) = self.observer.take() {
            observer.observe(self, event.into());
            self.observer = Some(observer);
        }
    }

    /// How much was reported by now.
    pub(crate) fn reported(&self) -> usize {
        self.observer.as_ref().map_or(0, |it| it.reported())
    }

    /// Takes back what was reported since then.
    pub(crate) fn forget_since(&mut self, reported: usize) {
        if let Some(observer) = &mut self.observer {
            observer.forget_since(reported);
        }
    }
}
