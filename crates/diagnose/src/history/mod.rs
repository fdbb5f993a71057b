//! What a trace says about captures: the recorded calls, re-run through the model and kept by capture.

mod calls;
mod capture;
mod names;
mod rerun;
pub(crate) mod stack;
pub(crate) mod step;
mod streams;
mod thrown;
mod update;

pub(crate) use capture::{CaptureRun, Fork, Refusal};
pub(crate) use rerun::is_contradiction;
pub(crate) use step::Step;
pub(crate) use streams::stream_of;
pub(crate) use thrown::Thrown;
pub(crate) use update::{RefusedUpdate, UpdatedGraph};

use std::cell::OnceCell;

use cgsan_finding::Location;
use cgsan_model::{Call, CaptureId, Device, EventId, GraphId, NodeIndex, Stream, ThreadId};
use cgsan_trace::{AgentEvent, Record, StackFrame, StorageKind, StorageName, Trace};
use rustc_hash::FxHashMap;

use self::names::Names;
use self::streams::StreamNames;

/// How PyTorch names the threads of autograd (`torch/csrc/autograd/engine.cpp`).
const AUTOGRAD_THREAD: &str = "pt_autograd";

/// Everything that the rules look at.
pub(crate) struct History<'t> {
    pub(crate) trace: &'t Trace,
    /// The captures, in the order in which they began.
    pub(crate) captures: Vec<CaptureRun<'t>>,
    /// Calls that captures refused and that harm no running one: an attempt to begin, a use of an event of an ended
    /// capture.
    pub(crate) attempts: Vec<Refusal<'t>>,
    /// The updates among them, by their positions.
    refused_updates: FxHashMap<usize, RefusedUpdate>,
    /// Exceptions, in the order in which they were thrown.
    pub(crate) thrown: Vec<Thrown<'t>>,
    /// The calls whose recorded answer is not the model's.
    pub(crate) contradictions: Vec<Step<'t>>,
    /// Which capture recorded or refused the call at a position.
    concerned: FxHashMap<usize, CaptureId>,
    streams: StreamNames,
    /// Made when somebody asks.
    names: OnceCell<Names>,
}

impl<'t> History<'t> {
    /// Re-runs a trace through the model.
    pub(crate) fn new(trace: &'t Trace) -> History<'t> {
        rerun::rerun(trace)
    }

    /// The capture that recorded or refused a call.
    pub(crate) fn capture_of(&self, step: Step<'_>) -> Option<CaptureId> {
        self.concerned.get(&step.position).copied()
    }

    /// The calls that captures recorded or refused, by position.
    pub(crate) fn concerned_calls(&self) -> impl Iterator<Item = (usize, CaptureId)> {
        self.concerned.iter().map(|(position, id)| (*position, *id))
    }

    /// What stood in the way of an update of an executable graph, if the model knows both graphs.
    pub(crate) fn refused_update(&self, step: Step<'_>) -> Option<&RefusedUpdate> {
        self.refused_updates.get(&step.position)
    }

    /// The line that enqueued a node of a graph, which a capture before a position ended in.
    pub(crate) fn location_of_node(
        &self,
        graph: GraphId,
        node: NodeIndex,
        position: usize,
    ) -> Option<Location> {
        let ended_in = |run: &CaptureRun<'_>| match run.ended?.record.call {
            Call::StreamEndCapture { graph, .. } => Some(graph),
            _ => None,
        };
        let mut runs = self.captures.iter().rev();
        let run = runs.find(|run| {
            ended_in(run) == Some(graph) && run.ended.is_some_and(|it| it.position < position)
        })?;
        let step = step::at(self.trace, *run.nodes_at.get(node.at())?)?;
        // Of most calls in a capture, only the operator's stack was recorded.
        self.location_of(step)
            .or_else(|| stack::user_location(&self.last_stack(step.thread, step.position)?))
    }

    /// The capture that recorded or refused a call, from its begin to its end.
    pub(crate) fn run_of(&self, step: Step<'_>) -> Option<&CaptureRun<'t>> {
        let id = self.capture_of(step)?;
        self.captures.iter().find(|run| run.id == Some(id))
    }

    /// The captures that ran at a position, in the order in which they began.
    pub(crate) fn running_at(&self, position: usize) -> impl Iterator<Item = &CaptureRun<'t>> {
        self.captures.iter().filter(move |run| run.spans(position))
    }

    /// The last capture that the thread which made an entry had ended by then.
    pub(crate) fn captured_before(&self, position: usize) -> Option<usize> {
        let thread = self.trace.entries().get(position)?.thread;
        self.captures.iter().rposition(|run| {
            run.thread() == thread && run.ended.is_some_and(|ended| ended.position < position)
        })
    }

    /// The captures of the graphs that the agent has numbered, as indices into [`History::captures`].
    pub(crate) fn captures_by_number(&self) -> FxHashMap<u64, usize> {
        let events = self.trace.agent_events();
        let captured = events.filter_map(|(position, event)| match event {
            AgentEvent::GraphCaptured { graph, .. } => {
                Some((*graph, self.captured_before(position)?))
            }
            _ => None,
        });
        captured.collect()
    }

    /// By capture, the memory pool that it was told to have.
    pub(crate) fn pools_of_captures(&self) -> FxHashMap<usize, (u64, u64)> {
        let events = self.trace.agent_events();
        let pools = events.filter_map(|(position, event)| match event {
            AgentEvent::GraphCaptured {
                pool: Some(pool), ..
            } => Some((self.captured_before(position)?, *pool)),
            _ => None,
        });
        pools.collect()
    }

    /// What the program calls the storage that begins at an address, as a capture was told of it.
    pub(crate) fn name_of(&self, capture: usize, address: u64) -> Option<&'t str> {
        Some(&self.storage_name(capture, address)?.name)
    }

    /// All that the program calls that storage.
    pub(crate) fn names_of(&self, capture: usize, address: u64) -> impl Iterator<Item = &'t str> {
        let names = self.names.get_or_init(|| Names::of(self));
        names.all(self, capture, address).map(|it| &*it.name)
    }

    /// Whether the storage that begins at an address was there before a capture, which was told of it.
    pub(crate) fn is_input(&self, capture: usize, address: u64) -> bool {
        let name = self.storage_name(capture, address);
        name.is_some_and(|name| name.kind == StorageKind::Input)
    }

    fn storage_name(&self, capture: usize, address: u64) -> Option<&'t StorageName> {
        let names = self.names.get_or_init(|| Names::of(self));
        names.get(self, capture, address)
    }

    /// Whether a capture recorded or refused a call.
    pub(crate) fn is_captured(&self, step: Step<'_>) -> bool {
        self.capture_of(step).is_some()
    }

    /// The calls before a position, latest first.
    pub(crate) fn before(&self, position: usize) -> impl Iterator<Item = Step<'t>> + use<'t> {
        step::steps(self.trace, 0..position).rev()
    }

    /// The calls after one position and before another, latest first.
    pub(crate) fn between(
        &self,
        after: usize,
        before: usize,
    ) -> impl Iterator<Item = Step<'t>> + use<'t> {
        step::steps(self.trace, after + 1..before).rev()
    }

    /// The last record of an event before a position, and on which stream.
    pub(crate) fn last_record_of(
        &self,
        event: EventId,
        position: usize,
    ) -> Option<(Step<'t>, Stream)> {
        self.before(position)
            .find_map(|step| match step.record.call {
                Call::EventRecord {
                    event: recorded,
                    stream,
                    ..
                } if recorded == event && step.record.result.is_success() => Some((step, stream)),
                _ => None,
            })
    }

    /// The Python stack of a call, innermost frame first.
    pub(crate) fn stack_of(&self, step: Step<'_>) -> Vec<StackFrame> {
        let stack = step.record.stack;
        stack.map(|id| self.trace.stack(id)).unwrap_or_default()
    }

    /// The line of the user's program that made a call.
    pub(crate) fn location_of(&self, step: Step<'_>) -> Option<Location> {
        stack::user_location(&self.stack_of(step))
    }

    /// The line of the program that made the call at a position; `None` where there is no call.
    pub(crate) fn location_at(&self, position: usize) -> Option<Location> {
        self.location_of(step::at(self.trace, position)?)
    }

    /// The last Python stack that a thread is known to have had before a position, innermost frame first.
    pub(crate) fn last_stack(&self, thread: ThreadId, position: usize) -> Option<Vec<StackFrame>> {
        let last = self.trace.entries()[..position]
            .iter()
            .rev()
            .filter(|entry| entry.thread == thread)
            .find_map(|entry| match &entry.record {
                Record::Call(call) => call.stack,
                Record::Agent { stack, .. } | Record::Exception { stack, .. } => *stack,
                Record::OperatorBegin(operator) | Record::Operator { operator, .. } => {
                    operator.stack
                }
                Record::BlockAllocated(block) | Record::BlockFreed(block) => block.stack,
                Record::Addresses(change) => change.stack,
                _ => None,
            })?;
        Some(self.trace.stack(last))
    }

    /// Whether a capture was begun by Inductor's CUDA graph trees. They give memory back and take it again behind the allocator's
    /// reports, and see to it themselves that nobody reads what is overwritten (`torch/_inductor/cudagraph_trees.py`).
    pub(crate) fn is_of_inductor(&self, run: &CaptureRun<'_>) -> bool {
        let frames = self.stack_of(run.began);
        frames
            .iter()
            .any(|frame| stack::is_torch_file(frame, "_inductor/"))
    }

    /// Whether a thread is one of autograd's, which work for the thread that waits in `backward()`.
    pub(crate) fn is_of_autograd(&self, thread: ThreadId, position: usize) -> bool {
        let name = self.trace.thread_name_at(thread, position);
        name.is_some_and(|name| name.starts_with(AUTOGRAD_THREAD))
    }

    /// The device that a stream belongs to, where its creation was recorded.
    pub(crate) fn device_of(&self, stream: Stream) -> Option<Device> {
        self.streams.device(stream)
    }

    /// What a sentence calls a stream, e.g. `stream 2`.
    pub(crate) fn stream_name(&self, stream: Stream) -> String {
        self.streams.name(stream)
    }

    /// The name and the kind of a stream, e.g. `stream 2 (non-blocking)`.
    pub(crate) fn stream_description(&self, stream: Stream) -> String {
        self.streams.description(stream)
    }
}
