//! The order of work: when a stream's work is done, of all moments that the order of streams and events allows.
//!
//! Nothing that the virtual GPU does takes long, so with the eager schedule, work is done when it is enqueued. A collective is
//! the exception, since it waits for other ranks: what is enqueued behind one becomes a task, which a thread of this module's
//! does when its turn comes. With the other schedules, all work becomes a task, and the thread that waits for it does it. While
//! the schedule is eager and there is no task, all this costs one atomic load.

mod lane;
mod order;
mod policy;
pub mod progress;
mod queue;
mod tasks;
mod wait;
mod worker;

use std::sync::Arc;

use cgsan_model::Stream;
use cgsan_observe::sealed::is_sealed;

use super::state::{self, Gpu};
use super::tally;
use super::work::Work;
use crate::event::events;
use crate::graph::{Program, Step};
use crate::memory::{Fill, Staged, Transfer};
use progress::TaskId;
use queue::{Action, lock};
use tasks::LaunchId;

pub use lane::Lane;
pub use policy::Schedule;
pub use progress::is_immediate;
pub use queue::{Queue, choose, lock_if_free};
pub use tasks::Place;
pub use wait::{finish, go_on, query, wait, wait_for_stream};

/// Whether work is done later than it could be.
pub fn is_late() -> bool {
    policy::current() != Schedule::Eager
}

/// Does work of a stream, at once or when its turn comes.
#[inline]
pub fn submit(stream: Stream, work: Work) {
    if is_sealed() {
        // What others take part in does nothing.
        return work.run();
    }
    match work {
        // A kernel that nothing computes takes its turn all the same, so that events behind it are not complete before
        // something waits for them. Those of an operator are over with the values that it computes.
        Work::Nothing if is_late() && !tally::is_running() => submit_in_turn(&[stream], work),
        Work::Nothing | Work::Conditional(_) => {}
        Work::Graph(program) if program.has_exchanges() || !is_immediate() => {
            launch(stream, &program);
        }
        Work::Exchange(_) => submit_in_turn(&[stream], work),
        _ if is_immediate() => {
            clear_what_is_read(&work);
            work.run();
        }
        _ => submit_in_turn(&[stream], work),
    }
}

/// Memory that an operator was given while there were tasks holds what its last owner left. If they are done by now, a copy
/// from it, of a size that kernels count, say, is to read zeros all the same.
pub fn clear_what_is_read(work: &Work) {
    if is_immediate()
        && let Work::Copy(transfer) = work
        && let Some((start, bytes)) = tally::uncleared_at(transfer.source())
    {
        Fill::bytes(start, 0, bytes).run();
    }
}

/// Does work that several streams wait for, and that waits for all of them.
pub fn submit_in_turn(streams: &[Stream], work: Work) {
    if is_sealed() {
        return work.run();
    }
    let lanes = lanes(streams);
    let work = match work {
        Work::Copy(transfer) => match copy_in_turn(&lanes, transfer) {
            Some(work) => work,
            None => return,
        },
        _ => work,
    };
    enqueue(&lanes, &Step::alone(work));
    go_on();
}

fn lanes(streams: &[Stream]) -> Vec<Lane> {
    let gpu = state::lock();
    streams.iter().map(|stream| gpu.lane(*stream)).collect()
}

/// What is left of a copy to be done in its turn: what ordinary memory of the host holds is taken now, as the program may
/// change it, and a copy into such memory is done when this returns.
fn copy_in_turn(lanes: &[Lane], transfer: Transfer) -> Option<Work> {
    if let Some((start, bytes)) = tally::allocated_at(transfer.source()) {
        enqueue(
            lanes,
            &Step::alone(Work::Fill(Fill::bytes(start, 0, bytes))),
        );
    }
    let (from_pageable, to_pageable) = transfer.pageable_sides();
    if to_pageable {
        for lane in lanes {
            wait(Place::Stream(*lane));
        }
        Step::alone(Work::Copy(transfer)).run();
        return None;
    }
    Some(if from_pageable {
        Work::Staged(Arc::new(Staged::of(&transfer)))
    } else {
        Work::Copy(transfer)
    })
}

fn enqueue(lanes: &[Lane], step: &Step) {
    let mut queue = lock();
    let before = lanes.iter().flat_map(|lane| queue.tasks.before(*lane));
    let before: Vec<TaskId> = before.collect();
    drop(queue);
    let Some(first) = lanes.first() else { return };
    if let Some(task) = start(*first, before, None, step) {
        queue = lock();
        for lane in lanes {
            queue.tasks.end_with(*lane, task);
        }
    }
}

/// Launches a graph: each step waits for those that it depends on, and for nothing else of the graph.
fn launch(stream: Stream, program: &Arc<Program>) {
    program.begin_launch();
    let lane = state::lock().lane(stream);
    let address = Arc::as_ptr(program).expose_provenance();
    let (before, launch) = {
        let mut queue = lock();
        let mut before = queue.tasks.before(lane);
        before.extend(queue.tasks.end_of(address));
        (before, queue.tasks.begin_launch())
    };
    let mut tasks: Vec<Option<TaskId>> = Vec::new();
    for step in program.steps() {
        let mut after = match step.after() {
            [] => before.clone(),
            steps => steps.iter().filter_map(|at| tasks[*at]).collect(),
        };
        if let Work::AwaitEvent(event) = step.work() {
            after.extend(lock().tasks.at(Place::Event(*event)));
        }
        let task = start(lane, after, Some(launch), step);
        if let Work::RecordEvent(event) = step.work() {
            lock().tasks.record(*event, task);
        }
        tasks.push(task);
    }
    let steps: Vec<TaskId> = tasks.into_iter().flatten().collect();
    let mut queue = lock();
    if let Some(end) = follow(&mut queue, lane, &steps, Some(launch)) {
        queue.tasks.ends(address, end);
    }
    drop(queue);
    go_on();
}

/// What is enqueued on a stream from now on waits for these tasks too. Returns the task that does.
fn follow(
    queue: &mut Queue,
    lane: Lane,
    tasks: &[TaskId],
    launch: Option<LaunchId>,
) -> Option<TaskId> {
    let mut after = queue.tasks.unfinished(tasks);
    if after.is_empty() {
        return None;
    }
    after.extend(queue.tasks.before(lane));
    let nothing = Action::Run(Step::alone(Work::Nothing));
    let joined = add(queue, lane, after, launch, nothing);
    queue.tasks.end_with(lane, joined);
    Some(joined)
}

/// Does a step if the schedule does it at once and what comes before it is done. Returns the task that it becomes otherwise.
fn start(lane: Lane, after: Vec<TaskId>, launch: Option<LaunchId>, step: &Step) -> Option<TaskId> {
    let mut action = Action::of(step);
    if !is_late() && lock().tasks.unfinished(&after).is_empty() && action.go_on() {
        return None;
    }
    Some(add(&mut lock(), lane, after, launch, action))
}

/// Adds a task. There is a thread from then on that does what nobody waits for.
fn add(
    queue: &mut Queue,
    lane: Lane,
    after: Vec<TaskId>,
    launch: Option<LaunchId>,
    action: Action,
) -> TaskId {
    worker::start();
    queue.add(lane, after, launch, action)
}

/// Records an event on a stream.
pub fn record(gpu: &mut Gpu, stream: Stream, event: u64) {
    if is_sealed() {
        return events().happened(event);
    }
    let mut queue = lock();
    let lane = gpu.lane(stream);
    let before = queue.tasks.before(lane);
    let Some(newest) = before.last() else {
        queue.tasks.record(event, None);
        events().happened(event);
        return;
    };
    let launch = queue.tasks.launch_of(*newest);
    let step = Step::alone(Work::RecordEvent(event));
    let task = add(&mut queue, lane, before, launch, Action::Run(step));
    queue.tasks.end_with(lane, task);
    queue.tasks.record(event, Some(task));
}

/// Makes a stream wait for an event.
pub fn await_event(gpu: &Gpu, stream: Stream, event: u64) {
    if !is_immediate() {
        let mut queue = lock();
        let tasks = queue.tasks.at(Place::Event(event));
        follow(&mut queue, gpu.lane(stream), &tasks, None);
    }
}

/// The event is gone.
pub fn forget_event(event: u64) {
    if !is_immediate() {
        lock().tasks.record(event, None);
    }
}
