//! One thread that reaps the sealed children when they end, so that none is left behind while nobody asks. It is started once: what a
//! new thread takes from the system may be where the program has just freed something.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::clone::{self, Ended};
use crate::signals::without_signals;

/// The children that are watched. The program never waits for it: a process that it forks may find it held for ever.
static WATCHED: Mutex<BTreeMap<i64, State>> = Mutex::new(BTreeMap::new());
/// The thread, and the process that it is part of: a forked one has none.
static THREAD: Mutex<Option<(u32, Thread)>> = Mutex::new(None);

/// What is known of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It runs, and is to be ended then.
    Runs(Instant),
    /// It is gone, and how; kept until somebody asks.
    Ended(Ended),
}

/// How a child is when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Asked {
    /// It still runs.
    Runs = 0,
    /// It is gone.
    Gone = 1,
    /// It is gone, since it would have waited for ever.
    Waiting = 2,
    /// It is gone, since its time was up.
    TooLong = 3,
    /// It is gone, since it did what it must not do.
    Forbidden = 4,
}

impl From<Ended> for Asked {
    fn from(ended: Ended) -> Asked {
        match ended {
            Ended::Somehow => Asked::Gone,
            Ended::Waiting => Asked::Waiting,
            Ended::TooLong => Asked::TooLong,
            Ended::Forbidden => Asked::Forbidden,
        }
    }
}

/// From look to look at children: a short one at first, and ever longer ones.
const FIRST: Duration = Duration::from_millis(2);
const LAST: Duration = Duration::from_millis(50);

/// Has a child ended after some time at the latest, and reaped when it ends. Whether there is a thread that does so.
pub fn watch(pid: i64, longest: Duration) -> bool {
    let Ok(mut watched) = WATCHED.try_lock() else {
        return false;
    };
    watched.insert(pid, State::Runs(Instant::now() + longest));
    let is_watched = wake();
    if !is_watched {
        watched.remove(&pid);
    }
    is_watched
}

/// How a child is; ends it first if `kill`. A watched one is reaped by the thread, and only there.
pub fn end(pid: i64, kill: bool) -> Asked {
    let Ok(mut watched) = WATCHED.try_lock() else {
        return Asked::Runs;
    };
    match watched.get_mut(&pid) {
        Some(State::Ended(ended)) => {
            let ended = *ended;
            watched.remove(&pid);
            ended.into()
        }
        Some(State::Runs(deadline)) => {
            if kill {
                *deadline = Instant::now();
            }
            Asked::Runs
        }
        None => clone::end(pid, kill).map_or(Asked::Runs, Asked::from),
    }
}

/// Has the thread look, and starts it where there is none in this process.
fn wake() -> bool {
    let process = std::process::id();
    let Ok(mut known) = THREAD.try_lock() else {
        return false;
    };
    if let Some((of, thread)) = known.as_ref()
        && *of == process
    {
        thread.unpark();
        return true;
    }
    let builder = thread::Builder::new().name("cgsan-twin".to_owned());
    let Ok(started) = without_signals(|| builder.spawn(look)) else {
        return false;
    };
    *known = Some((process, started.thread().clone()));
    true
}

/// Looks at the children while there are some.
fn look() {
    let mut pause = FIRST;
    loop {
        let running: Vec<(i64, Instant)> = watched()
            .iter()
            .filter_map(|(pid, state)| match state {
                State::Runs(deadline) => Some((*pid, *deadline)),
                State::Ended(_) => None,
            })
            .collect();
        if running.is_empty() {
            pause = FIRST;
            thread::park();
            continue;
        }
        for (pid, deadline) in running {
            // What has ended by itself in time is not lost, however late that is seen.
            match clone::end(pid, false) {
                Some(Ended::Somehow) => {
                    watched().remove(&pid);
                    pause = FIRST;
                }
                Some(ended) => {
                    watched().insert(pid, State::Ended(ended));
                    pause = FIRST;
                }
                None if Instant::now() >= deadline => {
                    clone::end(pid, true);
                    watched().insert(pid, State::Ended(Ended::TooLong));
                }
                None => {}
            }
        }
        thread::park_timeout(pause);
        pause = (pause * 2).min(LAST);
    }
}

fn watched() -> MutexGuard<'static, BTreeMap<i64, State>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}
