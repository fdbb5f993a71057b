//! What a replay finds at the addresses that it reads, and leaves at those that it writes.

use cgsan_model::Stream;
use rustc_hash::FxHashMap;

use super::Pass;
use super::contents::{Content, Lost};
use crate::activity::graph::InPools;
use crate::activity::harm::{Harm, Reader, Replay};
use crate::activity::memory::BlockId;
use crate::activity::order::Order;
use crate::activity::{Activity, fills};
use crate::history::Step;

/// What is known of replays.
#[derive(Debug, Default)]
pub(super) struct Replays {
    pub(super) order: Order,
    /// The last replay of each graph.
    pub(super) last: FxHashMap<usize, usize>,
    /// A block that two graphs both use, if there is one, for pairs that were compared.
    overlaps: FxHashMap<(usize, usize), Option<BlockId>>,
}

impl<'t> Pass<'_, 't> {
    pub(super) fn replay(&mut self, step: Step<'t>, graph: usize, stream: Stream) {
        self.read_early();
        let index = self.activity.replays.len();
        self.concurrent(graph, stream, index);
        self.unordered(graph, stream, index);
        let ticket = self.replays.order.enqueued(stream);
        for event in &self.activity.graphs[graph].records_outside {
            self.replays.order.recorded(*event, stream);
        }
        self.activity.replays.push(Replay {
            graph,
            position: step.position,
            ticket,
        });
        self.activity.graphs[graph].replays += 1;
        self.replays.last.insert(graph, index);
        self.uses_beside(graph);
        self.read(graph, index);
        self.reads_what_a_replaced_graph_wrote(graph, index);
        self.write(graph, index);
        self.own_contents(graph, index);
        self.gradients
            .replayed(graph, index, &self.activity.graphs[graph].accesses);
        self.copied(graph, index);
        self.writes_through_old_rows(graph, index);
        self.reduces_old_rows(graph, index);
        self.goes_on_from_warm_up(graph, index);
        self.reads_what_ran_beside(graph, index);
    }

    /// What a replay finds at the addresses that it reads.
    pub(super) fn read(&mut self, graph: usize, replay: usize) {
        let Activity { graphs, memory, .. } = &mut self.activity;
        let from_outside = graphs[graph].inputs(graph, memory);
        for access in from_outside.iter().copied() {
            let block = self.activity.memory[access.block];
            match self.contents.of.get(&access.block).copied() {
                // What lies in cuBLAS's workspace from before is of no use to anybody.
                Some(Content::Foreign { by })
                    if access.does.reads()
                        && !self.activity.workspaces.contains_key(&access.block) =>
                {
                    self.overwritten(access.block, by, Reader::Graph(graph));
                }
                Some(Content::Unmapped { gone, back }) if access.does.reads() => {
                    self.contents_lost(access, replay, gone, back);
                    self.contents.of.insert(access.block, Content::Own);
                }
                _ if access.does.reads() && self.waits_for_a_replay(graph, access.block) => {
                    let harm = Harm::NotReplayed {
                        block: access.block,
                        operation: access.operation,
                    };
                    self.found(graph, Some(replay), harm);
                }
                _ if let Some(freed) = block.freed => {
                    let memory = &self.activity.memory;
                    let owner = memory.overlapping(block.address, block.bytes).next();
                    if let Some(owner) = owner.filter(|it| self.came_back(&block, *it)) {
                        if self.is_unwritten(owner) && access.does.reads() {
                            let back = memory[owner].allocated.stack;
                            self.contents_lost(access, replay, freed.stack, back);
                        }
                        continue;
                    }
                    // The memory of a pool stays with its graphs, and holds what it held until one of them writes it; but the
                    // pool goes with the last of them.
                    let is_outside = |owner| memory[owner].capture.is_none();
                    if block.capture.is_some() && !owner.is_some_and(is_outside) {
                        continue;
                    }
                    let harm = Harm::Freed {
                        block: access.block,
                        operation: access.operation,
                        owner,
                    };
                    self.found(graph, Some(replay), harm);
                }
                _ => {}
            }
        }
    }

    /// Whether only the replays of another graph put something into a block, and there was none yet.
    fn waits_for_a_replay(&self, graph: usize, block: BlockId) -> bool {
        let Some(owner) = self.activity.memory[block]
            .capture
            .filter(|it| *it != graph)
        else {
            return false;
        };
        let owner = &self.activity.graphs[owner];
        let is_written = self.activity.written.last(block).is_some();
        let mut accesses = owner.accesses.iter();
        self.sees_order
            && owner.replays == 0
            && !is_written
            && accesses.any(|it| it.block == block && it.does.writes())
    }

    /// What a replay leaves where others have their data.
    pub(super) fn write(&mut self, graph: usize, replay: usize) {
        let Activity { graphs, memory, .. } = &mut self.activity;
        let effects = graphs[graph].effects(memory, &self.contents.inputs);
        for effect in effects.iter() {
            let content = if effect.is_own {
                Content::Own
            } else {
                Content::Foreign { by: replay }
            };
            self.contents.of.insert(effect.block, content);
        }
    }

    /// What a replay does to tensors that its own capture allocated, and that the program keeps its data in.
    fn own_contents(&mut self, graph: usize, replay: usize) {
        let Activity {
            graphs,
            memory,
            operations,
            ..
        } = &mut self.activity;
        let is_fill = |operation: usize| fills::filled_with(&operations[operation]).is_some();
        let view_of = |operation: usize| fills::written_view(&operations[operation]);
        let own = graphs[graph].own_contents(graph, memory, is_fill, view_of);
        for (block, views) in &own.in_part {
            if self.contents.written_since.contains_key(block) {
                let lost = Lost {
                    by: replay,
                    views: views.clone(),
                };
                self.contents.lost.insert(*block, lost);
            }
        }
        for block in own.carried.iter().copied() {
            let is_written = self.activity.graphs[graph].replays > 1
                || self.contents.written_since.contains_key(&block);
            if is_written && self.activity.memory[block].freed.is_none() {
                let reader = Reader::Graph(graph);
                self.found(
                    graph,
                    Some(replay),
                    Harm::TemporaryOverLive { block, reader },
                );
            }
        }
        for (block, fills) in &own.filled {
            let Some(writer) = self.contents.written_since.remove(block) else {
                continue;
            };
            let operations = &self.activity.operations;
            let is_same = |fill: &usize| fills::fill_alike(&operations[*fill], &operations[writer]);
            if self.activity.memory[*block].freed.is_none() && !fills.iter().any(is_same) {
                let block = *block;
                self.found(graph, Some(replay), Harm::FilledAnew { block, writer });
            }
        }
    }

    /// Whether a replay may run at the same time as one of a graph that uses the same memory.
    pub(super) fn concurrent(&mut self, graph: usize, stream: Stream, replay: usize) {
        if !self.sees_order {
            return;
        }
        let mut others: Vec<(usize, usize)> = self
            .replays
            .last
            .iter()
            .map(|(other, replay)| (*other, *replay))
            .filter(|(other, _)| *other != graph)
            .collect();
        others.sort_unstable();
        for (other, earlier) in others {
            let ticket = self.activity.replays[earlier].ticket;
            if self.replays.order.is_before(ticket, stream) {
                continue;
            }
            let pair = (graph.min(other), graph.max(other));
            self.activity.concurrent.insert(pair);
            if let Some(block) = self.shared_block(graph, other) {
                let harm = Harm::Concurrent {
                    other: earlier,
                    block,
                };
                self.found(graph, Some(replay), harm);
            }
        }
    }

    /// A block of a pool that one graph uses and that lies where the other one writes.
    pub(super) fn shared_block(&mut self, one: usize, other: usize) -> Option<BlockId> {
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.replays.overlaps.get(&key) {
            return *known;
        }
        // Memory from outside of the pools is the program's own: it may order its uses inside the graphs.
        let Activity { graphs, memory, .. } = &mut self.activity;
        let [one, other] = [one, other].map(|graph| graphs[graph].in_pools(memory));
        let clash = |writer: &InPools, user: &InPools| {
            let mut blocks = user.uses.iter().map(|access| access.block);
            blocks.find(|it| {
                let block = memory[*it];
                writer.written.touches(block.address, block.bytes)
            })
        };
        let shared = clash(&one, &other).or_else(|| clash(&other, &one));
        self.replays.overlaps.insert(key, shared);
        shared
    }
}
