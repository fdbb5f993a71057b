//! The thread that does tasks which nobody in this process may be waiting for: collectives, functions of the program, and what
//! these wait for.

use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use super::policy::{self, Schedule};
use super::queue::{Queue, lock, wait_until_wanted};
use super::wait;

/// The shortest and the longest time between two looks at what other processes did.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// After so long without work that is enqueued or done, all that waits is done: the program may be looking at memory until
/// something changes in it.
const IDLE: Duration = Duration::from_secs(5);

/// Starts the thread, once. It ends with the process.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let thread = thread::Builder::new().name("cgsan-streams".to_owned());
        let started = cgsan_observe::without_signals(|| thread.spawn(work));
        if let Err(error) = started {
            cgsan_observe::note(&format!(
                "the virtual GPU could not start its thread, so collectives will not end: {}; raise the limit on threads (`ulimit -u`)",
                cgsan_files::in_words(&error)
            ));
        }
    });
}

fn work() {
    let [shortest, longest] = PAUSES;
    let mut pause = shortest;
    let mut idle = Idle::begin();
    loop {
        let mut queue = lock();
        if !queue.tasks.has_wanted() {
            queue = wait_until_wanted(queue, IDLE / 2);
            idle.look(&mut queue);
        } else if pause > shortest {
            queue = wait_until_wanted(queue, pause);
        }
        let wanted = queue.tasks.take_wanted();
        drop(queue);
        let mut went_on = wanted.is_empty();
        for (task, action) in wanted {
            went_on |= wait::perform(task, action);
        }
        pause = if went_on {
            shortest
        } else {
            (pause * 2).min(longest)
        };
    }
}

/// Since when nothing was enqueued or done.
struct Idle {
    since: Instant,
    /// What there was then: tasks ever made, and tasks not done.
    seen: (u64, usize),
}

impl Idle {
    fn begin() -> Idle {
        Idle {
            since: Instant::now(),
            seen: (0, 0),
        }
    }

    fn look(&mut self, queue: &mut Queue) {
        let seen = (queue.tasks.made(), queue.tasks.len());
        if self.seen != seen || policy::current() == Schedule::Eager {
            self.since = Instant::now();
            self.seen = seen;
        } else if seen.1 > 0 && self.since.elapsed() >= IDLE {
            let all: Vec<_> = queue.tasks.all().collect();
            queue.want(&all);
        }
    }
}
