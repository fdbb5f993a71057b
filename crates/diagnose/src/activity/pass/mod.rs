//! The pass over a trace.
//!
//! For each block that lives, and for each that a graph reads, it keeps what lies there: what an operator or a replay of the
//! block's own wrote, or what another graph has put over it. Here is what is kept and where each record goes; `operators` and
//! `replays` are what the two kinds of events mean.

mod gradients;
mod operators;
mod replays;
mod sources;

use std::mem::{Discriminant, discriminant};

use cgsan_model::{Call, CaptureId, CopyKind, ExecId, GraphId, NodeKind, Stream, ThreadId};
use cgsan_trace::{AgentEvent, BlockRecord, Entry, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use gradients::Gradients;
use sources::Sources;

use super::Activity;
use super::graph::Graph;
use super::harm::{Found, Harm};
use super::memory::{Block, BlockId, Event};
use super::operation::Operation;
use super::order::Order;
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
        written_since: FxHashMap::default(),
        inputs: Vec::new(),
        order: Order::default(),
        last_replay: FxHashMap::default(),
        overlaps: FxHashMap::default(),
        known: FxHashMap::default(),
        running: Vec::new(),
        boundaries: boundaries(history),
        left_out: Vec::new(),
        sources: Sources::default(),
        gradients: Gradients::default(),
        workspaces: FxHashMap::default(),
        used: FxHashSet::default(),
        sees_all_calls: history.trace.process().virtual_gpu,
        sees_order: history.trace.process().virtual_gpu,
    };
    for (position, entry) in history.trace.entries().iter().enumerate() {
        pass.entry(position, entry);
    }
    pass.replaced_gradients();
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
    /// The operators that wrote blocks eagerly, until a replay of the block's own graph.
    written_since: FxHashMap<BlockId, usize>,
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
    sources: Sources,
    gradients: Gradients,
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
            Record::Agent { .. } => {
                if let Some(AgentEvent::Gradients {
                    gradients,
                    tensors: Some(tensors),
                    ..
                }) = self.history.trace.agent_event(position)
                {
                    self.name_gradients(gradients, tensors);
                }
            }
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
            self.copies_from_host(graph, *src, *bytes, operation);
        }
    }

    /// Keeps a harm, or counts it again.
    fn found(&mut self, graph: usize, replay: Option<usize>, harm: Harm) {
        let (block, copy) = match harm {
            Harm::Freed { block, .. }
            | Harm::Overwritten { block, .. }
            | Harm::TemporaryOverLive { block, .. }
            | Harm::FilledAnew { block, .. }
            | Harm::Concurrent { block, .. }
            | Harm::NotComputed { block, .. } => (Some(block), 0),
            Harm::LeftOut { operation, .. } => (None, operation),
            Harm::SourceWritten { source, .. } | Harm::SourceFreed { source, .. } => (None, source),
            Harm::GradientAliased { .. } | Harm::GradientReplaced { .. } => (None, 0),
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
