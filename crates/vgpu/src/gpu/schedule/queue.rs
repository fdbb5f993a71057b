//! The one queue of tasks of this process, and who is told of what.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use cgsan_observe::sealed::is_sealed;

use super::lane::Lane;
use super::policy::{self, Numbers, Schedule};
use super::tasks::{LaunchId, Place, TaskId, Tasks};
use super::{order, worker};
use crate::gpu::work::{Progress, Work};
use crate::graph::Step;
use crate::memory::Mapping;

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
    /// Memory that was given back, and the newest task that may use it.
    retired: VecDeque<(TaskId, Mapping)>,
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

/// The lock may be taken by who holds that of the GPU or of the memory, and never the other way round, nor by who is about to
/// take Python's.
static QUEUE: LazyLock<Mutex<Queue>> = LazyLock::new(Mutex::default);
/// A task was done or put back.
static CHANGED: Condvar = Condvar::new();
/// How many tasks there are; one more where the schedule makes a task of all work.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The queue.
pub fn lock() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same if nobody holds it.
pub fn lock_if_free() -> Option<MutexGuard<'static, Queue>> {
    crate::gpu::still::if_free(&QUEUE)
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

/// Whether work is done at once when it is enqueued: there is no task, and the schedule makes none. In a sealed child, the thread
/// that does tasks is not there: nobody waits for those that it inherited.
#[inline]
pub fn is_immediate() -> bool {
    COUNT.load(Ordering::Acquire) == 0 || is_sealed()
}

/// How many tasks there are, at most one too many.
#[inline]
pub fn about_how_many() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Waits, without the queue, until a task is done or can be taken.
pub fn wait_until_it_may_go_on(mut queue: MutexGuard<'static, Queue>, task: TaskId) {
    queue.blocked += 1;
    let in_other_hands = |queue: &mut Queue| queue.tasks.is_waiting(task) && !queue.is_free(task);
    let waited = CHANGED.wait_while(queue, in_other_hands);
    waited.unwrap_or_else(PoisonError::into_inner).blocked -= 1;
}

impl Queue {
    /// Adds a task, which a thread of this module's does if it is to be done now.
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
        worker::start();
        if is_wanted {
            self.want(&[task]);
        }
        task
    }

    /// Some tasks are to be done now, whoever waits for them.
    pub fn want(&mut self, tasks: &[TaskId]) {
        self.tasks.want(tasks);
        if self.tasks.has_wanted() {
            worker::wake();
        }
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
        let oldest = self.tasks.oldest();
        while let Some((last, _)) = self.retired.front()
            && oldest.is_none_or(|oldest| oldest > *last)
        {
            self.retired.pop_front();
        }
        if self.tasks.has_wanted() {
            worker::wake();
        }
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

    /// Keeps memory that was given back until no task can use it.
    pub fn retire(&mut self, mapping: Mapping) {
        if self.tasks.len() > 0 {
            self.retired.push_back((self.tasks.last(), mapping));
        }
    }

    /// Whether an address lies in such memory.
    pub fn has_retired(&self, address: u64) -> bool {
        self.retired(address).next().is_some()
    }

    /// Whether an address lies in such memory, and a task was made before that was given back.
    pub fn keeps_for(&self, address: u64, task: TaskId) -> bool {
        self.retired(address).any(|last| task <= last)
    }

    /// The newest tasks that may use such memory at an address.
    fn retired(&self, address: u64) -> impl Iterator<Item = TaskId> {
        let is_there = move |it: &Mapping| (it.start()..it.start() + it.bytes()).contains(&address);
        let there = self.retired.iter().filter(move |(_, it)| is_there(it));
        there.map(|(last, _)| *last)
    }

    fn tell(&self) {
        if self.blocked > 0 {
            CHANGED.notify_all();
        }
    }

    fn note_count(&self) {
        let sentinel = usize::from(policy::current() != Schedule::Eager);
        COUNT.store(self.tasks.len() + sentinel, Ordering::Release);
    }
}
