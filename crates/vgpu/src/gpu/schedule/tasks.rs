//! The tasks that wait, and what each waits for.

use std::collections::BTreeMap;

use cgsan_model::{Device, ThreadId};
use rustc_hash::FxHashMap;

/// A stream, whoever names it, with what decides its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The legacy stream of a device.
    Legacy(Device),
    /// A thread's own default stream of a device.
    PerThread(Device, ThreadId),
    /// A stream that was created, by its handle.
    Created {
        handle: u64,
        device: Device,
        /// Whether it and the legacy stream wait for each other.
        blocking: bool,
    },
}

impl Lane {
    fn device(self) -> Device {
        let (Lane::Legacy(device) | Lane::PerThread(device, _) | Lane::Created { device, .. }) =
            self;
        device
    }

    /// Whether work on this stream waits for what was enqueued on the other before.
    fn follows(self, other: Lane) -> bool {
        let is_legacy = |lane| matches!(lane, Lane::Legacy(_));
        let is_blocking = |lane| {
            !matches!(
                lane,
                Lane::Created {
                    blocking: false,
                    ..
                }
            )
        };
        self == other
            || self.device() == other.device()
                && (is_legacy(self) && is_blocking(other) || is_legacy(other) && is_blocking(self))
    }
}

/// A task; a later one has a greater number, and no task waits for a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u64);

/// What a caller waits for or asks about.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// What a stream was given so far.
    Stream(Lane),
    /// What all streams of a device were given so far.
    Device(Device),
    /// The last record of an event.
    Event(u64),
}

/// The tasks that are not done, each with an action of type `A`.
#[derive(Debug)]
pub struct Tasks<A> {
    made: u64,
    waiting: BTreeMap<TaskId, Task<A>>,
    /// The newest task of each stream that has one.
    newest: FxHashMap<Lane, TaskId>,
    /// The task behind which an event happens.
    events: FxHashMap<u64, TaskId>,
}

#[derive(Debug)]
struct Task<A> {
    lane: Lane,
    after: Vec<TaskId>,
    /// `None` while it is being done.
    action: Option<A>,
}

impl<A> Default for Tasks<A> {
    fn default() -> Tasks<A> {
        Tasks {
            made: 0,
            waiting: BTreeMap::new(),
            newest: FxHashMap::default(),
            events: FxHashMap::default(),
        }
    }
}

impl<A> Tasks<A> {
    /// How many tasks are not done.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// What work waits for that is enqueued on a stream now.
    pub fn before(&self, lane: Lane) -> Vec<TaskId> {
        let newest = self.newest.iter();
        let mut tasks: Vec<TaskId> = newest
            .filter(|(other, _)| lane.follows(**other))
            .map(|(_, task)| *task)
            .collect();
        tasks.sort_unstable();
        tasks
    }

    /// Those of some tasks that are not done.
    pub fn unfinished(&self, tasks: &[TaskId]) -> Vec<TaskId> {
        let is_waiting = |task: &TaskId| self.waiting.contains_key(task);
        tasks.iter().copied().filter(is_waiting).collect()
    }

    /// The tasks that have to be done before a place is idle.
    pub fn at(&self, place: Place) -> Vec<TaskId> {
        match place {
            Place::Stream(lane) => self.before(lane),
            Place::Event(event) => self.events.get(&event).copied().into_iter().collect(),
            Place::Device(device) => {
                let tasks = self.waiting.iter();
                tasks
                    .filter(|(_, task)| task.lane.device() == device)
                    .map(|(id, _)| *id)
                    .collect()
            }
        }
    }

    /// Adds a task that is part of a stream's work.
    pub fn add(&mut self, lane: Lane, after: Vec<TaskId>, action: A) -> TaskId {
        self.made += 1;
        let id = TaskId(self.made);
        let task = Task {
            lane,
            after,
            action: Some(action),
        };
        self.waiting.insert(id, task);
        id
    }

    /// What is enqueued on a stream from now on waits for this task.
    pub fn end_with(&mut self, lane: Lane, task: TaskId) {
        if self.waiting.contains_key(&task) {
            self.newest.insert(lane, task);
        }
    }

    /// An event happens with this task, or has happened.
    pub fn record(&mut self, event: u64, task: Option<TaskId>) {
        match task {
            Some(task) => self.events.insert(event, task),
            None => self.events.remove(&event),
        };
    }

    /// Takes the actions out of all tasks that wait for nothing.
    pub fn take_ready(&mut self) -> Vec<(TaskId, A)> {
        let is_ready = |task: &Task<A>| {
            task.action.is_some() && !task.after.iter().any(|it| self.waiting.contains_key(it))
        };
        let tasks = self.waiting.iter();
        let ready: Vec<TaskId> = tasks
            .filter(|(_, task)| is_ready(task))
            .map(|(id, _)| *id)
            .collect();
        let take = |id| Some((id, self.waiting.get_mut(&id)?.action.take()?));
        ready.into_iter().filter_map(take).collect()
    }

    /// A task could not be done yet.
    pub fn put_back(&mut self, id: TaskId, action: A) {
        if let Some(task) = self.waiting.get_mut(&id) {
            task.action = Some(action);
        }
    }

    /// A task is done.
    pub fn finish(&mut self, id: TaskId) {
        self.waiting.remove(&id);
        self.newest.retain(|_, newest| *newest != id);
        self.events.retain(|_, task| *task != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: Device = Device(0);

    fn created(handle: u64, blocking: bool) -> Lane {
        Lane::Created {
            handle,
            device: DEVICE,
            blocking,
        }
    }

    fn add(tasks: &mut Tasks<&'static str>, lane: Lane, name: &'static str) -> TaskId {
        let after = tasks.before(lane);
        let id = tasks.add(lane, after, name);
        tasks.end_with(lane, id);
        id
    }

    fn ready(tasks: &mut Tasks<&'static str>) -> Vec<&'static str> {
        let ready = tasks.take_ready();
        for (id, action) in &ready {
            tasks.put_back(*id, action);
        }
        ready.into_iter().map(|(_, action)| action).collect()
    }

    #[test]
    fn a_stream_is_in_order_and_others_go_on() {
        let mut tasks = Tasks::default();
        let first = add(&mut tasks, created(1, false), "first");
        add(&mut tasks, created(1, false), "second");
        add(&mut tasks, created(2, false), "other");
        assert_eq!(ready(&mut tasks), ["first", "other"]);
        tasks.finish(first);
        assert_eq!(ready(&mut tasks), ["second", "other"]);
    }

    #[test]
    fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
        let mut tasks = Tasks::default();
        let blocking = add(&mut tasks, created(1, true), "blocking");
        let free = add(&mut tasks, created(2, false), "free");
        let legacy = add(&mut tasks, Lane::Legacy(DEVICE), "legacy");
        add(&mut tasks, created(3, true), "behind");
        add(&mut tasks, Lane::Legacy(Device(1)), "elsewhere");
        assert_eq!(ready(&mut tasks), ["blocking", "free", "elsewhere"]);
        tasks.finish(blocking);
        assert_eq!(ready(&mut tasks), ["free", "legacy", "elsewhere"]);
        tasks.finish(legacy);
        tasks.finish(free);
        assert_eq!(ready(&mut tasks), ["behind", "elsewhere"]);
    }

    #[test]
    fn a_place_is_idle_when_its_tasks_are_done() {
        let mut tasks = Tasks::default();
        let lane = created(1, false);
        let task = add(&mut tasks, lane, "task");
        tasks.record(7, Some(task));
        let places = [Place::Stream(lane), Place::Device(DEVICE), Place::Event(7)];
        for place in places {
            assert_eq!(tasks.at(place), [task]);
        }
        assert!(tasks.at(Place::Device(Device(1))).is_empty());
        tasks.finish(task);
        for place in places {
            assert!(tasks.at(place).is_empty());
        }
    }
}
