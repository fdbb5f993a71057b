//! Eager operators that nothing makes wait for a replay on another stream, of which they write an input or read a result.

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
    /// A replay was enqueued, the first of its graph or another one.
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
                let Some(replay) = self.replays.last.get(&user.graph).copied() else {
                    continue;
                };
                let ticket = self.activity.replays[replay].ticket;
                // A graph that waits for events of outside may wait for the operator.
                if self.replays.order.is_before(ticket, stream)
                    || self.activity.graphs[user.graph].waits_outside
                    || self.writers.found.contains(&(user.graph, *block))
                {
                    continue;
                }
                let (race, others) = if *writes {
                    (Race::InputOverwritten, &user.readers)
                } else {
                    (Race::ResultNotWritten, &user.writers)
                };
                let pairs = others.iter().map(|other| match race {
                    Race::ResultNotWritten => (*other, index),
                    _ => (index, *other),
                });
                let mut pairs =
                    pairs.filter(|(writer, reader)| self.meet(*block, *writer, *reader));
                if let Some((writer, reader)) = pairs.next() {
                    found.push((
                        (user.graph, *block),
                        Unordered {
                            replay,
                            writer,
                            reader,
                            race,
                        },
                    ));
                }
            }
        }
        for (pair, unordered) in found {
            if self.writers.found.insert(pair) {
                self.activity.unordered.push(unordered);
            }
        }
    }
}
