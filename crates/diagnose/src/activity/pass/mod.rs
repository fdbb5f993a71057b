//! The pass over a trace.
//!
//! For each block that lives, and for each that a graph reads, it keeps what lies there: what an operator or a replay of the
//! block's own wrote, or what another graph has put over it. Here is where each record goes; `operators` and `replays` are what
//! the two kinds of events mean. Each of the other files keeps what its own question needs.

mod added_rows;
mod addresses;
mod beside;
mod branches;
mod captures;
mod contents;
mod differences;
mod flows;
mod gathered;
mod gradients;
mod handles;
mod inputs;
mod left_out;
mod not_repeated;
mod operators;
mod padding;
mod put_back;
mod reduced_rows;
mod replaced;
mod replays;
mod results;
mod sources;
mod workspaces;

use cgsan_model::{Call, CopyKind, NodeKind, Stream, ThreadId};
use cgsan_trace::{AgentEvent, BlockRecord, Entry, Record};
use rustc_hash::FxHashMap;

use addresses::Addresses;
use beside::Users;
use branches::Branches;
use captures::Captures;
use contents::{Content, Contents};
use gradients::Gradients;
use handles::Handles;
use inputs::Writers;
use left_out::LeftOut;
use padding::Padding;
use put_back::PutBack;
use reduced_rows::ReducedRows;
use replays::Replays;
use results::Results;
use sources::Sources;
use workspaces::Workspaces;

use super::graph::{Graph, HostResult};
use super::harm::{Found, Harm, Key};
use super::memory::{Block, Event};
use super::operation::Operation;
use super::{Activity, Segments};
use crate::history::{History, Step};

/// Goes through a history's trace.
pub(super) fn run<'t>(history: &History<'t>) -> Activity<'t> {
    let graphs = history.captures.iter().map(|_| Graph::default()).collect();
    let mut pass = Pass {
        history,
        activity: Activity {
            graphs,
            segments: Segments::new(history.trace),
            ..Activity::default()
        },
        open: FxHashMap::default(),
        handles: Handles::new(history),
        captures: Captures::new(history),
        pools: history.pools_of_captures(),
        branches: Branches::default(),
        contents: Contents::default(),
        replays: Replays::default(),
        known: FxHashMap::default(),
        left_out: LeftOut::default(),
        sources: Sources::default(),
        results: Results::default(),
        gradients: Gradients::default(),
        workspaces: Workspaces::default(),
        writers: Writers::default(),
        users: Users::default(),
        padding: Padding::default(),
        put_back: PutBack::default(),
        reduced_rows: ReducedRows::default(),
        addresses: Addresses::default(),
        sees_all_calls: history.trace.process().virtual_gpu,
        sees_order: history.trace.process().virtual_gpu,
    };
    for (position, entry) in history.trace.entries().iter().enumerate() {
        pass.entry(position, entry);
    }
    pass.replaced_gradients();
    pass.read_early();
    pass.left_by_warm_ups();
    pass.read_though_not_repeated();
    pass.activity
}

struct Pass<'h, 't> {
    history: &'h History<'t>,
    activity: Activity<'t>,
    /// The operators that each thread is inside of.
    open: FxHashMap<ThreadId, Vec<usize>>,
    handles: Handles,
    captures: Captures,
    /// By capture, its memory pool.
    pools: FxHashMap<usize, (u64, u64)>,
    branches: Branches,
    contents: Contents,
    replays: Replays,
    /// The harms that were found, to count them again.
    known: FxHashMap<(usize, Key), usize>,
    left_out: LeftOut,
    sources: Sources,
    results: Results,
    gradients: Gradients,
    workspaces: Workspaces,
    writers: Writers,
    users: Users,
    padding: Padding,
    put_back: PutBack,
    reduced_rows: ReducedRows,
    addresses: Addresses,
    /// Whether every call is in the trace, as on the virtual GPU.
    sees_all_calls: bool,
    /// Whether replays and the calls that order them are in the trace, at this point of it.
    sees_order: bool,
}

impl<'t> Pass<'_, 't> {
    fn entry(&mut self, position: usize, entry: &'t Entry) {
        let thread = entry.thread;
        if let Some(ended) = self.captures.pass(position) {
            self.judge_left_out(ended);
            self.branches.ended(ended);
            self.captured_sums(ended);
            self.forget_computed_indexes();
            self.forget_computed_rows();
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
            Record::Addresses(record) => {
                let event = Event {
                    position,
                    thread,
                    stack: record.stack,
                };
                self.addresses(event, *record);
            }
            // What others put there meanwhile is not known.
            Record::Counted(_) => {
                self.contents.gap();
                self.padding_unknown();
                self.put_back_unknown();
                self.left_out.alone.clear();
            }
            Record::Agent { .. } => match self.history.trace.agent_event(position) {
                Some(AgentEvent::Gradients {
                    gradients,
                    tensors: Some(tensors),
                    ..
                }) => self.name_gradients(gradients, tensors),
                Some(AgentEvent::GraphCaptured { graph, .. }) => {
                    self.numbered(*graph, position);
                }
                Some(AgentEvent::HostSourcesChanged {
                    graph,
                    replay,
                    sources,
                }) => self.sources_changed(*graph, *replay, sources),
                _ => {}
            },
            Record::Watched { on: true } if self.sees_all_calls => self.replays.order.all_is_over(),
            Record::Ordered { on } => {
                // What was waited for in between is not known; so it is taken to be over.
                self.replays.order.all_is_over();
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
        if self.captures.running.is_empty() {
            return None;
        }
        let own = |index: &usize| self.history.captures[*index].thread() == thread;
        let is_of_autograd = self.history.is_of_autograd(thread, position);
        let mut latest = self.captures.running.iter().rev().copied();
        latest.find(|index| own(index) || is_of_autograd)
    }

    /// The capture that runs and to whose pool a block belongs: another thread may work on a stream that captures.
    fn capture_of_pool(&self, block: &Block) -> Option<usize> {
        let running = &self.captures.running;
        if running.is_empty() {
            return None;
        }
        let pool = self.activity.segments.of(block)?.pool;
        let is_of_pool = |capture: &&usize| self.pools.get(*capture) == Some(&pool);
        running.iter().rev().find(is_of_pool).copied()
    }

    fn allocated(&mut self, position: usize, thread: ThreadId, record: BlockRecord) {
        self.memory_changed(record);
        let mut block = Block {
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
        };
        block.capture = block.capture.or_else(|| self.capture_of_pool(&block));
        let capture = block.capture;
        let id = self.activity.memory.allocate(block);
        self.contents.of.insert(id, Content::Own);
        match capture {
            Some(capture) => self.branches.allocated(capture, id, &self.activity.memory),
            None if self.innermost(thread).is_none() => self.made_without_operator(id),
            None => {}
        }
        self.reuses_what_is_shared(id);
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
        self.contents.freed(id);
    }

    /// Other blocks lie where graphs write.
    fn memory_changed(&mut self, record: BlockRecord) {
        for graph in &mut self.activity.graphs {
            graph.memory_changed(record.address, record.bytes);
        }
    }

    fn call(&mut self, step: Step<'t>) {
        self.replays.order.see(step);
        if step.failed() {
            return;
        }
        self.worked_beside_operators(step);
        match &step.record.call {
            Call::Work { stream, node } => self.work(step, *stream, node),
            Call::EventRecord {
                event,
                external: true,
                ..
            } => {
                let capture = self.history.capture_of(step);
                if let Some(graph) = capture.and_then(|id| self.handles.of_capture(id)) {
                    self.activity.graphs[graph].records_outside.push(*event);
                }
            }
            Call::StreamEndCapture { graph, .. } => {
                if let Some(index) = self.captures.that_ends(step.position) {
                    self.handles.captured(*graph, index);
                }
            }
            Call::GraphLaunch { exec, stream } => {
                if let Some(graph) = self.handles.of_exec(*exec) {
                    self.replay(step, graph, *stream);
                }
            }
            call => {
                if let Call::GraphExecDestroy { exec } = call
                    && let Some(graph) = self.handles.of_exec(*exec)
                {
                    self.activity.graphs[graph].destroyed(*exec, step.position);
                }
                self.handles.see(call);
                if let Call::GraphInstantiate { exec, .. } = call
                    && let Some(graph) = self.handles.of_exec(*exec)
                {
                    self.activity.graphs[graph].instantiated(*exec, step.position);
                }
            }
        }
    }

    fn work(&mut self, step: Step<'t>, stream: Stream, node: &NodeKind) {
        let capture = self.history.capture_of(step);
        let capture = capture.and_then(|id| self.handles.of_capture(id));
        let operation = self.innermost(step.thread);
        if let Some(index) = operation {
            let operation = &mut self.activity.operations[index];
            operation.work += 1;
            operation.stream = Some(stream);
            operation.capture = operation.capture.or(capture);
            let order = &mut self.replays.order;
            if capture.is_some() {
                self.branches.enqueued(index, stream, order);
            } else if self.sees_all_calls {
                self.writers.enqueued(index, stream, order);
            }
        }
        if let (Some(graph), NodeKind::EventWait { .. }) = (capture, node) {
            self.activity.graphs[graph].waits_outside = true;
        }
        let (
            Some(graph),
            NodeKind::Memcpy {
                kind,
                src,
                dst,
                bytes,
            },
        ) = (capture, node)
        else {
            return;
        };
        match kind {
            CopyKind::HostToDevice(_) => self.copies_from_host(graph, *src, *bytes, operation),
            CopyKind::DeviceToHost(_) => self.copies_to_host(
                graph,
                HostResult {
                    address: *dst,
                    bytes: *bytes,
                    operation,
                },
            ),
            _ => {}
        }
    }

    /// Keeps a harm, or counts it again.
    fn found(&mut self, graph: usize, replay: Option<usize>, harm: Harm) {
        let key = (graph, harm.key());
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
