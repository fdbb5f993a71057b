//! Gradients in memory of a graph, which each replay writes anew: whether the program means them to be added.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use cgsan_finding::Location;
use cgsan_trace::{Argument, StaticGradient, TensorRecord};
use rustc_hash::FxHashMap;

use super::Pass;
use crate::activity::Activity;
use crate::activity::graph::Access;
use crate::activity::harm::{Harm, Reader};
use crate::activity::memory::BlockId;
use crate::activity::operation;
use crate::history::stack;

/// What is known of gradients.
#[derive(Debug, Default)]
pub(super) struct Gradients {
    /// Blocks of graphs that are the `.grad` of a tensor.
    of_graphs: BTreeMap<BlockId, Gradient>,
    /// The memory of the tensors that they belong to, with the blocks of the gradients.
    tensors: FxHashMap<BlockId, Vec<BlockId>>,
    /// Which graphs with gradients read a block.
    readers: FxHashMap<BlockId, Vec<usize>>,
    /// When each graph with gradients was last given other data.
    renewed: FxHashMap<usize, Moment>,
    /// What each graph does with blocks of which something is known, until more is known.
    accesses: FxHashMap<usize, Rc<[(BlockId, bool)]>>,
    /// Counts what ran.
    now: Moment,
    /// Where eager operators last read a block.
    last_read: FxHashMap<BlockId, usize>,
    /// Where autograd added to a gradient that the program had read since it was last added to.
    running_sums: Vec<usize>,
}

/// How many operators and replays had run.
type Moment = u64;

/// The `.grad` of a tensor that lies in memory of a graph.
#[derive(Debug)]
struct Gradient {
    graph: usize,
    /// What was done since the last replay, and since the last update of the tensor.
    since_replay: SinceReplay,
    since_update: Outcomes,
    /// Over all updates, and what came after the last one.
    updates: Outcomes,
    /// The first replay that wrote over a gradient of other data.
    first_loss: Option<usize>,
}

/// What was done with a gradient since the replay that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SinceReplay {
    is_any: bool,
    is_read: bool,
    /// When that was, or when the gradient became known: data that the graph was given before does not count.
    began: Moment,
}

/// How replays met the gradient of the replay before.
#[derive(Clone, Copy, Debug, Default)]
struct Outcomes {
    /// It was the gradient of other data, and nobody had read it.
    unread: usize,
    /// It was the gradient of other data, which the program had looked at and not used for an update.
    looked_at: usize,
    /// It had been used for an update, or was set to zero: as it should.
    used: usize,
}

/// What is done with a block at once.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    reads: bool,
    writes: bool,
}

impl Gradients {
    pub(super) fn read(&mut self, block: BlockId, position: usize) {
        self.last_read.insert(block, position);
    }

    fn is_gradient(&self, block: BlockId) -> bool {
        self.of_graphs.contains_key(&block)
    }

    /// An eager operator has run.
    pub(super) fn touched(&mut self, touched: &[(BlockId, bool)]) {
        self.now += 1;
        self.used(touched, None);
    }

    /// A graph is replayed.
    pub(super) fn replayed(&mut self, graph: usize, replay: usize, accesses: &[Access]) {
        if self.of_graphs.is_empty() {
            return;
        }
        self.now += 1;
        let own = self.of_graphs.values_mut().filter(|it| it.graph == graph);
        for gradient in own {
            let renewed = self.renewed.get(&graph).copied();
            gradient.replayed(replay, renewed.unwrap_or_default(), self.now);
        }
        let known = self.accesses.get(&graph).cloned();
        let known = known.unwrap_or_else(|| {
            let known = accesses.iter().filter(|it| self.knows(it.block));
            known.map(|it| (it.block, it.does.writes())).collect()
        });
        self.accesses.insert(graph, known.clone());
        self.used(&known, Some(graph));
    }

    /// Whether something is known of a block.
    fn knows(&self, block: BlockId) -> bool {
        self.of_graphs.contains_key(&block)
            || self.tensors.contains_key(&block)
            || self.readers.contains_key(&block)
    }

    /// Blocks are read and written, by a graph or eagerly. A graph says nothing of its own gradients.
    fn used(&mut self, touched: &[(BlockId, bool)], by: Option<usize>) {
        let mut done: FxHashMap<BlockId, Use> = FxHashMap::default();
        for (block, writes) in touched.iter().filter(|(block, _)| self.knows(*block)) {
            let used = done.entry(*block).or_default();
            used.writes |= writes;
            used.reads |= !writes;
        }
        for (block, used) in &done {
            let gradient = self.of_graphs.get_mut(block);
            if let Some(gradient) = gradient.filter(|it| Some(it.graph) != by) {
                gradient.since_replay.is_read |= used.reads;
                if used.writes && !used.reads {
                    gradient.replaced();
                }
            }
        }
        for block in done.iter().filter(|it| it.1.writes).map(|it| it.0) {
            match self.tensors.get(block) {
                Some(gradients) => {
                    for gradient in gradients {
                        let gradient = self.of_graphs.get_mut(gradient);
                        if let Some(gradient) = gradient.filter(|it| Some(it.graph) != by) {
                            gradient.updated();
                        }
                    }
                }
                // What is trained is no data.
                None => {
                    for graph in self.readers.get(block).into_iter().flatten() {
                        if Some(*graph) != by {
                            self.renewed.insert(*graph, self.now);
                        }
                    }
                }
            }
        }
    }

    /// A block is the gradient of a tensor, and lies in memory of a graph that has these inputs.
    fn add(&mut self, block: BlockId, tensor: BlockId, graph: usize, inputs: &[Access]) {
        self.tensors.entry(tensor).or_default();
        if self.is_gradient(block) {
            return;
        }
        if let Entry::Vacant(unknown) = self.renewed.entry(graph) {
            unknown.insert(self.now);
            for input in inputs {
                self.readers.entry(input.block).or_default().push(graph);
            }
        }
        self.tensors.entry(tensor).or_default().push(block);
        self.of_graphs.insert(block, Gradient::new(graph, self.now));
        self.accesses.clear();
    }
}

impl Gradient {
    fn new(graph: usize, now: Moment) -> Gradient {
        Gradient {
            graph,
            since_replay: SinceReplay {
                is_any: false,
                is_read: false,
                began: now,
            },
            since_update: Outcomes::default(),
            updates: Outcomes::default(),
            first_loss: None,
        }
    }

    /// Its graph is replayed, which was last given other data at a moment.
    fn replayed(&mut self, replay: usize, renewed: Moment, now: Moment) {
        let since = self.since_replay;
        if since.is_any && renewed > since.began {
            if since.is_read {
                self.since_update.looked_at += 1;
            } else {
                self.since_update.unread += 1;
            }
            self.first_loss.get_or_insert(replay);
        }
        self.since_replay = SinceReplay {
            is_any: true,
            is_read: false,
            began: now,
        };
    }

    /// The program has put something else there, such as zeros.
    fn replaced(&mut self) {
        if self.since_replay.is_any {
            self.updates.used += 1;
        }
        self.since_replay.is_any = false;
        self.since_update = Outcomes::default();
    }

    /// The tensor has been changed.
    fn updated(&mut self) {
        if !(self.since_replay.is_any && self.since_replay.is_read) {
            return;
        }
        if self.since_update.unread == 0 {
            self.updates.used += 1;
        }
        self.updates.unread += self.since_update.unread;
        self.since_update = Outcomes::default();
        self.since_replay.is_any = false;
    }
}

impl Pass<'_, '_> {
    /// The agent tells of gradients that are memory of a graph.
    pub(super) fn name_gradients(&mut self, gradients: &[StaticGradient], tensors: &[u64]) {
        let Activity { graphs, memory, .. } = &mut self.activity;
        // Whether the last access to each block of a graph writes it.
        let mut last: FxHashMap<usize, FxHashMap<BlockId, bool>> = FxHashMap::default();
        for (gradient, tensor) in gradients.iter().zip(tensors) {
            let (Some(block), Some(tensor)) = (memory.at(gradient.address), memory.at(*tensor))
            else {
                continue;
            };
            let Some(graph) = memory[block].capture else {
                continue;
            };
            let last = last.entry(graph).or_insert_with(|| {
                let accesses = graphs[graph].accesses.iter();
                accesses.map(|it| (it.block, it.does.writes())).collect()
            });
            // What the graph itself uses it for is done at each replay.
            if last.get(&block).copied().unwrap_or_default() {
                let inputs = graphs[graph].inputs(graph, memory);
                self.gradients.add(block, tensor, graph, &inputs);
            }
        }
    }

    /// Autograd, or the program, adds a gradient to itself: the buffer that a graph writes is the tensor's gradient.
    pub(super) fn aliased_gradient(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        let is_of_autograd = self
            .history
            .is_of_autograd(operation.thread, operation.position);
        let is_doubled = sums(operation.name, operation.arguments)
            .iter()
            .any(|(sum, new)| (sum.address, sum.offset) == (new.address, new.offset));
        if !is_doubled {
            return;
        }
        for (block, _) in touched {
            let Some(graph) = self.activity.memory[*block].capture else {
                continue;
            };
            let Some(replay) = self.replays.last.get(&graph).copied() else {
                continue;
            };
            if !(is_of_autograd || self.gradients.is_gradient(*block)) || self.was_misled(graph) {
                continue;
            }
            let harm = Harm::GradientAliased {
                operation: index,
                block: *block,
            };
            self.found(graph, Some(replay), harm);
            return;
        }
    }

    /// Whether a graph has computed with what another one had overwritten: that it did so twice is the same harm.
    fn was_misled(&self, graph: usize) -> bool {
        self.activity.found.iter().any(|found| {
            matches!(found.harm, Harm::Overwritten { reader: Reader::Graph(reader), .. } if reader == graph)
        })
    }

    /// Autograd adds to a gradient, eagerly.
    pub(super) fn running_sum(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        let position = operation.position;
        if sums(operation.name, operation.arguments).is_empty()
            || !self.history.is_of_autograd(operation.thread, position)
        {
            return;
        }
        let Some((sum, _)) = touched.iter().find(|(_, writes)| *writes) else {
            return;
        };
        let read = self.gradients.last_read.get(sum).copied();
        if read > self.activity.written.last(*sum) {
            self.gradients.running_sums.push(position);
        }
    }

    /// Everything has been seen: which gradients the replays replace where the program means to add them.
    pub(super) fn replaced_gradients(&mut self) {
        let gradients = std::mem::take(&mut self.gradients);
        for (block, gradient) in &gradients.of_graphs {
            let Gradient {
                graph,
                updates,
                since_update,
                ..
            } = *gradient;
            let is_unread = updates.unread > 0 && updates.used == 0;
            let is_looked_at = updates.used + updates.unread + since_update.unread == 0
                && since_update.looked_at > 0
                && self.sums_eagerly(&gradients.running_sums, graph, *block);
            if is_unread || is_looked_at {
                let harm = Harm::GradientReplaced { block: *block };
                self.found(graph, gradient.first_loss, harm);
            }
        }
    }

    /// Whether the line whose backward pass was captured also ran eagerly, and kept adding to gradients that the program read.
    fn sums_eagerly(&self, running_sums: &[usize], graph: usize, block: BlockId) -> bool {
        let captured = self.waiting_line(graph, self.activity.memory[block].allocated.position);
        captured.is_some()
            && running_sums
                .iter()
                .any(|position| self.waiting_line(graph, *position) == captured)
    }

    /// The line at which the thread that captured a graph waited for autograd.
    fn waiting_line(&self, graph: usize, position: usize) -> Option<Location> {
        let thread = self.history.captures[graph].thread();
        stack::user_location(&self.history.last_stack(thread, position)?)
    }
}

/// What an operator adds to what: pairs of the first summand and the second.
fn sums<'t>(name: &str, arguments: &'t [Argument]) -> Vec<(&'t TensorRecord, &'t TensorRecord)> {
    let (Some(first), Some(second)) = (arguments.first(), arguments.get(1)) else {
        return Vec::new();
    };
    if !matches!(name, "add" | "add_" | "_foreach_add" | "_foreach_add_") {
        return Vec::new();
    }
    let tensors = |argument| operation::tensors(std::slice::from_ref(argument));
    tensors(first).zip(tensors(second)).collect()
}
