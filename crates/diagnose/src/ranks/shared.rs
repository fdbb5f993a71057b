//! What many ranks have in common, kept once.

use std::sync::Arc;

use cgsan_finding::Location;
use rustc_hash::FxHashSet;

use super::side::Request;

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
}

fn one_of<T: Eq + std::hash::Hash>(known: &mut FxHashSet<Arc<T>>, value: T) -> Arc<T> {
    if let Some(known) = known.get(&value) {
        return Arc::clone(known);
    }
    let new = Arc::new(value);
    known.insert(Arc::clone(&new));
    new
}
