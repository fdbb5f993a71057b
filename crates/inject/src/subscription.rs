//! When CUPTI is subscribed to.
//!
//! A subscription costs the program half a microsecond a launch and a replay, whatever is watched, and goes on to after its
//! end, unless CUPTI is taken out of the process (`cuptiFinalize`). So where all is calm it is taken out, and comes back
//! when something announces a capture: see `announce`.
//!
//! ```text
//! watching ──calm──▶ leaving ──▶ away ──announcement──▶ watching
//!    ├──the program profiles itself──▲
//!    └──failure──▶ off
//! ```

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use crate::cupti::abi::Callback;
use crate::cupti::{Cupti, Error};

static CUPTI: OnceLock<Cupti> = OnceLock::new();
/// Held while CUPTI is told what to watch: it wants that from one thread at a time.
static STATE: Mutex<State> = Mutex::new(State::Off);
/// How many threads are about to do what they announced.
static ANNOUNCED: AtomicU32 = AtomicU32::new(0);
/// Whether a capture could begin unannounced.
static STAY: AtomicBool = AtomicBool::new(false);
/// Whether it was said that a capture cannot be watched.
static SAID: AtomicBool = AtomicBool::new(false);

/// How long an announcement waits for another thread that is leaving.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const WAIT: Duration = Duration::from_micros(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Off,
    Watching,
    Leaving,
    Away,
}

/// Subscribes for the first time. `open` says what to watch.
pub fn start(callback: Callback, open: impl FnOnce(&Cupti)) -> Result<(), Error> {
    let cupti = Cupti::load(callback)?;
    let cupti = CUPTI.get_or_init(|| cupti);
    let mut state = lock();
    cupti.subscribe()?;
    *state = State::Watching;
    open(cupti);
    Ok(())
}

/// CUPTI, once it was found.
pub fn cupti() -> Option<&'static Cupti> {
    CUPTI.get()
}

/// Changes what is watched, if anything is.
pub fn change(change: impl FnOnce(&Cupti)) {
    let state = lock();
    if let (State::Watching, Some(cupti)) = (*state, cupti()) {
        change(cupti);
    }
}

/// From now on, CUPTI stays in the process: a capture could begin without an announcement.
pub fn stay() {
    STAY.store(true, Ordering::SeqCst);
}

/// Takes CUPTI out of the process, if `is_calm`, and nobody announces a capture. Call it at the end of a call that CUPTI
/// tells of, as it demands; whether it was done.
pub fn leave(is_calm: impl FnOnce() -> bool) -> bool {
    let Some(cupti) = cupti().filter(|cupti| cupti.can_be_left()) else {
        return false;
    };
    {
        let mut state = lock();
        let may = *state == State::Watching
            && !STAY.load(Ordering::SeqCst)
            && ANNOUNCED.load(Ordering::SeqCst) == 0;
        if !may || !is_calm() {
            return false;
        }
        *state = State::Leaving;
        cgsan_observe::watched(false);
    }
    // Without the lock: CUPTI may wait for threads that are in its callbacks, and these for the lock.
    cupti.unsubscribe();
    cupti.finalize();
    *lock() = State::Away;
    true
}

/// A capture is about to begin: comes back if CUPTI was left, and keeps it until the answer is dropped. Never call it from a
/// callback of CUPTI's. `open` says what to watch.
pub fn announce(open: impl FnOnce(&Cupti)) -> Announcement {
    // Before the state is looked at: whoever leaves looks at this after it took the lock.
    ANNOUNCED.fetch_add(1, Ordering::SeqCst);
    let announcement = Announcement(());
    if let Some(cupti) = cupti()
        && cgsan_observe::is_recording()
    {
        come_back(cupti, open);
    }
    announcement
}

/// What somebody is about to do; done when dropped.
#[derive(Debug)]
#[must_use = "it is done when this is dropped"]
pub struct Announcement(());

impl Drop for Announcement {
    fn drop(&mut self) {
        ANNOUNCED.fetch_sub(1, Ordering::SeqCst);
    }
}

fn come_back(cupti: &Cupti, open: impl FnOnce(&Cupti)) {
    let Some(mut state) = settled().filter(|state| **state == State::Away) else {
        return;
    };
    match cupti.subscribe() {
        Ok(()) => {
            *state = State::Watching;
            cgsan_observe::watched(true);
            open(cupti);
        }
        Err(error) if !SAID.swap(true, Ordering::Relaxed) => {
            cgsan_observe::note(&format!("a capture was not watched: {error}"));
        }
        Err(_) => {}
    }
}

/// Lets another subscriber have CUPTI, which takes one at a time. `None` if it was not ours; else whether an announcement can
/// bring it back, once it is free.
pub fn make_way() -> Option<bool> {
    // What the program does with CUPTI would be lost with it.
    stay();
    let cupti = cupti()?;
    let mut state = settled()?;
    if *state != State::Watching {
        return None;
    }
    cupti.unsubscribe();
    let can_come_back = cupti.can_be_left();
    *state = if can_come_back {
        State::Away
    } else {
        State::Off
    };
    cgsan_observe::watched(false);
    Some(can_come_back)
}

/// Ends the subscription for good.
pub fn turn_off() {
    let mut state = lock();
    if let (State::Watching, Some(cupti)) = (*state, cupti()) {
        cupti.unsubscribe();
    }
    // Whoever is leaving goes on to be away, and that is as good.
    if *state != State::Leaving {
        *state = State::Off;
    }
}

/// The state, once no other thread is leaving; `None` if that takes too long, as it does in a forked child whose parent was
/// about to.
fn settled() -> Option<MutexGuard<'static, State>> {
    let mut waited = Duration::ZERO;
    while waited < LONGEST_WAIT {
        let state = match STATE.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(state) = state.filter(|state| **state != State::Leaving) {
            return Some(state);
        }
        thread::sleep(WAIT);
        waited += WAIT;
    }
    None
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
