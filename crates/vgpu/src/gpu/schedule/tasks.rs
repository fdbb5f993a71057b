//! The tasks that are not done, and what each waits for.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_model::Device;
use rustc_hash::FxHashMap;

use super::lane::Lane;
use super::progress::TaskId;

/// One launch of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchId(u64);

/// What a caller waits for or asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// What a stream was given so far.
    Stream(Lane),
    /// What all streams of a device were given so far.
    Device(Device),
    /// The last record of an event.
    Event(u64),
    /// All that is not done.
    Everything,
}

impl Place {
    /// The function of CUDA that waits for it, for who looks at a process that does not go on.
    pub fn waited_for_by(self) -> &'static str {
        match self {
            Place::Stream(_) => "cudaStreamSynchronize",
            Place::Event(_) => "cudaEventSynchronize",
            Place::Device(_) | Place::Everything => "cudaDeviceSynchronize",
        }
    }
}

/// The tasks that are not done, each with an action of type `A`.
#[derive(Debug)]
pub struct Tasks<A> {
    made: u64,
    launches: u64,
    waiting: BTreeMap<TaskId, Task<A>>,
    /// Those that wait for no other and that nobody is doing.
    ready: BTreeSet<TaskId>,
    /// Those of the ready ones that are to be done now.
    wanted: BTreeSet<TaskId>,
    /// The newest task of each stream that had one.
    newest: FxHashMap<Lane, TaskId>,
    /// The task behind which an event happens.
    events: FxHashMap<u64, TaskId>,
    /// The task that ends the last launch of a program, by the program's address.
    ends: FxHashMap<usize, TaskId>,
}

#[derive(Debug)]
struct Task<A> {
    lane: Lane,
    launch: Option<LaunchId>,
    /// Those that were not done when it was added, ascending.
    after: Vec<TaskId>,
    /// How many of them are not done.
    missing: usize,
    /// Those that wait for it.
    dependents: Vec<TaskId>,
    is_wanted: bool,
    /// `None` while it is being done.
    action: Option<A>,
}

impl<A> Default for Tasks<A> {
    fn default() -> Tasks<A> {
        Tasks {
            made: 0,
            launches: 0,
            waiting: BTreeMap::new(),
            ready: BTreeSet::new(),
            wanted: BTreeSet::new(),
            newest: FxHashMap::default(),
            events: FxHashMap::default(),
            ends: FxHashMap::default(),
        }
    }
}

impl<A> Tasks<A> {
    /// How many tasks are not done.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// How many tasks were ever added.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// The newest task, done or not.
    pub fn last(&self) -> TaskId {
        TaskId(self.made)
    }

    /// The oldest task that is not done.
    pub fn oldest(&self) -> Option<TaskId> {
        self.waiting.keys().next().copied()
    }

    /// The tasks that are not done, the oldest first.
    pub fn all(&self) -> impl Iterator<Item = TaskId> {
        self.waiting.keys().copied()
    }

    /// What work waits for that is enqueued on a stream now.
    pub fn before(&self, lane: Lane) -> Vec<TaskId> {
        let newest = self.newest.iter();
        let mut tasks: Vec<TaskId> = newest
            .filter(|(other, task)| lane.follows(**other) && self.waiting.contains_key(task))
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

    /// Whether a task is not done.
    pub fn is_waiting(&self, task: TaskId) -> bool {
        self.waiting.contains_key(&task)
    }

    /// The tasks that have to be done before a place is idle.
    pub fn at(&self, place: Place) -> Vec<TaskId> {
        match place {
            Place::Stream(lane) => self.before(lane),
            Place::Event(event) => {
                let task = self.events.get(&event).copied();
                task.filter(|task| self.is_waiting(*task))
                    .into_iter()
                    .collect()
            }
            Place::Device(device) => {
                let tasks = self.waiting.iter();
                tasks
                    .filter(|(_, task)| task.lane.device() == device)
                    .map(|(id, _)| *id)
                    .collect()
            }
            Place::Everything => self.all().collect(),
        }
    }

    /// What a task waits for, ascending; some of it may be done.
    pub fn after(&self, task: TaskId) -> &[TaskId] {
        self.waiting.get(&task).map_or(&[], |task| &task.after)
    }

    /// Those that wait for a task.
    pub fn dependents(&self, task: TaskId) -> &[TaskId] {
        self.waiting.get(&task).map_or(&[], |task| &task.dependents)
    }

    /// The launch that a task is a step of.
    pub fn launch_of(&self, task: TaskId) -> Option<LaunchId> {
        self.waiting.get(&task)?.launch
    }

    /// A new launch of a graph.
    pub fn begin_launch(&mut self) -> LaunchId {
        self.launches += 1;
        LaunchId(self.launches)
    }

    /// The end of a program's last launch, if that is not done: launches of one executable graph run one after the other.
    pub fn end_of(&self, program: usize) -> Option<TaskId> {
        let end = self.ends.get(&program).copied();
        end.filter(|task| self.is_waiting(*task))
    }

    /// A launch of a program ends with this task.
    pub fn ends(&mut self, program: usize, task: TaskId) {
        self.ends.insert(program, task);
    }

    /// Adds a task that is part of a stream's work, and of a launch if it is a step of one.
    pub fn add(
        &mut self,
        lane: Lane,
        mut after: Vec<TaskId>,
        launch: Option<LaunchId>,
        action: A,
    ) -> TaskId {
        self.made += 1;
        let id = TaskId(self.made);
        after.retain(|task| self.waiting.contains_key(task));
        after.sort_unstable();
        after.dedup();
        for task in &after {
            if let Some(task) = self.waiting.get_mut(task) {
                task.dependents.push(id);
            }
        }
        if after.is_empty() {
            self.ready.insert(id);
        }
        let task = Task {
            lane,
            launch,
            missing: after.len(),
            after,
            dependents: Vec::new(),
            is_wanted: false,
            action: Some(action),
        };
        self.waiting.insert(id, task);
        id
    }

    /// What is enqueued on a stream from now on waits for this task.
    pub fn end_with(&mut self, lane: Lane, task: TaskId) {
        if self.is_waiting(task) {
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

    /// Some tasks, and all that they wait for, are to be done now.
    pub fn want(&mut self, tasks: &[TaskId]) {
        let mut open = tasks.to_vec();
        while let Some(id) = open.pop() {
            let Some(task) = self.waiting.get_mut(&id) else {
                continue;
            };
            if !task.is_wanted {
                task.is_wanted = true;
                open.extend_from_slice(&task.after);
                if self.ready.contains(&id) {
                    self.wanted.insert(id);
                }
            }
        }
    }

    /// Whether some task is ready and to be done now.
    pub fn has_wanted(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The tasks that are ready, the oldest first.
    pub fn ready(&self) -> impl ExactSizeIterator<Item = TaskId> {
        self.ready.iter().copied()
    }

    /// Whether a task is ready and nobody is doing it, and it is a right one.
    pub fn is_ready(&self, id: TaskId, is_right: impl FnOnce(&A) -> bool) -> bool {
        let action = self.waiting.get(&id).and_then(|task| task.action.as_ref());
        self.ready.contains(&id) && action.is_some_and(is_right)
    }

    /// Takes the actions out of all tasks that are ready and to be done now.
    pub fn take_wanted(&mut self) -> Vec<(TaskId, A)> {
        let wanted = std::mem::take(&mut self.wanted);
        wanted
            .into_iter()
            .filter_map(|id| Some((id, self.take(id, |_| true)?)))
            .collect()
    }

    /// Takes the action out of a task that is ready, if it is a right one.
    pub fn take(&mut self, id: TaskId, is_right: impl FnOnce(&A) -> bool) -> Option<A> {
        if !self.is_ready(id, is_right) {
            return None;
        }
        self.ready.remove(&id);
        self.wanted.remove(&id);
        self.waiting.get_mut(&id)?.action.take()
    }

    /// A task could not be done yet.
    pub fn put_back(&mut self, id: TaskId, action: A) {
        if let Some(task) = self.waiting.get_mut(&id) {
            task.action = Some(action);
            self.ready.insert(id);
            if task.is_wanted {
                self.wanted.insert(id);
            }
        }
    }

    /// A task is done.
    pub fn finish(&mut self, id: TaskId) {
        let Some(done) = self.waiting.remove(&id) else {
            return;
        };
        self.ready.remove(&id);
        self.wanted.remove(&id);
        for dependent in done.dependents {
            let Some(task) = self.waiting.get_mut(&dependent) else {
                continue;
            };
            task.missing -= 1;
            if task.missing == 0 {
                self.ready.insert(dependent);
                if task.is_wanted {
                    self.wanted.insert(dependent);
                }
            }
        }
        if self.waiting.is_empty() {
            self.newest.clear();
            self.events.clear();
            self.ends.clear();
        }
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
        let id = tasks.add(lane, after, None, name);
        tasks.end_with(lane, id);
        id
    }

    fn ready(tasks: &Tasks<&'static str>) -> Vec<&'static str> {
        let name = |id| tasks.waiting[&id].action.unwrap();
        tasks.ready().map(name).collect()
    }

    #[test]
    fn a_stream_is_in_order_and_others_go_on() {
        let mut tasks = Tasks::default();
        let first = add(&mut tasks, created(1, false), "first");
        add(&mut tasks, created(1, false), "second");
        add(&mut tasks, created(2, false), "other");
        assert_eq!(ready(&tasks), ["first", "other"]);
        tasks.finish(first);
        assert_eq!(ready(&tasks), ["second", "other"]);
    }

    #[test]
    fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
        let mut tasks = Tasks::default();
        let blocking = add(&mut tasks, created(1, true), "blocking");
        let free = add(&mut tasks, created(2, false), "free");
        let legacy = add(&mut tasks, Lane::Legacy(DEVICE), "legacy");
        add(&mut tasks, created(3, true), "behind");
        add(&mut tasks, Lane::Legacy(Device(1)), "elsewhere");
        assert_eq!(ready(&tasks), ["blocking", "free", "elsewhere"]);
        tasks.finish(blocking);
        assert_eq!(ready(&tasks), ["free", "legacy", "elsewhere"]);
        tasks.finish(legacy);
        tasks.finish(free);
        assert_eq!(ready(&tasks), ["behind", "elsewhere"]);
    }

    #[test]
    fn a_place_is_idle_when_its_tasks_are_done() {
        let mut tasks = Tasks::default();
        let lane = created(1, false);
        let task = add(&mut tasks, lane, "task");
        tasks.record(7, Some(task));
        let places = [
            Place::Stream(lane),
            Place::Device(DEVICE),
            Place::Event(7),
            Place::Everything,
        ];
        for place in places {
            assert_eq!(tasks.at(place), [task]);
        }
        assert!(tasks.at(Place::Device(Device(1))).is_empty());
        tasks.finish(task);
        for place in places {
            assert!(tasks.at(place).is_empty());
        }
    }

    #[test]
    fn what_is_wanted_comes_with_what_it_waits_for_and_nothing_else() {
        let mut tasks = Tasks::default();
        let lane = created(1, false);
        add(&mut tasks, lane, "first");
        let second = add(&mut tasks, lane, "second");
        add(&mut tasks, lane, "third");
        add(&mut tasks, created(2, false), "other");
        tasks.want(&[second]);
        let mut done = Vec::new();
        while tasks.has_wanted() {
            for (id, name) in tasks.take_wanted() {
                tasks.finish(id);
                done.push(name);
            }
        }
        assert_eq!(done, ["first", "second"]);
        assert_eq!(ready(&tasks), ["third", "other"]);
    }

    #[test]
    fn a_task_in_hand_is_not_taken_twice() {
        let mut tasks = Tasks::default();
        let task = add(&mut tasks, created(1, false), "task");
        assert!(tasks.take(task, |_| false).is_none());
        let action = tasks.take(task, |_| true).unwrap();
        assert!(tasks.take(task, |_| true).is_none());
        tasks.want(&[task]);
        assert!(!tasks.has_wanted());
        tasks.put_back(task, action);
        assert!(tasks.has_wanted());
    }
}
