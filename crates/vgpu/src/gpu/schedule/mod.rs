//! The order of work, where it cannot all run at once.
//!
//! Work runs when it is enqueued: nothing that the virtual GPU does takes long. A collective is the exception, since it
//! waits for other ranks, and the host must not wait with it: two ranks may each begin one that the other begins later.
//! What is enqueued behind a collective that is not done becomes a task, which a thread of its own does when its turn
//! comes. While there is no task, all this costs one atomic load.

mod tasks;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use cgsan_model::{Code, Stream};

use super::state::{self, Gpu};
use super::work::{Progress, Work};
use crate::graph::{Program, Step};
use tasks::{TaskId, Tasks};

pub use tasks::{Lane, Place};

/// What a task does.
#[derive(Debug)]
enum Action {
    /// Work that is done when it has run.
    Run(Step),
    /// A collective that goes on when its peers do.
    Advance(Box<dyn Progress>),
}

impl Action {
    fn of(step: &Step) -> Action {
        match step.work() {
            Work::Exchange(exchange) => Action::Advance(exchange.begin()),
            _ => Action::Run(step.clone()),
        }
    }

    /// Does what can be done now; whether that is all.
    fn go_on(&mut self) -> bool {
        match self {
            Action::Run(step) => {
                step.run();
                true
            }
            Action::Advance(progress) => progress.advance(),
        }
    }
}

/// The tasks, and who is told when one is added or done. The lock may be taken by who holds that of the GPU, and never
/// the other way round.
static TASKS: LazyLock<Mutex<Tasks<Action>>> = LazyLock::new(Mutex::default);
static CHANGED: Condvar = Condvar::new();
/// How many tasks there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn lock() -> MutexGuard<'static, Tasks<Action>> {
    TASKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there is no task.
#[inline]
pub fn is_empty() -> bool {
    COUNT.load(Ordering::Acquire) == 0
}

/// Does work of a stream, at once or when its turn comes.
#[inline]
pub fn submit(stream: Stream, work: Work) {
    match work {
        Work::Nothing | Work::Conditional(_) => {}
        Work::Exchange(_) => submit_in_turn(stream, work),
        Work::Graph(program) if program.has_exchanges() => launch(stream, &program),
        _ if is_empty() => work.run(),
        _ => submit_in_turn(stream, work),
    }
}

fn submit_in_turn(stream: Stream, work: Work) {
    let lane = state::lock().lane(stream);
    if work.needs_the_host() {
        wait(Place::Stream(lane));
    }
    let before = lock().before(lane);
    if let Some(task) = start(lane, &before, &Step::alone(work)) {
        lock().end_with(lane, task);
    }
}

/// Launches a graph that contains collectives: each step waits for those that it depends on, and for nothing else.
fn launch(stream: Stream, program: &Program) {
    program.note_launch();
    let lane = state::lock().lane(stream);
    let before = lock().before(lane);
    let mut tasks: Vec<Option<TaskId>> = Vec::new();
    for step in program.steps() {
        let after = match step.after() {
            [] => before.clone(),
            steps => steps.iter().filter_map(|at| tasks[*at]).collect(),
        };
        tasks.push(start(lane, &after, step));
    }
    let unfinished: Vec<TaskId> = tasks.into_iter().flatten().collect();
    follow(lane, &unfinished);
}

/// What is enqueued on a stream from now on waits for these tasks too.
fn follow(lane: Lane, tasks: &[TaskId]) {
    let mut all = lock();
    let mut after = all.unfinished(tasks);
    if !after.is_empty() {
        after.extend(all.before(lane));
        let joined = add(
            &mut all,
            lane,
            after,
            Action::Run(Step::alone(Work::Nothing)),
        );
        all.end_with(lane, joined);
    }
}

/// Does a step if what comes before it is done. Returns the task that it becomes if it is not done then.
fn start(lane: Lane, after: &[TaskId], step: &Step) -> Option<TaskId> {
    let mut action = Action::of(step);
    let after = lock().unfinished(after);
    if after.is_empty() && action.go_on() {
        return None;
    }
    Some(add(&mut lock(), lane, after, action))
}

fn add(tasks: &mut Tasks<Action>, lane: Lane, after: Vec<TaskId>, action: Action) -> TaskId {
    let task = tasks.add(lane, after, action);
    COUNT.store(tasks.len(), Ordering::Release);
    start_worker();
    CHANGED.notify_all();
    task
}

/// Records an event on a stream.
pub fn record(gpu: &mut Gpu, stream: Stream, event: u64) {
    let mut tasks = lock();
    let lane = gpu.lane(stream);
    let before = tasks.before(lane);
    if before.is_empty() {
        tasks.record(event, None);
        gpu.events.happened(event);
        return;
    }
    let step = Step::alone(Work::RecordEvent(event));
    let task = add(&mut tasks, lane, before, Action::Run(step));
    tasks.end_with(lane, task);
    tasks.record(event, Some(task));
}

/// Makes a stream wait for an event.
pub fn await_event(gpu: &Gpu, stream: Stream, event: u64) {
    if !is_empty() {
        let tasks = lock().at(Place::Event(event));
        follow(gpu.lane(stream), &tasks);
    }
}

/// The event is gone.
pub fn forget_event(event: u64) {
    if !is_empty() {
        lock().record(event, None);
    }
}

/// Says whether all is done that a place was given, as the queries of CUDA do.
pub fn query(place: Place) -> Result<(), Code> {
    if is_empty() || lock().at(place).is_empty() {
        Ok(())
    } else {
        Err(Code::NOT_READY)
    }
}

/// Waits until all is done that a place was given.
pub fn wait(place: Place) {
    if is_empty() {
        return;
    }
    let mut tasks = lock();
    let awaited = tasks.at(place);
    while !tasks.unfinished(&awaited).is_empty() {
        tasks = CHANGED.wait(tasks).unwrap_or_else(PoisonError::into_inner);
    }
}

/// As [`wait`], for a stream by its name.
pub fn wait_for_stream(stream: Stream) {
    if !is_empty() {
        let lane = state::lock().lane(stream);
        wait(Place::Stream(lane));
    }
}

/// The shortest and the longest time between two looks at what other processes did.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// Starts the thread that does the tasks, once. It ends with the process.
fn start_worker() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let started = thread::Builder::new()
            .name("cgsan-streams".to_owned())
            .spawn(work);
        if let Err(error) = started {
            cgsan_observe::note(&format!(
                "the virtual GPU could not start a thread, so collectives do not end: {error}"
            ));
        }
    });
}

fn work() {
    let [shortest, longest] = PAUSES;
    let mut pause = shortest;
    let mut tasks = lock();
    loop {
        let ready = tasks.take_ready();
        drop(tasks);
        let went_on = do_all(ready);
        pause = if went_on {
            shortest
        } else {
            (pause * 2).min(longest)
        };
        tasks = lock();
        if tasks.len() == 0 {
            tasks = CHANGED.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        } else if !went_on {
            let waited = CHANGED.wait_timeout(tasks, pause);
            tasks = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Does what can be done of some tasks; whether any is done.
fn do_all(ready: Vec<(TaskId, Action)>) -> bool {
    let mut went_on = false;
    for (id, mut action) in ready {
        let is_done = crate::ffi::guard(true, || action.go_on());
        let mut tasks = lock();
        if is_done {
            tasks.finish(id);
            COUNT.store(tasks.len(), Ordering::Release);
            CHANGED.notify_all();
        } else {
            tasks.put_back(id, action);
        }
        went_on |= is_done;
    }
    went_on
}

impl Gpu {
    /// A stream with what decides its order.
    pub fn lane(&self, stream: Stream) -> Lane {
        match stream {
            Stream::Legacy(device) => Lane::Legacy(device),
            Stream::PerThread(device) => Lane::PerThread(device, cgsan_observe::current_thread()),
            Stream::Created(handle) => Lane::Created {
                handle,
                device: self.device_of(stream),
                blocking: self.is_blocking(handle),
            },
        }
    }
}
