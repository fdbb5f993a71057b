//! The model's state, the one way to change it, and the questions it answers.

use std::sync::Arc;

use crate::{
    Answer, Call, Capture, CaptureId, CaptureMode, EventId, Exec, ExecId, Graph, GraphId, Node,
    Stream, ThreadId,
    answer::Outcome,
    handle::StreamKey,
    state::{
        capture::Captures,
        devices::Devices,
        events::{EventState, Events},
        exec::Execs,
        graph::Graphs,
        memory::GraphMemory,
        permission::Permissions,
        streams::Streams,
    },
};

/// What the driver knows about captures, and what it would answer next.
///
/// The rules are spread over the files of this crate by subject; each is an `impl Model` beside the state it governs.
#[derive(Debug, Default)]
pub struct Model {
    pub(crate) permissions: Permissions,
    pub(crate) devices: Devices,
    pub(crate) streams: Streams,
    pub(crate) events: Events,
    pub(crate) captures: Captures,
    pub(crate) graphs: Graphs,
    pub(crate) execs: Execs,
    pub(crate) memory: GraphMemory,
}

impl Model {
    /// A driver that has seen no call yet.
    pub fn new() -> Model {
        Model::default()
    }

    /// A driver whose state is unknown, after calls that nobody saw. Captures keep the numbers that they have had:
    /// those to come are numbered on.
    #[must_use]
    pub fn anew(&self) -> Model {
        Model {
            captures: self.captures.anew(),
            ..Model::default()
        }
    }

    /// Make a call in a thread, and learn what the driver answers.
    pub fn call(&mut self, thread: ThreadId, call: &Call) -> Answer {
        self.outcome(thread, call).unwrap_or_else(Answer::from)
    }

    fn outcome(&mut self, thread: ThreadId, call: &Call) -> Outcome {
        match *call {
            Call::StreamCreate {
                stream,
                device,
                non_blocking,
                priority: _,
            } => Ok(self.stream_create(thread, stream, device, non_blocking)),
            Call::StreamDestroy { stream } => self.stream_destroy(thread, stream),
            Call::StreamSynchronize { stream }
            | Call::StreamQuery { stream }
            | Call::StreamAttachMemory { stream } => self.uncapturable_and_unsafe(thread, stream),
            Call::StreamWaitEvent {
                stream,
                event,
                external,
            } => {
                if external {
                    self.stream_wait_event_external(thread, stream, event)
                } else {
                    self.stream_wait_event(thread, stream, event)
                }
            }
            Call::StreamIsCapturing { stream } => self.stream_is_capturing(thread, stream),
            Call::StreamGetCaptureInfo { stream } => self.stream_get_capture_info(thread, stream),
            Call::StreamGetPriority { stream } => self.stream_get_priority(thread, stream),
            Call::StreamGetFlags { stream }
            | Call::Prefetch { stream }
            | Call::StreamAddCallback { stream } => self.uncapturable(thread, stream),
            Call::StreamBeginCapture { stream, mode } => self.begin_capture(thread, stream, mode),
            Call::StreamEndCapture { stream, graph } => self.end_capture(thread, stream, graph),
            Call::ThreadExchangeCaptureMode { mode } => Ok(self.exchange_mode(thread, mode)),

            Call::EventCreate {
                event,
                device,
                timing,
            } => Ok(self.event_create(event, device, timing)),
            Call::EventDestroy { event } => self.event_destroy(event),
            Call::EventRecord {
                event,
                stream,
                external,
            } => {
                if external {
                    self.event_record_external(thread, event, stream)
                } else {
                    self.event_record(thread, event, stream)
                }
            }
            Call::EventQuery { event } | Call::EventSynchronize { event } => {
                self.event_wait_on_host(thread, event)
            }
            Call::EventElapsedTime { start, end } => self.event_elapsed_time(start, end),

            Call::DeviceSynchronize { device } => self.device_synchronize(device),
            Call::Work { stream, ref node } => self.work(thread, stream, node),
            Call::SynchronousWork { device, node: _ } => self.synchronous_work(device),
            Call::Restricted(_) => self.restricted(thread),
            Call::Unrestricted => Ok(Answer::DONE),

            Call::GraphCreate { graph } => Ok(self.graph_create(graph)),
            Call::GraphDestroy { graph } => self.graph_destroy(graph),
            Call::GraphInstantiate {
                graph,
                exec,
                auto_free,
            } => self.instantiate(thread, graph, exec, auto_free),
            Call::GraphExecUpdate { exec, graph } => self.exec_update(exec, graph),
            Call::GraphExecDestroy { exec } => self.exec_destroy(thread, exec),
            Call::GraphLaunch { exec, stream } => self.launch(thread, exec, stream),
            Call::GraphUpload { exec, stream } => self.upload(thread, exec, stream),

            Call::StreamBeginCaptureToGraph {
                stream,
                graph,
                ref dependencies,
                mode,
            } => self.begin_capture_to_graph(thread, stream, graph, dependencies, mode),
            Call::StreamUpdateCaptureDependencies {
                stream,
                ref dependencies,
                flags,
            } => self.update_capture_dependencies(thread, stream, dependencies, flags),
            Call::CaptureAddNode {
                stream,
                ref node,
                ref dependencies,
            } => self.capture_add_node(thread, stream, node, dependencies),
            Call::FailedLaunch { stream, code } => self.failed_launch(thread, stream, code),
            Call::FreeAllocated { address } => self.free_allocated(thread, address),

            Call::GraphAddNode {
                graph,
                ref node,
                ref dependencies,
            } => self.graph_add_node(graph, node, dependencies),
            Call::GraphAddDependencies {
                graph,
                ref from,
                ref to,
            } => self.graph_add_dependencies(graph, from, to),
            Call::GraphRemoveDependencies {
                graph,
                ref from,
                ref to,
            } => self.graph_remove_dependencies(graph, from, to),
            Call::GraphDestroyNode { graph, node } => self.graph_destroy_node(graph, node),
            Call::GraphClone { graph, clone } => self.graph_clone(graph, clone),
            Call::GraphBody { graph, body } => self.graph_body(graph, body),
            Call::CaptureBody { stream, body } => self.capture_body(thread, stream, body),
        }
    }

    /// Whether any capture is running, invalidated ones included.
    pub fn any_capture(&self) -> bool {
        !self.captures.none_running()
    }

    /// The running capture that a stream is in; `thread` says whose per-thread stream is meant.
    pub fn capture_of(&self, thread: ThreadId, stream: Stream) -> Option<CaptureId> {
        if self.captures.none_running() {
            return None;
        }
        let state = self.streams.get(StreamKey::new(thread, stream))?;
        let capture = state.capture()?;
        self.captures.running(capture).is_some().then_some(capture)
    }

    /// A running capture, or the one that ended last.
    pub fn capture(&self, id: CaptureId) -> Option<&Capture> {
        self.captures.running(id).or_else(|| {
            self.last_ended()
                .and_then(|(ended, capture)| (ended == id).then_some(capture))
        })
    }

    /// The capture that ended last, however it ended; kept until the next one ends.
    pub fn last_ended(&self) -> Option<(CaptureId, &Capture)> {
        self.captures.last_ended()
    }

    /// The capture an event was last recorded in, also after that capture ended.
    pub fn event_capture(&self, event: EventId) -> Option<CaptureId> {
        self.events.get(event).and_then(EventState::capture)
    }

    /// The streams with work that the capture's origin does not wait for, of a running capture or the one that ended
    /// last; in the order they joined. See [`Capture::unjoined`].
    pub fn unjoined_streams(&self, id: CaptureId) -> Vec<Stream> {
        self.capture(id).map(Capture::unjoined).unwrap_or_default()
    }

    /// A graph that a capture or a call made.
    pub fn graph(&self, id: GraphId) -> Option<&Graph> {
        self.graphs.get(id).map(|state| &*state.graph)
    }

    /// A graph as it is now, to be kept: later changes are not seen in it.
    pub fn keep_graph(&self, id: GraphId) -> Option<Arc<Graph>> {
        self.graphs.get(id).map(|state| Arc::clone(&state.graph))
    }

    /// The nodes of a graph, also while a capture adds to them.
    pub fn nodes(&self, id: GraphId) -> Option<&[Node]> {
        let state = self.graphs.get(id)?;
        let capture = state.capture.and_then(|id| self.captures.running(id));
        Some(capture.map_or(state.graph.nodes(), Capture::nodes))
    }

    /// An executable graph.
    pub fn exec(&self, id: ExecId) -> Option<&Exec> {
        self.execs.get(id)
    }

    /// A thread's mode, as last exchanged.
    pub fn thread_mode(&self, thread: ThreadId) -> CaptureMode {
        self.permissions.mode(thread)
    }
}
