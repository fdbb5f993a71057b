//! The one state, and its lock.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cgsan_model::{
    Call, Capture, CaptureId, Code, Device, GraphId, Model, NodeIndex, NodeKind, Stream,
};
use rustc_hash::FxHashMap;

use super::attributes::{self, Attribute, Attributes};
use super::schedule::Lane;
use super::stream::{LEGACY_STREAM, PER_THREAD_STREAM, StreamProperties};
use super::{context, handle};
use crate::graph::{Graph, Graphs};
use crate::locks;

/// What the virtual GPU knows, apart from its memory.
#[derive(Default)]
pub struct Gpu {
    /// Who captures, in which mode, and what the driver answers.
    pub model: Model,
    /// The graphs, and what their nodes do.
    pub graphs: Graphs,
    /// What streams were created with.
    pub streams: FxHashMap<u64, StreamProperties>,
    /// The attributes that streams were given. Those of all threads' own streams of a device are one here.
    pub stream_attributes: FxHashMap<Stream, Attributes>,
    streams_created: u64,
}

impl Gpu {
    /// The identity of the next stream; the driver keeps the first ones for itself.
    pub fn next_stream_id(&mut self) -> u64 {
        self.streams_created += 1;
        13 + self.streams_created
    }

    /// The device of a stream; one that does not exist is taken for one of the calling thread's device.
    pub fn device_of(&self, stream: Stream) -> Device {
        match stream {
            Stream::Legacy(device) | Stream::PerThread(device) => device,
            Stream::Created(handle) => {
                let properties = self.streams.get(&handle);
                properties.map_or_else(context::device, |it| it.device)
            }
        }
    }

    /// The identity of a stream, as the driver gives it to the default streams.
    pub fn stream_number(&self, stream: Stream) -> u64 {
        match stream {
            Stream::Legacy(_) => LEGACY_STREAM,
            Stream::PerThread(_) => PER_THREAD_STREAM,
            Stream::Created(handle) => self.streams.get(&handle).map_or(0, |it| it.id),
        }
    }

    /// The attributes of a stream, its priority among them.
    pub fn attributes_of(&self, stream: Stream) -> Attributes {
        let mut attributes = Attributes::default();
        if let Stream::Created(handle) = stream
            && let Some(properties) = self.streams.get(&handle)
            && properties.priority != 0
        {
            let priority = attributes::of_number(properties.priority);
            attributes.set(Attribute::Priority, priority);
        }
        if let Some(given) = self.stream_attributes.get(&stream) {
            attributes.take_over(given);
        }
        attributes
    }

    /// A stream with what decides its order.
    pub fn lane(&self, stream: Stream) -> Lane {
        match stream {
            Stream::Legacy(device) => Lane::Legacy(device),
            Stream::PerThread(device) => Lane::PerThread(device, cgsan_observe::current_thread()),
            Stream::Created(handle) => Lane::Created {
                handle,
                device: self.device_of(stream),
                blocking: self
                    .streams
                    .get(&handle)
                    .is_some_and(StreamProperties::is_blocking),
            },
        }
    }

    /// Whether a call names a stream that was never created, or is gone. The model takes every stream for real.
    pub fn is_on_unknown_stream(&self, call: &Call) -> bool {
        matches!(call.stream(), Some(Stream::Created(handle)) if !self.streams.contains_key(&handle))
    }

    /// The handle that the graph of a stream's capture will have; one that names nothing if the stream does not capture.
    pub fn graph_to_be(&self, stream: Stream) -> u64 {
        self.model
            .capture_of(cgsan_observe::current_thread(), stream)
            .and_then(|capture| self.graphs.target(capture))
            .unwrap_or_else(handle::fresh)
    }

    /// The nodes of a stream's capture that have these handles. A stream that does not capture has none.
    pub fn captured_nodes(
        &mut self,
        stream: Stream,
        handles: &[u64],
    ) -> Result<Vec<NodeIndex>, Code> {
        let capture = self
            .model
            .capture_of(cgsan_observe::current_thread(), stream);
        match capture.and_then(|capture| self.graphs.target(capture)) {
            Some(graph) => self.graph(graph)?.places(handles),
            None => Ok(Vec::new()),
        }
    }

    /// The graph that a capture adds to, and the handles of some of its nodes.
    pub fn captured_graph(&mut self, capture: CaptureId, nodes: &[NodeIndex]) -> (u64, Vec<u64>) {
        let Some(target) = self.graphs.target(capture) else {
            return (0, Vec::new());
        };
        let graph = self.graph(target);
        let handles = graph.map(|graph| {
            let named = nodes
                .iter()
                .filter_map(|at| graph.nodes().get(at.0 as usize));
            named.map(|node| node.handle).collect()
        });
        (target, handles.unwrap_or_default())
    }

    /// A graph, with all that the model says it has.
    pub fn graph(&mut self, graph: u64) -> Result<&Graph, Code> {
        self.graphs.catch_up(&self.model, graph);
        self.graphs.graph(graph)
    }

    /// The call that adds a node by hand to a graph. Until its capture ends, a captured graph is the model's only by the
    /// capture.
    pub fn addition(&mut self, graph: u64, node: NodeKind, after: &[u64]) -> Result<Call, Code> {
        let dependencies = self.graph(graph)?.places(after)?;
        Ok(match self.origin_of(graph) {
            Some(stream) => Call::CaptureAddNode {
                stream,
                node,
                dependencies,
            },
            None => Call::GraphAddNode {
                graph: GraphId(graph),
                node,
                dependencies,
            },
        })
    }

    /// The call that tells of a graph which the newest node of another one, a conditional one, runs.
    pub fn body_of(&self, graph: u64, body: u64) -> Call {
        let body = GraphId(body);
        match self.origin_of(graph) {
            Some(stream) => Call::CaptureBody { stream, body },
            None => Call::GraphBody {
                graph: GraphId(graph),
                body,
            },
        }
    }

    /// The stream on which the capture began that adds to a graph.
    fn origin_of(&self, graph: u64) -> Option<Stream> {
        let maker = self.graphs.maker(&self.model, graph)?;
        self.model.capture(maker).map(Capture::origin)
    }

    /// Refuses what cannot be done to a graph while its capture runs, as the model refuses it for a graph that a capture
    /// adds to.
    pub fn forbid_while_captured(&self, graph: u64) -> Result<(), Code> {
        match self.graphs.maker(&self.model, graph) {
            Some(_) => Err(Code::ILLEGAL_STATE),
            None => Ok(()),
        }
    }
}

static GPU: LazyLock<Mutex<Gpu>> = LazyLock::new(Mutex::default);

/// The state, for reading or for what needs no permission. A panic of an earlier holder left it usable: every change
/// is made by the model or is a single insertion.
pub fn lock() -> MutexGuard<'static, Gpu> {
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same if nobody holds it.
pub fn lock_if_free() -> Option<MutexGuard<'static, Gpu>> {
    locks::if_free(&GPU)
}
