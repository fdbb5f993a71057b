//! Waiting for work, and asking whether it is done. Where work is done late, the thread that waits for it does it.

use cgsan_model::{Code, Stream};

use super::policy::{self, Schedule};
use super::progress::{self, TaskId, is_immediate, under_way};
use super::queue::{self, Action, lock};
use super::tasks::Place;
use crate::ffi::{gil, guard};
use crate::gpu::beneath::{self, in_a_row};
use crate::gpu::{state, tally};

/// Waits until all is done that a place was given.
pub fn wait(place: Place) {
    if is_immediate() || under_way().is_some() {
        return;
    }
    tally::note_wait();
    let plan = {
        let mut queue = lock();
        let awaited = queue.tasks.at(place);
        queue.plan(&awaited)
    };
    if !plan.is_empty() {
        let _waiting = cgsan_observe::waiting(place.waited_for_by());
        in_a_row(|| plan.into_iter().for_each(end));
    }
}

/// As [`wait`], for a stream by its name.
pub fn wait_for_stream(stream: Stream) {
    if !is_immediate() {
        let lane = state::lock().lane(stream);
        wait(Place::Stream(lane));
    }
}

/// Says whether all is done that a place was given, as the queries of CUDA do.
pub fn query(place: Place) -> Result<(), Code> {
    if is_immediate() {
        return Ok(());
    }
    let mut queue = lock();
    let awaited = queue.tasks.at(place);
    if awaited.is_empty() {
        return Ok(());
    }
    if queue.refuse(place) {
        queue.want(&awaited);
    }
    Err(Code::NOT_READY)
}

/// Does a task, or waits until it is done.
fn end(task: TaskId) {
    loop {
        let mut queue = lock();
        if !queue.tasks.is_waiting(task) {
            return;
        }
        if let Some(action) = queue.take(task) {
            drop(queue);
            perform(task, action);
        } else {
            // Who does it may need the interpreter for it.
            beneath::pause();
            gil::released(|| queue::wait_until_it_may_go_on(queue, task));
        }
    }
}

/// Does what can be done of a task; whether that is all.
pub fn perform(task: TaskId, mut action: Action) -> bool {
    let is_done = progress::during(task, || guard(true, || action.go_on()));
    let mut queue = lock();
    if is_done {
        queue.finish(task);
    } else {
        queue.put_back(task, action);
    }
    is_done
}

/// So many tasks may wait: each may keep a computation and what it was given.
const MOST: usize = 10_000;

/// So many more may wait while others than the first thread of the process enqueue them. OpenMP keeps a team for each thread that
/// computes; where all of them are more threads than there are cores, the teams sleep between two operators instead of spinning. What
/// autograd's thread enqueues is computed as well by the program's own a little later.
const MORE_OF_OTHERS: usize = MOST / 4;

/// Called where work was enqueued: does some of the oldest tasks where many wait, and any others that the schedule chooses.
pub fn go_on() {
    if is_immediate() || under_way().is_some() {
        return;
    }
    if progress::about_how_many() > most() {
        do_oldest();
    }
    if let Schedule::Random(_) = policy::current() {
        do_any();
    }
}

fn most() -> usize {
    let is_first = cgsan_observe::current_thread().0 == std::process::id();
    if is_first {
        MOST
    } else {
        MOST + MORE_OF_OTHERS
    }
}

fn do_oldest() {
    let oldest: Vec<TaskId> = {
        let queue = lock();
        let surplus = queue.tasks.len().saturating_sub(MOST - MOST / 10);
        queue.tasks.all().take(surplus).collect()
    };
    in_a_row(|| oldest.into_iter().for_each(try_to_end));
}

fn do_any() {
    let count = lock().numbers.below(3);
    for _ in 0..count {
        let mut queue = lock();
        let ready = queue.tasks.ready().len();
        if ready == 0 {
            return;
        }
        let chosen = queue.numbers.below(ready);
        let Some(task) = queue.tasks.ready().nth(chosen) else {
            return;
        };
        drop(queue);
        try_to_end(task);
    }
}

/// Does a task that waits for nothing, and leaves others alone.
fn try_to_end(task: TaskId) {
    let action = lock().take(task);
    if let Some(action) = action {
        perform(task, action);
    }
}

/// Does all that can be done without waiting for others: the program is about to end.
pub fn finish() {
    if is_immediate() || under_way().is_some() || policy::current() == Schedule::Eager {
        return;
    }
    let plan = {
        let mut queue = lock();
        let all = queue.tasks.at(Place::Everything);
        queue.plan(&all)
    };
    in_a_row(|| plan.into_iter().for_each(try_to_end));
}
