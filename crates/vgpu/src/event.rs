//! When events happened.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::locks;

/// The events that exist, and when each was last recorded.
#[derive(Debug, Default)]
pub struct Events {
    recorded: FxHashMap<u64, Option<Instant>>,
    /// Those that only order work, and measure nothing.
    untimed: FxHashSet<u64>,
    /// Those that other processes may ask about.
    shared: FxHashSet<u64>,
}

/// The lock may be taken by who holds any other.
static EVENTS: LazyLock<Mutex<Events>> = LazyLock::new(Mutex::default);

/// The events of this process.
pub fn events() -> MutexGuard<'static, Events> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same if nobody holds them.
pub fn events_if_free() -> Option<MutexGuard<'static, Events>> {
    locks::if_free(&EVENTS)
}

impl Events {
    /// Adds an event, which measures time or not.
    pub fn insert(&mut self, event: u64, is_timed: bool) {
        self.recorded.insert(event, None);
        if !is_timed {
            self.untimed.insert(event);
        }
    }

    /// Whether there is such an event, and it only orders work.
    pub fn is_untimed(&self, event: u64) -> bool {
        self.untimed.contains(&event)
    }

    /// Removes an event.
    pub fn remove(&mut self, event: u64) {
        self.recorded.remove(&event);
        self.untimed.remove(&event);
        self.shared.remove(&event);
    }

    /// Other processes may ask about an event from now on. Whether there is such an event.
    pub fn share(&mut self, event: u64) -> bool {
        let exists = self.recorded.contains_key(&event);
        if exists {
            self.shared.insert(event);
        }
        exists
    }

    /// Whether other processes may ask about an event.
    pub fn is_shared(&self, event: u64) -> bool {
        self.shared.contains(&event)
    }

    /// Notes that an event happens now.
    pub fn happened(&mut self, event: u64) {
        if let Some(recorded) = self.recorded.get_mut(&event) {
            *recorded = Some(Instant::now());
        }
    }

    /// The time from one event to another; none if one of them never happened.
    pub fn elapsed(&self, start: u64, end: u64) -> Option<Duration> {
        let at = |event| self.recorded.get(event).copied().flatten();
        Some(at(&end)?.saturating_duration_since(at(&start)?))
    }
}
