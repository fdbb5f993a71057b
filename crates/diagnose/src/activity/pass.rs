//! The pass over a trace.
//!
//! For each block that lives, and for each that a graph reads, it keeps what lies there: what an operator or a replay of the
//! block's own wrote, or what another graph has put over it.

use std::mem::{Discriminant, discriminant};

use cgsan_model::{Call, CaptureId, CopyKind, ExecId, GraphId, NodeKind, Stream, ThreadId};
use cgsan_trace::{BlockRecord, Entry, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Access, Graph, Source};
use super::harm::{Found, Harm, Reader, Replay};
use super::memory::{Block, BlockId, Event};
use super::operation::Operation;
use super::order::Order;
use super::{Activity, operation};
use crate::history::{History, Step};

/// What lies in a block, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// What the block's own writers wrote.
    Own,
    /// What a replay wrote that has nothing to do with the block.
    Foreign {
        /// The replay.
        by: usize,
    },
}

/// What makes two harms the same: the graph, the kind, the block and the copy. Which operator read, or whose the memory is
/// now, does not.
type Key = (usize, Discriminant<Harm>, Option<BlockId>, usize);

/// A capture begins or ends.
#[derive(Clone, Copy)]
enum Boundary {
    Begins(usize),
    Ends(usize),
}

/// Goes through a history's trace.
pub(super) fn run<'t>(history: &History<'t>) -> Activity<'t> {
    let graphs = history.captures.iter().map(|_| Graph::default()).collect();
    let mut pass = Pass {
        history,
        activity: Activity {
            graphs,
            ..Activity::default()
        },
        open: FxHashMap::default(),
        by_graph: FxHashMap::default(),
        by_exec: FxHashMap::default(),
        by_capture: history
            .captures
            .iter()
            .enumerate()
            .filter_map(|(index, run)| Some((run.id?, index)))
            .collect(),
        contents: FxHashMap::default(),
        inputs: Vec::new(),
        order: Order::default(),
        last_replay: FxHashMap::default(),
        overlaps: FxHashMap::default(),
        known: FxHashMap::default(),
        running: Vec::new(),
        boundaries: boundaries(history),
        left_out: Vec::new(),
        freed_sources: Vec::new(),
        workspaces: FxHashMap::default(),
        used: FxHashSet::default(),
        sees_all_calls: history.trace.process().virtual_gpu,
        sees_order: history.trace.process().virtual_gpu,
    };
    for (position, entry) in history.trace.entries().iter().enumerate() {
        pass.entry(position, entry);
    }
    pass.activity
}

struct Pass<'h, 't> {
    history: &'h History<'t>,
    activity: Activity<'t>,
    /// The operators that each thread is inside of.
    open: FxHashMap<ThreadId, Vec<usize>>,
    by_graph: FxHashMap<GraphId, usize>,
    by_exec: FxHashMap<ExecId, usize>,
    by_capture: FxHashMap<CaptureId, usize>,
    contents: FxHashMap<BlockId, Content>,
    /// Freed blocks that graphs read: their memory still counts.
    inputs: Vec<BlockId>,
    order: Order,
    /// The last replay of each graph.
    last_replay: FxHashMap<usize, usize>,
    /// A block that two graphs both use, if there is one, for pairs that were compared.
    overlaps: FxHashMap<(usize, usize), Option<BlockId>>,
    /// The harms that were found, to count them again.
    known: FxHashMap<Key, usize>,
    /// The captures that run.
    running: Vec<usize>,
    /// Where captures begin and end in the trace.
    boundaries: FxHashMap<usize, Boundary>,
    /// Operators that ran during captures outside of them, with the capture and what they touched.
    left_out: Vec<(usize, usize, Vec<BlockId>)>,
    /// Sources of captured copies that were freed: the graph, which of its sources, and the operator that has the memory now.
    freed_sources: Vec<(usize, usize, usize)>,
    /// cuBLAS's workspaces, one for each thread and stream.
    workspaces: FxHashMap<(ThreadId, Stream), BlockId>,
    /// The blocks that captured work touches.
    used: FxHashSet<BlockId>,
    /// Whether every call is in the trace, as on the virtual GPU.
    sees_all_calls: bool,
    /// Whether replays and the calls that order them are in the trace, at this point of it.
    sees_order: bool,
}

impl<'t> Pass<'_, 't> {
    fn entry(&mut self, position: usize, entry: &'t Entry) {
        let thread = entry.thread;
        match self.boundaries.get(&position) {
            Some(Boundary::Begins(capture)) => self.running.push(*capture),
            Some(Boundary::Ends(capture)) => {
                let capture = *capture;
                self.running.retain(|it| *it != capture);
                self.judge_left_out(capture);
            }
            None => {}
        }
        match &entry.record {
            Record::Call(record) => self.call(Step {
                position,
                thread,
                record,
            }),
            Record::OperatorBegin(record) => {
                let parent = self.innermost(thread);
                let operation =
                    Operation::begin(self.history.trace, position, thread, record, &[], parent);
                let index = self.add(operation);
                self.open.entry(thread).or_default().push(index);
            }
            Record::OperatorEnd { results } => {
                if let Some(index) = self.open.get_mut(&thread).and_then(Vec::pop) {
                    let operation = &mut self.activity.operations[index];
                    operation.end = position;
                    operation.results = results;
                    self.ended(index);
                }
            }
            Record::Operator { operator, results } => {
                let operation = Operation::begin(
                    self.history.trace,
                    position,
                    thread,
                    operator,
                    results,
                    None,
                );
                let index = self.add(operation);
                self.ended(index);
            }
            Record::BlockAllocated(record) => self.allocated(position, thread, *record),
            Record::BlockFreed(record) => self.freed(position, thread, *record),
            Record::Watched { on: true } if self.sees_all_calls => self.order.all_is_over(),
            Record::Ordered { on } => {
                // What was waited for in between is not known; so it is taken to be over.
                self.order.all_is_over();
                self.sees_order = *on;
            }
            _ => {}
        }
    }

    fn add(&mut self, operation: Operation<'t>) -> usize {
        self.activity.operations.push(operation);
        self.activity.operations.len() - 1
    }

    fn innermost(&self, thread: ThreadId) -> Option<usize> {
        self.open.get(&thread)?.last().copied()
    }

    /// The capture that a thread works for at a position: its own, or the only one that runs for a thread of autograd.
    fn capture_of_thread(&self, thread: ThreadId, position: usize) -> Option<usize> {
        if self.running.is_empty() {
            return None;
        }
        let own = |index: &usize| self.history.captures[*index].thread() == thread;
        let is_of_autograd = self.history.is_of_autograd(thread, position);
        let mut latest = self.running.iter().rev().copied();
        latest.find(|index| own(index) || is_of_autograd)
    }

    fn allocated(&mut self, position: usize, thread: ThreadId, record: BlockRecord) {
        self.memory_changed(record);
        let id = self.activity.memory.allocate(Block {
            address: record.address,
            bytes: record.bytes,
            allocated: Event {
                position,
                thread,
                stack: record.stack,
            },
            freed: None,
            capture: self.capture_of_thread(thread, position),
            operation: self.innermost(thread),
        });
        self.contents.insert(id, Content::Own);
    }

    fn freed(&mut self, position: usize, thread: ThreadId, record: BlockRecord) {
        let event = Event {
            position,
            thread,
            stack: record.stack,
        };
        let Some(id) = self.activity.memory.free(record.address, event) else {
            return;
        };
        self.memory_changed(record);
        if self.used.contains(&id) {
            self.inputs.push(id);
        } else {
            self.contents.remove(&id);
        }
    }

    /// Other blocks lie where graphs write.
    fn memory_changed(&mut self, record: BlockRecord) {
        for graph in &mut self.activity.graphs {
            graph.memory_changed(record.address, record.bytes);
        }
    }

    fn call(&mut self, step: Step<'t>) {
        self.order.see(step);
        if step.failed() {
            return;
        }
        match &step.record.call {
            Call::Work { stream, node } => self.work(step, *stream, node),
            Call::StreamEndCapture { graph, .. } => {
                if let Some(Boundary::Ends(index)) = self.boundaries.get(&step.position) {
                    self.by_graph.insert(*graph, *index);
                }
            }
            Call::GraphInstantiate { graph, exec, .. } => match self.by_graph.get(graph) {
                Some(index) => {
                    self.by_exec.insert(*exec, *index);
                }
                None => {
                    self.by_exec.remove(exec);
                }
            },
            Call::GraphExecUpdate { exec, graph } => {
                if let Some(index) = self.by_graph.get(graph) {
                    self.by_exec.insert(*exec, *index);
                }
            }
            Call::GraphExecDestroy { exec } => {
                self.by_exec.remove(exec);
            }
            Call::GraphLaunch { exec, stream } => {
                if let Some(graph) = self.by_exec.get(exec).copied() {
                    self.replay(step, graph, *stream);
                }
            }
            _ => {}
        }
    }

    fn work(&mut self, step: Step<'t>, stream: Stream, node: &NodeKind) {
        let capture = self.history.capture_of(step);
        let capture = capture.and_then(|id| self.by_capture.get(&id).copied());
        let operation = self.innermost(step.thread);
        if let Some(index) = operation {
            let operation = &mut self.activity.operations[index];
            operation.work += 1;
            operation.stream = Some(stream);
            operation.capture = operation.capture.or(capture);
        }
        if let (
            Some(graph),
            NodeKind::Memcpy {
                kind: CopyKind::HostToDevice(_),
                src,
                bytes,
                ..
            },
        ) = (capture, node)
        {
            self.activity.graphs[graph].sources.push(Source {
                address: *src,
                bytes: *bytes,
                operation,
            });
        }
    }

    /// An operator has ended: what it touched is known.
    fn ended(&mut self, index: usize) {
        self.host_sources(index);
        let operation = &self.activity.operations[index];
        // While anything captures, CUPTI tells of all work.
        let sees_work = self.sees_all_calls || !self.running.is_empty();
        let works = operation.work > 0 || (!sees_work && operation.may_work());
        if !works {
            return;
        }
        let touched: Vec<(BlockId, bool)> = operation
            .touches()
            .iter()
            .filter_map(|touch| {
                let block = self.activity.memory.at(touch.tensor.address)?;
                Some((block, touch.writes))
            })
            .collect();
        self.keep_workspaces(index);
        let operation = &self.activity.operations[index];
        let Some(graph) = operation.capture else {
            self.left_out(index, &touched);
            self.aliased_gradient(index, &touched);
            self.touched_eagerly(index, &touched);
            return;
        };
        let workspace = self.workspace_of(index).map(|block| (block, false));
        let touched = touched.into_iter().chain(workspace);
        let accesses = touched.map(|(block, writes)| Access {
            block,
            writes,
            operation: index,
        });
        let accesses: Vec<Access> = accesses.collect();
        self.used.extend(accesses.iter().map(|access| access.block));
        self.activity.graphs[graph].accesses.extend(accesses);
    }

    /// What a matrix product allocates and neither gives back nor frees is cuBLAS's workspace on its stream.
    fn keep_workspaces(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        let Some(stream) = operation.stream.filter(|_| operation.is_matrix_product()) else {
            return;
        };
        let given_back: Vec<u64> = operation::tensors(operation.results)
            .map(|tensor| tensor.address)
            .collect();
        let memory = &self.activity.memory;
        let workspace = memory.allocated_since(operation.position).find(|id| {
            let block = memory[*id];
            block.freed.is_none()
                && block.operation == Some(index)
                && !given_back.iter().any(|address| block.overlaps(*address, 1))
        });
        if let Some(workspace) = workspace {
            let thread = operation.thread;
            self.activity.workspaces.insert(workspace, index);
            self.workspaces.insert((thread, stream), workspace);
        }
    }

    /// The workspace that a matrix product uses.
    fn workspace_of(&self, index: usize) -> Option<BlockId> {
        let operation = &self.activity.operations[index];
        let stream = operation.stream.filter(|_| operation.is_matrix_product())?;
        let workspace = *self.workspaces.get(&(operation.thread, stream))?;
        let is_there = self.activity.memory[workspace].freed.is_none();
        is_there.then_some(workspace)
    }

    fn touched_eagerly(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        for (block, writes) in touched {
            if *writes {
                let position = self.activity.operations[index].position;
                self.activity.last_written.insert(*block, position);
                self.contents.insert(*block, Content::Own);
            } else if let Some(Content::Foreign { by }) = self.contents.get(block).copied() {
                self.overwritten(*block, by, Reader::Operation(index));
            }
        }
    }

    /// Something reads a block that a replay of another owner has written.
    fn overwritten(&mut self, block: BlockId, by: usize, reader: Reader) {
        let graph = self.activity.replays[by].graph;
        let harm = if self.activity.memory[block].capture == Some(graph) {
            Harm::TemporaryOverLive { block, reader }
        } else {
            Harm::Overwritten { block, by, reader }
        };
        self.found(graph, Some(by), harm);
        // What is read again is the same harm.
        self.contents.insert(block, Content::Own);
    }

    /// An operator runs during a capture of its thread and is not part of it.
    fn left_out(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        if operation.work == 0 || self.running.is_empty() {
            return;
        }
        let graph = self.capture_of_thread(operation.thread, operation.position);
        if let Some(graph) = graph {
            let blocks = touched.iter().map(|(block, _)| *block).collect();
            self.left_out.push((graph, index, blocks));
        }
    }

    /// A capture has ended: what was left out of it matters if it shares data with it, or if nothing else was done.
    fn judge_left_out(&mut self, graph: usize) {
        let (left_out, others) = std::mem::take(&mut self.left_out)
            .into_iter()
            .partition(|it: &(usize, usize, Vec<BlockId>)| it.0 == graph);
        self.left_out = others;
        for (_, operation, blocks) in left_out {
            let accesses = &self.activity.graphs[graph].accesses;
            let shared = accesses.iter().find(|it| blocks.contains(&it.block));
            let block = shared.map(|access| access.block);
            if block.is_some() || accesses.is_empty() {
                self.found(graph, None, Harm::LeftOut { operation, block });
            }
        }
    }

    /// Autograd adds a gradient to itself: the buffer that a graph writes is the parameter's gradient.
    fn aliased_gradient(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        let is_accumulation = matches!(operation.name, "add_" | "add")
            && self
                .history
                .is_of_autograd(operation.thread, operation.position);
        let mut given = operation::tensors(operation.arguments);
        let (Some(sum), Some(new)) = (given.next(), given.next()) else {
            return;
        };
        let is_same = (sum.address, sum.offset) == (new.address, new.offset);
        if !is_accumulation || !is_same {
            return;
        }
        for (block, _) in touched {
            let Some(graph) = self.activity.memory[*block].capture else {
                continue;
            };
            let Some(replay) = self.last_replay.get(&graph).copied() else {
                continue;
            };
            let harm = Harm::GradientAliased {
                operation: index,
                block: *block,
            };
            self.found(graph, Some(replay), harm);
            return;
        }
    }

    /// An operator writes memory of the host that a captured copy reads, or makes a tensor there.
    fn host_sources(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        if operation.capture.is_some() {
            return;
        }
        let given: Vec<u64> = operation::tensors(operation.arguments)
            .map(|tensor| tensor.address)
            .collect();
        let written: Vec<(u64, u64)> = operation
            .written()
            .filter(|tensor| !tensor.on_gpu)
            .map(|tensor| (tensor.address, tensor.bytes))
            .collect();
        let is_inside_capture = self
            .capture_of_thread(operation.thread, operation.position)
            .is_some();
        for (address, bytes) in written {
            for graph in 0..self.activity.graphs.len() {
                let sources = &self.activity.graphs[graph].sources;
                let overlaps = |source: &Source| {
                    source.address < address.saturating_add(bytes)
                        && address < source.address.saturating_add(source.bytes)
                };
                let Some(source) = sources.iter().position(overlaps) else {
                    continue;
                };
                let harm = if given.contains(&address) {
                    let is_running = self.last_replay.get(&graph).is_some_and(|replay| {
                        !self.order.is_over(self.activity.replays[*replay].ticket)
                    });
                    if !is_running || !self.sees_order || is_inside_capture {
                        continue;
                    }
                    Harm::SourceWritten {
                        writer: index,
                        source,
                    }
                } else {
                    // The harm is done when the copy is replayed.
                    self.freed_sources.push((graph, source, index));
                    continue;
                };
                let replay = self.last_replay.get(&graph).copied();
                self.found(graph, replay, harm);
            }
        }
    }

    fn replay(&mut self, step: Step<'t>, graph: usize, stream: Stream) {
        let index = self.activity.replays.len();
        self.concurrent(graph, stream, index);
        let ticket = self.order.replay(stream);
        self.activity.replays.push(Replay {
            graph,
            position: step.position,
            ticket,
        });
        self.activity.graphs[graph].replays += 1;
        self.last_replay.insert(graph, index);
        self.read(graph, index);
        self.write(graph, index);
        for (of_graph, source, owner) in self.freed_sources.clone() {
            if of_graph == graph {
                self.found(graph, Some(index), Harm::SourceFreed { owner, source });
            }
        }
    }

    /// What a replay finds at the addresses that it reads.
    fn read(&mut self, graph: usize, replay: usize) {
        let Activity { graphs, memory, .. } = &mut self.activity;
        let from_outside = graphs[graph].inputs(graph, memory);
        for access in from_outside.iter().copied() {
            let block = self.activity.memory[access.block];
            match self.contents.get(&access.block).copied() {
                Some(Content::Foreign { by }) if !access.writes => {
                    self.overwritten(access.block, by, Reader::Graph(graph));
                }
                // The memory of a pool stays with its graphs, and holds what it held until one of them writes it.
                _ if block.freed.is_some() && block.capture.is_none() => {
                    let owner = self
                        .activity
                        .memory
                        .overlapping(block.address, block.bytes)
                        .next();
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

    /// What a replay leaves where others have their data.
    fn write(&mut self, graph: usize, replay: usize) {
        let Activity { graphs, memory, .. } = &mut self.activity;
        let effects = graphs[graph].effects(memory, &self.inputs);
        for effect in effects.iter() {
            let content = if effect.is_own {
                Content::Own
            } else {
                Content::Foreign { by: replay }
            };
            self.contents.insert(effect.block, content);
        }
    }

    /// Whether a replay may run at the same time as one of a graph that uses the same memory.
    fn concurrent(&mut self, graph: usize, stream: Stream, replay: usize) {
        if !self.sees_order {
            return;
        }
        let mut others: Vec<(usize, usize)> = self
            .last_replay
            .iter()
            .map(|(other, replay)| (*other, *replay))
            .filter(|(other, _)| *other != graph)
            .collect();
        others.sort_unstable();
        for (other, earlier) in others {
            let ticket = self.activity.replays[earlier].ticket;
            if self.order.is_before(ticket, stream) {
                continue;
            }
            if let Some(block) = self.shared_block(graph, other) {
                let harm = Harm::Concurrent {
                    other: earlier,
                    block,
                };
                self.found(graph, Some(replay), harm);
            }
        }
    }

    /// A block that one graph writes and that lies where the other one works.
    fn shared_block(&mut self, one: usize, other: usize) -> Option<BlockId> {
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.overlaps.get(&key) {
            return *known;
        }
        let memory = &self.activity.memory;
        let graphs = &self.activity.graphs;
        let clash = |writer: usize, user: usize| {
            graphs[writer].writes().find_map(|write| {
                let block = memory[write.block];
                graphs[user]
                    .first_accesses()
                    .find(|access| memory[access.block].overlaps(block.address, block.bytes))
                    .map(|_| write.block)
            })
        };
        let shared = clash(one, other).or_else(|| clash(other, one));
        self.overlaps.insert(key, shared);
        shared
    }

    /// Keeps a harm, or counts it again.
    fn found(&mut self, graph: usize, replay: Option<usize>, harm: Harm) {
        let (block, copy) = match harm {
            Harm::Freed { block, .. }
            | Harm::Overwritten { block, .. }
            | Harm::TemporaryOverLive { block, .. }
            | Harm::Concurrent { block, .. } => (Some(block), 0),
            Harm::LeftOut { operation, .. } => (None, operation),
            Harm::SourceWritten { source, .. } | Harm::SourceFreed { source, .. } => (None, source),
            Harm::GradientAliased { .. } => (None, 0),
        };
        let key = (graph, discriminant(&harm), block, copy);
        if let Some(index) = self.known.get(&key) {
            self.activity.found[*index].count += 1;
            return;
        }
        self.known.insert(key, self.activity.found.len());
        self.activity.found.push(Found {
            harm,
            graph,
            replay,
            count: 1,
        });
    }
}

fn boundaries(history: &History<'_>) -> FxHashMap<usize, Boundary> {
    let mut boundaries = FxHashMap::default();
    for (index, run) in history.captures.iter().enumerate() {
        boundaries.insert(run.began.position, Boundary::Begins(index));
        if let Some(ended) = run.ended {
            boundaries.insert(ended.position, Boundary::Ends(index));
        }
    }
    boundaries
}
