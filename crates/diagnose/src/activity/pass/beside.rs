//! Eager operators that nothing makes wait for a replay on another stream, of which they write an input or read a result.

use cgsan_model::Stream;
use rustc_hash::FxHashMap;

use super::Pass;
use crate::activity::graph::Access;
use crate::activity::memory::BlockId;
use crate::activity::{Race, Unordered};

/// Which replayed graphs use a block.
#[derive(Debug, Default)]
pub(super) struct Users {
    of: FxHashMap<BlockId, Vec<User>>,
}

/// What a graph does with a block.
#[derive(Debug)]
struct User {
    graph: usize,
    /// The operators of it that surely read the block.
    readers: Vec<usize>,
    /// Those that surely write it.
    writers: Vec<usize>,
}

impl Users {
    /// A graph is replayed for the first time.
    fn add(&mut self, graph: usize, accesses: &[Access]) {
        for access in accesses {
            let users = self.of.entry(access.block).or_default();
            if users.last().is_none_or(|last| last.graph != graph) {
                users.push(User {
                    graph,
                    readers: Vec::new(),
                    writers: Vec::new(),
                });
            }
            let Some(user) = users.last_mut() else {
                continue;
            };
            if access.does.reads() {
                user.readers.push(access.operation);
            } else if access.does.writes() {
                user.writers.push(access.operation);
            }
        }
    }
}

impl Pass<'_, '_> {
    /// A replay was enqueued: what its graph uses is kept from the first on.
    pub(super) fn uses_beside(&mut self, graph: usize) {
        if self.sees_all_calls && self.activity.graphs[graph].replays == 1 {
            self.users.add(graph, &self.activity.graphs[graph].accesses);
        }
    }

    /// An eager operator has enqueued work on these blocks; of each, whether it writes it.
    pub(super) fn runs_beside(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let Some(stream) = self.activity.operations[index].stream else {
            return;
        };
        if !self.sees_order {
            return;
        }
        let mut found = Vec::new();
        for (block, writes) in touched {
            for user in self.users.of.get(block).into_iter().flatten() {
                if let Some(unordered) = self.overtakes(index, stream, user, *block, *writes) {
                    found.push(((user.graph, *block), unordered));
                }
            }
        }
        for (pair, unordered) in found {
            if self.writers.found.insert(pair) {
                self.activity.unordered.push(unordered);
            }
        }
    }

    /// What an eager operator on a stream does to a block while a replay that it does not wait for uses it.
    fn overtakes(
        &self,
        index: usize,
        stream: Stream,
        user: &User,
        block: BlockId,
        is_write: bool,
    ) -> Option<Unordered> {
        let replay = self.replays.last.get(&user.graph).copied()?;
        let ticket = self.activity.replays[replay].ticket;
        // A graph that waits for events of outside may wait for the operator.
        if self.replays.order.is_before(ticket, stream)
            || self.activity.graphs[user.graph].waits_outside
            || self.writers.found.contains(&(user.graph, block))
        {
            return None;
        }
        let (race, writer, reader) = if is_write {
            let mut captured = user.readers.iter().copied();
            let reader = captured.find(|it| self.meet(block, index, *it))?;
            (Race::InputOverwritten, index, reader)
        } else {
            let mut captured = user.writers.iter().copied();
            let writer = captured.find(|it| self.meet(block, *it, index))?;
            (Race::ResultNotWritten, writer, index)
        };
        Some(Unordered {
            replay,
            writer,
            reader,
            race,
        })
    }
}
