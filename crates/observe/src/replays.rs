//! The replays of each graph, counted, and a call to the agent at those that it looks at.
//!
//! The agent could count them itself, in Python, for a tenth of what a short replay takes. Here it costs next to nothing.
#![expect(unsafe_code, reason = "calls a function of the agent")]

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use cgsan_trace::FIRST_REPLAYS;

use crate::sealed::is_sealed;
use crate::{state, window};

/// A function of the agent's: the executable graph, and the number of the replay that is about to happen, from 1.
pub type AtReplay = extern "C" fn(u64, u64);

/// How many executable graphs are counted at once; those beyond are not looked at. A power of two.
const SLOTS: usize = 8_192;
/// How many slots are tried for one of them.
const TRIES: usize = 16;

const FREE: u64 = 0;
/// A slot whose graph was destroyed; `FREE` would hide those that were put behind it.
const LEFT: u64 = u64::MAX;

static AGENT: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());
static COUNTS: [Count; SLOTS] = [const { Count::new() }; SLOTS];

/// The replays of one executable graph. No lock guards it, so that a fork in another thread leaves none held.
#[derive(Debug)]
struct Count {
    executable: AtomicU64,
    replays: AtomicU64,
    /// Those that went past the recorder, until it asks for them.
    passed: AtomicU64,
}

/// How many captures were asked for and replays began, in all.
static GRAPH_WORK: AtomicU64 = AtomicU64::new(0);

/// Whether any replay went past the recorder since it asked last.
static ANY_PASSED: AtomicBool = AtomicBool::new(false);

/// A replay that is about to happen.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Counted from 1; 0 where there was no room to count.
    number: u64,
    count: Option<&'static Count>,
}

impl Replay {
    /// Whether it is the first of its executable graph.
    pub fn is_first(self) -> bool {
        self.number == 1
    }

    /// Whether the recorder is to be given this replay, which has happened. If not, it is counted here, which takes no lock and
    /// no stack.
    pub fn is_recorded(self) -> bool {
        if !state::is_recording() {
            return false;
        }
        let Some(count) = self.count else { return true };
        if window::wants_replays() || is_looked_at(self.number) {
            return true;
        }
        count.passed.fetch_add(1, Ordering::Relaxed);
        if !ANY_PASSED.load(Ordering::Relaxed) {
            ANY_PASSED.store(true, Ordering::Relaxed);
        }
        false
    }
}

impl Count {
    const fn new() -> Self {
        Self {
            executable: AtomicU64::new(FREE),
            replays: AtomicU64::new(0),
            passed: AtomicU64::new(0),
        }
    }
}

/// Calls `agent` at the replays to look at, from now on; `None` ends that.
pub fn call(agent: Option<AtReplay>) {
    let agent = agent.map_or(ptr::null_mut(), |agent| agent as *mut ());
    AGENT.store(agent, Ordering::Release);
}

/// Counts a capture that is asked for.
pub(crate) fn capture_begins() {
    GRAPH_WORK.fetch_add(1, Ordering::Relaxed);
}

/// How many captures were asked for and replays began, in this process: whether this has changed tells whether there is something
/// to judge.
pub fn graph_work() -> u64 {
    GRAPH_WORK.load(Ordering::Relaxed)
}

/// Counts a replay that is about to happen. No lock may be held that Python code, or another thread of Python's, may need.
pub fn begins(executable: u64) -> Replay {
    GRAPH_WORK.fetch_add(1, Ordering::Relaxed);
    let is_one = !matches!(executable, FREE | LEFT);
    let Some(count) = is_one.then(|| slot(executable)).flatten() else {
        return Replay {
            number: 0,
            count: None,
        };
    };
    let number = count.replays.fetch_add(1, Ordering::Relaxed) + 1;
    if is_looked_at(number) {
        let agent = AGENT.load(Ordering::Acquire);
        if !agent.is_null() && !is_sealed() {
            // SAFETY: what is stored there and is not null came from a function of this type.
            let agent = unsafe { std::mem::transmute::<*mut (), AtReplay>(agent) };
            agent(executable, number);
        }
    }
    Replay {
        number,
        count: Some(count),
    }
}

/// How many replays of an executable graph went past the recorder since this was last asked.
pub(crate) fn take_passed(executable: u64) -> u64 {
    known(executable).map_or(0, |count| count.passed.swap(0, Ordering::Relaxed))
}

/// The same of all of them.
pub(crate) fn take_all_passed(mut see: impl FnMut(u64, u64)) {
    if !ANY_PASSED.swap(false, Ordering::Relaxed) {
        return;
    }
    for count in &COUNTS {
        let passed = count.passed.swap(0, Ordering::Relaxed);
        if passed > 0 {
            see(count.executable.load(Ordering::Relaxed), passed);
        }
    }
}

/// Forgets an executable graph: its handle may be given to another.
pub fn destroyed(executable: u64) {
    if let Some(count) = known(executable) {
        count.passed.store(0, Ordering::Relaxed);
        count.replays.store(0, Ordering::Relaxed);
        count.executable.store(LEFT, Ordering::Relaxed);
    }
}

/// Whether the replay of this number, from 1, is one of those to look at.
pub fn is_looked_at(number: u64) -> bool {
    number <= FIRST_REPLAYS || number.is_power_of_two()
}

fn places(executable: u64) -> impl Iterator<Item = &'static Count> {
    // Handles are addresses or numbers in a row: multiplied by an odd number, they spread over the high bits.
    let hash = executable.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let first = usize::try_from(hash).unwrap_or_default();
    (0..TRIES).filter_map(move |step| COUNTS.get((first + step) % SLOTS))
}

fn known(executable: u64) -> Option<&'static Count> {
    places(executable)
        .take_while(|count| count.executable.load(Ordering::Relaxed) != FREE)
        .find(|count| count.executable.load(Ordering::Relaxed) == executable)
}

fn slot(executable: u64) -> Option<&'static Count> {
    known(executable).or_else(|| places(executable).find(|count| take(count, executable)))
}

/// Takes a slot that nobody has. Whether that succeeded.
fn take(count: &Count, executable: u64) -> bool {
    [FREE, LEFT].into_iter().any(|empty| {
        count
            .executable
            .compare_exchange(empty, executable, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        static CALLS: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
    }

    extern "C" fn note(executable: u64, number: u64) {
        CALLS.with_borrow_mut(|calls| calls.push((executable, number)));
    }

    #[test]
    fn the_agent_is_called_at_the_first_replays_of_each_graph_and_then_more_and_more_seldom() {
        call(Some(note));
        for _ in 0..70 {
            begins(0x7f00_1000);
            begins(0x7f00_2000);
        }
        destroyed(0x7f00_1000);
        begins(0x7f00_1000);
        call(None);
        assert_eq!(begins(0x7f00_1000).number, 2);
        let numbers = |executable: u64| -> Vec<u64> {
            CALLS.with_borrow(|calls| {
                let of_it = calls.iter().filter(|(of, _)| *of == executable);
                of_it.map(|(_, number)| *number).collect()
            })
        };
        let looked_at: Vec<u64> = (1..=FIRST_REPLAYS).chain([64]).collect();
        assert_eq!(numbers(0x7f00_2000), looked_at);
        assert_eq!(numbers(0x7f00_1000), [looked_at, vec![1]].concat());
    }
}
