//! Events as they are emitted, and how the program came there.

use super::{Event, Interp};
use crate::site::Site;

impl<'p> Interp<'p> {
    /// Notifies the observer of an event.
    pub(crate) fn emit(&mut self, event: Event<'_, 'p>) {
        if let Some(observer) = self.observer.take() {
            observer.observe(self, event);
            self.observer = Some(observer);
        }
    }

    /// How much was reported by now.
    pub(super) fn reported(&self) -> usize {
        self.observer.as_ref().map_or(0, |it| it.reported())
    }

    /// Takes back what was reported since then.
    pub(super) fn forget_since(&mut self, reported: usize) {
        if let Some(observer) = &mut self.observer {
            observer.forget_since(reported);
        }
    }

    /// The calls that lead from the beginning of the capture to here, and the beginning itself.
    pub(crate) fn chain(&self) -> Vec<(Site, String)> {
        let Some(id) = self.capture().or(self.flow.foreign) else {
            return Vec::new();
        };
        let capture = &self.captures[id.0];
        let mut chain: Vec<_> = self
            .frames
            .iter()
            .skip(capture.depth)
            .filter_map(|frame| Some((frame.call?, format!("`{}` is called here", frame.name))))
            .filter(|(site, _)| *site != capture.site)
            .collect();
        chain.reverse();
        chain.push((capture.site, capture.kind.began().to_owned()));
        chain
    }
}
