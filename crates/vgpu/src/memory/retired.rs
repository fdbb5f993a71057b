//! Memory that was given back while tasks could use it.

use std::collections::VecDeque;

use super::backing::Mapping;
use crate::gpu::schedule::progress::TaskId;

/// Memory that was given back, and the newest task that may use each piece.
pub struct Retired(VecDeque<(TaskId, Mapping)>);

impl Retired {
    /// No memory.
    pub const NONE: Retired = Retired(VecDeque::new());

    /// Keeps memory until its newest task is done; without one, it goes back to the host now.
    pub fn keep(&mut self, mapping: Mapping, newest: Option<TaskId>) {
        self.0.extend(newest.map(|newest| (newest, mapping)));
    }

    /// Gives back to the host what no task can use, of which this is the oldest that is not done.
    pub fn release_before(&mut self, oldest: Option<TaskId>) {
        let is_done = |newest: TaskId| oldest.is_none_or(|oldest| newest < oldest);
        while self.0.pop_front_if(|(it, _)| is_done(*it)).is_some() {}
    }

    /// Whether an address lies in it.
    pub fn has(&self, address: u64) -> bool {
        self.newest_at(address).next().is_some()
    }

    /// Whether an address lies in it, and a task was made before that was given back.
    pub fn is_kept_for(&self, address: u64, task: TaskId) -> bool {
        self.newest_at(address).any(|newest| task <= newest)
    }

    /// The newest tasks that may use it at an address.
    fn newest_at(&self, address: u64) -> impl Iterator<Item = TaskId> {
        let is_there = move |it: &Mapping| (it.start()..it.start() + it.bytes()).contains(&address);
        let there = self.0.iter().filter(move |(_, it)| is_there(it));
        there.map(|(newest, _)| *newest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::backing::PAGE;
    use super::*;

    #[test]
    fn memory_is_kept_for_the_tasks_that_were_made_before_it_was_given_back() {
        let mut retired = Retired::NONE;
        let mut give_back = |newest: Option<u64>| {
            let mapping = Mapping::new(PAGE).expect("there are addresses");
            let start = mapping.start();
            retired.keep(mapping, newest.map(TaskId));
            start
        };
        let (kept, gone) = (give_back(Some(3)), give_back(None));
        assert!(!retired.has(gone) && retired.has(kept));
        assert!(retired.is_kept_for(kept, TaskId(3)));
        assert!(!retired.is_kept_for(kept, TaskId(4)));
        retired.release_before(Some(TaskId(3)));
        assert!(retired.has(kept));
        retired.release_before(Some(TaskId(4)));
        assert!(!retired.has(kept));
    }
}
