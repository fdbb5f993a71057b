//! Keeps other threads out of the virtual GPU while the process is copied: a lock that one of them holds then, nobody lets go of in
//! the copy.

use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use super::schedule::{self, Queue};
use super::state::{self, Gpu};
use crate::event::{self, Events};
use crate::memory::table::{self, Table};

/// How often the locks are asked for, and how long after each time: others hold them for as long as one call takes.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_micros(100);

/// No other thread is in the virtual GPU while this is kept.
pub struct Still {
    _gpu: MutexGuard<'static, Gpu>,
    _memory: MutexGuard<'static, Table>,
    _queue: MutexGuard<'static, Queue>,
    _events: MutexGuard<'static, Events>,
}

/// Waits until no other thread is in the virtual GPU; `None` if there is always one. All locks or none are held, so their order does
/// not matter.
pub fn still() -> Option<Still> {
    for _ in 0..TRIES {
        if let Some(still) = all() {
            return Some(still);
        }
        thread::sleep(PAUSE);
    }
    None
}

fn all() -> Option<Still> {
    Some(Still {
        _gpu: state::lock_if_free()?,
        _memory: table::lock_if_free()?,
        _queue: schedule::lock_if_free()?,
        _events: event::events_if_free()?,
    })
}
