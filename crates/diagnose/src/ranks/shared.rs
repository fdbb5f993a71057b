//! What many ranks have in common, kept once.

use std::sync::Arc;

use cgsan_finding::Location;
use rustc_hash::FxHashSet;

use super::side::{Called, Captured, Request};

/// The requests and the lines of all ranks so far. A job has as many of them as its program, however many ranks run it.
#[derive(Debug, Default)]
pub(super) struct Shared {
    requests: FxHashSet<Arc<Request>>,
    locations: FxHashSet<Arc<Location>>,
}

impl Shared {
    /// The one that is equal to this.
    pub(super) fn request(&mut self, request: Request) -> Arc<Request> {
        one_of(&mut self.requests, request)
    }

    /// The one that is equal to this.
    pub(super) fn location(&mut self, location: Location) -> Arc<Location> {
        one_of(&mut self.locations, location)
    }

    /// The same, of what is kept already.
    pub(super) fn called(&mut self, called: Called) -> Called {
        Called {
            request: one_in(&mut self.requests, called.request),
            location: self.place(called.location),
            ..called
        }
    }

    /// The same, of what is kept already.
    pub(super) fn captured(&mut self, captured: Captured) -> Captured {
        Captured {
            location: self.place(captured.location),
            failed_at: self.place(captured.failed_at),
            ..captured
        }
    }

    fn place(&mut self, location: Option<Arc<Location>>) -> Option<Arc<Location>> {
        Some(one_in(&mut self.locations, location?))
    }
}

fn one_of<T: Eq + std::hash::Hash>(known: &mut FxHashSet<Arc<T>>, value: T) -> Arc<T> {
    match known.get(&value) {
        Some(known) => Arc::clone(known),
        None => one_in(known, Arc::new(value)),
    }
}

fn one_in<T: Eq + std::hash::Hash>(known: &mut FxHashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(known) = known.get(&value) {
        return Arc::clone(known);
    }
    known.insert(Arc::clone(&value));
    value
}
