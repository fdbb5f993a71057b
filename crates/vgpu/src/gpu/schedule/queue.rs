//! The one queue of tasks of this process, and who is told of what.

use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::lane::Lane;
use super::order;
use super::policy::{self, Numbers, Schedule};
use super::progress::{self, TaskId};
use super::tasks::{LaunchId, Place, Tasks};
use crate::gpu::work::{Progress, Work};
use crate::graph::Step;
use crate::locks;
use crate::memory::table;

/// What a task does.
#[derive(Debug)]
pub enum Action {
    /// Work that is done when it has run.
    Run(Step),
    /// A collective that goes on when its peers do.
    Advance(Box<dyn Progress>),
}

impl Action {
    /// The work of a step.
    pub fn of(step: &Step) -> Action {
        match step.work() {
            Work::Exchange(exchange) => Action::Advance(exchange.begin()),
            _ => Action::Run(step.clone()),
        }
    }

    /// Does what can be done now; whether that is all.
    pub fn go_on(&mut self) -> bool {
        match self {
            Action::Run(step) => {
                step.run();
                true
            }
            Action::Advance(progress) => progress.advance(),
        }
    }

    /// Whether the thread that waits for it may do it: it waits for nobody else, and is no function of the program's, which
    /// expects a thread of its own.
    pub fn is_for_who_waits(&self) -> bool {
        match self {
            Action::Run(step) => !matches!(step.work(), Work::Host(_)),
            Action::Advance(_) => false,
        }
    }
}

/// The tasks, and what is known of who waits.
#[derive(Debug, Default)]
pub struct Queue {
    /// The tasks that are not done.
    pub tasks: Tasks<Action>,
    /// What chooses, where a seed does.
    pub numbers: Numbers,
    /// Threads that wait for tasks in other hands.
    blocked: usize,
    refused: Refused,
}

/// Queries that were answered with "not ready".
#[derive(Debug, Default)]
struct Refused {
    /// Since when: how many tasks had been made.
    made: u64,
    /// The places, each once.
    places: Vec<Place>,
    /// How many since work was last done on account of them.
    count: usize,
}

/// A program that enqueues other work while it asks gets an answer after so many queries.
const PATIENCE: usize = 1000;

/// The lock may be taken by who holds that of the GPU, and who holds it may take that of the memory, and never the other way round;
/// nor is it taken by who is about to take Python's.
static QUEUE: LazyLock<Mutex<Queue>> = LazyLock::new(Mutex::default);
/// A task was done or put back.
static CHANGED: Condvar = Condvar::new();
/// There may be something to do now that nobody in this process waits for.
static WANTED: Condvar = Condvar::new();

/// The queue.
pub fn lock() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same if nobody holds it.
pub fn lock_if_free() -> Option<MutexGuard<'static, Queue>> {
    locks::if_free(&QUEUE)
}

/// Chooses the schedule of this process.
pub fn choose(schedule: Schedule) {
    policy::choose(schedule);
    let mut queue = lock();
    if let Schedule::Random(seed) = policy::current() {
        queue.numbers = Numbers::of(seed);
    }
    queue.note_count();
}

/// Waits, without the queue, until a task is done or can be taken.
pub fn wait_until_it_may_go_on(mut queue: MutexGuard<'static, Queue>, task: TaskId) {
    queue.blocked += 1;
    let in_other_hands = |queue: &mut Queue| queue.tasks.is_waiting(task) && !queue.is_free(task);
    let waited = CHANGED.wait_while(queue, in_other_hands);
    waited.unwrap_or_else(PoisonError::into_inner).blocked -= 1;
}

/// Waits, without the queue, until there may be something to do now, but no longer than this.
pub fn wait_until_wanted(
    queue: MutexGuard<'static, Queue>,
    limit: Duration,
) -> MutexGuard<'static, Queue> {
    let waited = WANTED.wait_timeout(queue, limit);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

impl Queue {
    /// Adds a task, which the worker does if it is to be done now.
    pub fn add(
        &mut self,
        lane: Lane,
        after: Vec<TaskId>,
        launch: Option<LaunchId>,
        action: Action,
    ) -> TaskId {
        let is_wanted = policy::current() == Schedule::Eager || !action.is_for_who_waits();
        let task = self.tasks.add(lane, after, launch, action);
        self.note_count();
        if is_wanted {
            self.want(&[task]);
        }
        task
    }

    /// Some tasks are to be done now, whoever waits for them.
    pub fn want(&mut self, tasks: &[TaskId]) {
        self.tasks.want(tasks);
        self.tell_wanted();
    }

    /// The order in which the calling thread does what it waits for.
    pub fn plan(&mut self, awaited: &[TaskId]) -> Vec<TaskId> {
        match policy::current() {
            Schedule::Eager => awaited.to_vec(),
            Schedule::Lazy => order::latest_first(&self.tasks, awaited),
            Schedule::Random(_) => order::shuffled(&self.tasks, awaited, &mut self.numbers),
        }
    }

    /// Takes the action out of a task that the calling thread may do.
    pub fn take(&mut self, task: TaskId) -> Option<Action> {
        if policy::current() == Schedule::Eager {
            return None;
        }
        self.tasks.take(task, Action::is_for_who_waits)
    }

    fn is_free(&self, task: TaskId) -> bool {
        policy::current() != Schedule::Eager && self.tasks.is_ready(task, Action::is_for_who_waits)
    }

    /// A task is done.
    pub fn finish(&mut self, task: TaskId) {
        self.tasks.finish(task);
        self.note_count();
        table::lock().retired.release_before(self.tasks.oldest());
        self.tell_wanted();
        self.tell();
    }

    /// A task could not be done yet.
    pub fn put_back(&mut self, task: TaskId, action: Action) {
        self.tasks.put_back(task, action);
        self.tell();
    }

    /// A query of a place is answered with "not ready". Whether it is time to do what the place waits for: who asks again,
    /// and enqueued nothing in between, does nothing else until it is done.
    pub fn refuse(&mut self, place: Place) -> bool {
        let made = self.tasks.made();
        if self.refused.made != made {
            self.refused.made = made;
            self.refused.places.clear();
        }
        self.refused.count += 1;
        if self.refused.count > PATIENCE || self.refused.places.contains(&place) {
            self.refused.count = 0;
            return true;
        }
        self.refused.places.push(place);
        false
    }

    fn tell(&self) {
        if self.blocked > 0 {
            CHANGED.notify_all();
        }
    }

    fn tell_wanted(&self) {
        if self.tasks.has_wanted() {
            WANTED.notify_all();
        }
    }

    fn note_count(&self) {
        progress::note(self.tasks.len(), self.tasks.last());
    }
}
