//! A thread for each sealed child that reaps it when it ends, so that none is left behind while nobody asks.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::clone;
use crate::signals::without_signals;

/// The children that are watched.
static WATCHED: Mutex<BTreeMap<i64, State>> = Mutex::new(BTreeMap::new());

/// What is known of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It is to be ended now.
    Unwanted,
    /// Its time was up, and it is gone; kept until somebody asks.
    Late,
}

/// How a child is when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Asked {
    /// It still runs.
    Runs = 0,
    /// It is gone.
    Gone = 1,
    /// It is gone, since its time was up.
    Late = 2,
}

/// From look to look at a child: a short one at first, and ever longer ones.
const FIRST: Duration = Duration::from_millis(2);
const LAST: Duration = Duration::from_millis(50);

/// Has a child ended after some time at the latest, and reaped when it ends. Whether a thread could be started for it.
pub fn watch(pid: i64, longest: Duration) -> bool {
    let deadline = Instant::now() + longest;
    watched().insert(pid, State::Runs);
    let thread = thread::Builder::new().name("cgsan-twin".to_owned());
    let started = without_signals(|| thread.spawn(move || look_after(pid, deadline)));
    if started.is_err() {
        watched().remove(&pid);
    }
    started.is_ok()
}

/// How a child is; ends it first if `kill`. A watched one is reaped by its thread, and only there.
pub fn end(pid: i64, kill: bool) -> Asked {
    let mut watched = watched();
    match watched.get_mut(&pid) {
        Some(State::Late) => {
            watched.remove(&pid);
            Asked::Late
        }
        Some(state) => {
            if kill {
                *state = State::Unwanted;
            }
            Asked::Runs
        }
        None if clone::end(pid, kill) => Asked::Gone,
        None => Asked::Runs,
    }
}

fn look_after(pid: i64, deadline: Instant) {
    let mut pause = FIRST;
    loop {
        let is_unwanted = watched().get(&pid) == Some(&State::Unwanted);
        let is_late = Instant::now() > deadline;
        // What has ended by itself in time is not late, however late that is seen.
        if clone::end(pid, false) {
            watched().remove(&pid);
            return;
        }
        if (is_unwanted || is_late) && clone::end(pid, true) {
            watched().insert(pid, State::Late);
            return;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LAST);
    }
}

fn watched() -> MutexGuard<'static, BTreeMap<i64, State>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}
