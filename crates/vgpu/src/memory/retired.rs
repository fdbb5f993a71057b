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
        self.at(address).next().is_some()
    }

    /// Where memory begins and ends in which an address lies, and that was given back after a task was made.
    pub fn kept_for(&self, address: u64, task: TaskId) -> Option<[u64; 2]> {
        let mut there = self.at(address);
        let (_, mapping) = there.find(|(newest, _)| task <= *newest)?;
        Some([mapping.start(), mapping.start() + mapping.bytes()])
    }

    fn at(&self, address: u64) -> impl Iterator<Item = &(TaskId, Mapping)> {
        let is_there = move |it: &Mapping| (it.start()..it.start() + it.bytes()).contains(&address);
        self.0.iter().filter(move |(_, it)| is_there(it))
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
        assert!(retired.kept_for(kept, TaskId(3)).is_some());
        assert!(retired.kept_for(kept, TaskId(4)).is_none());
        retired.release_before(Some(TaskId(3)));
        assert!(retired.has(kept));
        retired.release_before(Some(TaskId(4)));
        assert!(!retired.has(kept));
    }
}
