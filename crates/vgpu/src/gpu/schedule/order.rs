//! In which order a waiting thread does what it waits for.

use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::Numbers;
use super::progress::TaskId;
use super::tasks::Tasks;

/// Some tasks with all that they wait for: of two that nothing orders, the one that was enqueued later comes first, where
/// others allow it. That is the order which differs most from the one of enqueueing.
///
/// Replays that nothing orders take turns, node by node.
pub fn latest_first<A>(tasks: &Tasks<A>, awaited: &[TaskId]) -> Vec<TaskId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut awaited = awaited.to_vec();
    awaited.sort_unstable();
    // Each with how many of the tasks that it waits for are left to look at.
    let mut open: Vec<(TaskId, usize)> = Vec::new();
    while let Some(task) = awaited.pop() {
        if !seen.insert(task) {
            continue;
        }
        open.push((task, tasks.after(task).len()));
        while let Some((task, left)) = open.last_mut() {
            if *left == 0 {
                order.push(*task);
                open.pop();
                continue;
            }
            *left -= 1;
            let before = tasks.after(*task)[*left];
            if tasks.is_waiting(before) && seen.insert(before) {
                open.push((before, tasks.after(before).len()));
            }
        }
    }
    take_turns(tasks, &order)
}

/// Has neighbouring launches take turns, of which none waits for the other.
fn take_turns<A>(tasks: &Tasks<A>, order: &[TaskId]) -> Vec<TaskId> {
    let launch = |task: &TaskId| tasks.launch_of(*task);
    let mut turns = Turns::default();
    for block in order.chunk_by(|one, other| launch(one) == launch(other)) {
        let follows = |task: &TaskId| tasks.after(*task).iter().any(|it| turns.has(*it));
        let is_launch = launch(&block[0]).is_some();
        if !is_launch || block.iter().any(follows) {
            turns.end();
        }
        turns.begin(block);
        if !is_launch {
            turns.end();
        }
    }
    turns.end();
    turns.order
}

/// Blocks of tasks that take turns.
#[derive(Default)]
struct Turns<'a> {
    order: Vec<TaskId>,
    blocks: Vec<&'a [TaskId]>,
    inside: FxHashSet<TaskId>,
}

impl<'a> Turns<'a> {
    fn has(&self, task: TaskId) -> bool {
        self.inside.contains(&task)
    }

    fn begin(&mut self, block: &'a [TaskId]) {
        self.blocks.push(block);
        self.inside.extend(block);
    }

    fn end(&mut self) {
        let longest = self.blocks.iter().map(|block| block.len()).max();
        for turn in 0..longest.unwrap_or(0) {
            let tasks = self.blocks.iter().filter_map(|block| block.get(turn));
            self.order.extend(tasks);
        }
        self.blocks.clear();
        self.inside.clear();
    }
}

/// Some tasks with all that they wait for, in an order that numbers choose.
pub fn shuffled<A>(tasks: &Tasks<A>, awaited: &[TaskId], numbers: &mut Numbers) -> Vec<TaskId> {
    let all = latest_first(tasks, awaited);
    let missing_of = |task: &TaskId| tasks.unfinished(tasks.after(*task)).len();
    let mut missing: FxHashMap<TaskId, usize> =
        all.iter().map(|task| (*task, missing_of(task))).collect();
    let mut ready: Vec<TaskId> = all.into_iter().filter(|it| missing[it] == 0).collect();
    let mut order = Vec::with_capacity(missing.len());
    while !ready.is_empty() {
        let task = ready.swap_remove(numbers.below(ready.len()));
        order.push(task);
        for dependent in tasks.dependents(task) {
            if let Some(missing) = missing.get_mut(dependent) {
                *missing -= 1;
                if *missing == 0 {
                    ready.push(*dependent);
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use cgsan_model::Device;

    use super::super::lane::Lane;
    use super::super::tasks::LaunchId;
    use super::*;

    type Names = Tasks<&'static str>;

    fn lane(handle: u64) -> Lane {
        Lane::Created {
            handle,
            device: Device(0),
            blocking: false,
        }
    }

    fn add(tasks: &mut Names, lane: Lane, launch: Option<LaunchId>) -> TaskId {
        let after = tasks.before(lane);
        let id = tasks.add(lane, after, launch, "");
        tasks.end_with(lane, id);
        id
    }

    /// Two streams of two tasks each, which a third task waits for.
    fn joined(tasks: &mut Names, launches: [Option<LaunchId>; 2]) -> ([TaskId; 4], TaskId) {
        let [one, other] = launches;
        let all = [(1, one), (2, other), (1, one), (2, other)]
            .map(|(stream, launch)| add(tasks, lane(stream), launch));
        let last = tasks.add(lane(3), all.to_vec(), None, "");
        (all, last)
    }

    #[test]
    fn what_nothing_orders_is_done_from_the_latest_on() {
        let mut tasks = Names::default();
        let ([a, b, c, d], last) = joined(&mut tasks, [None, None]);
        assert_eq!(latest_first(&tasks, &[last]), [b, d, a, c, last]);
        assert_eq!(latest_first(&tasks, &[c]), [a, c]);
        tasks.finish(a);
        assert_eq!(latest_first(&tasks, &[c, d]), [b, d, c]);
    }

    #[test]
    fn replays_that_nothing_orders_take_turns() {
        let mut tasks = Names::default();
        let launches = [(); 2].map(|()| Some(tasks.begin_launch()));
        let ([a, b, c, d], last) = joined(&mut tasks, launches);
        assert_eq!(latest_first(&tasks, &[last]), [b, a, d, c, last]);
    }

    #[test]
    fn replays_of_one_stream_do_not() {
        let mut tasks = Names::default();
        let [one, other] = [(); 2].map(|()| Some(tasks.begin_launch()));
        let all = [one, one, other, other].map(|launch| add(&mut tasks, lane(1), launch));
        assert_eq!(latest_first(&tasks, &[all[3]]), all);
    }

    #[test]
    fn every_seed_keeps_the_order_of_streams() {
        let mut tasks = Names::default();
        let ([a, b, c, d], last) = joined(&mut tasks, [None, None]);
        let orders: FxHashSet<Vec<TaskId>> = (0..64)
            .map(|seed| shuffled(&tasks, &[last], &mut Numbers::of(seed)))
            .collect();
        for order in &orders {
            let at = |task| order.iter().position(|it| *it == task).unwrap();
            assert!(at(a) < at(c) && at(b) < at(d) && at(last) == 4);
        }
        assert_eq!(orders.len(), 6);
    }
}
