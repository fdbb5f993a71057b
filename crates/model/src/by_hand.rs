//! Captures that a program steers by hand: into a graph of its own, with dependencies and nodes of its own.

use crate::{
    Answer, CaptureMode, Dependencies, GraphId, Model, NodeIndex, NodeKind, Reason, Stream,
    ThreadId,
    answer::{Outcome, Refusal},
    capture::Seat,
};

/// `cudaStreamSetCaptureDependencies`; 0 is `cudaStreamAddCaptureDependencies`.
const SET: u32 = 1;

impl Model {
    /// Begin a capture into a graph that exists. Its nodes stay the graph's, and can be depended on.
    pub(crate) fn begin_capture_to_graph(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        graph: GraphId,
        dependencies: &[NodeIndex],
        mode: CaptureMode,
    ) -> Outcome {
        let target = self.may_begin(thread, stream)?;
        let state = self.graphs.require(graph)?.cloned();
        if state.as_ref().is_some_and(|state| state.capture.is_some()) {
            return Err(Reason::GraphIsCapturedInto.into());
        }
        let serial = match &state {
            Some(state) => state.serial,
            None => self.graphs.next_serial(),
        };
        let capture = self.captures.begin(target.key, mode, thread, serial);
        if let Some(state) = state {
            self.captures.capture_into(capture, graph, &state.graph);
            self.graphs.set_capture(graph, Some(capture));
        }
        self.permissions.admit(capture, mode, thread);
        self.join(capture, &target, dependencies.iter().copied().collect());
        Ok(Answer::within(capture))
    }

    /// Change what the stream's next node depends on. A flag that does not exist is refused and breaks nothing.
    pub(crate) fn update_capture_dependencies(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        dependencies: &[NodeIndex],
        flags: u32,
    ) -> Outcome {
        let seat = self.capturing(thread, stream)?;
        if flags > SET {
            return Err(Reason::InvalidArgument.by(seat.capture));
        }
        let dependencies: Dependencies = dependencies.iter().copied().collect();
        if flags == SET {
            self.captures.set_dependencies(seat, dependencies);
        } else {
            self.captures.await_nodes(seat, &dependencies);
        }
        Ok(Answer::within(seat.capture))
    }

    /// Add a node to the graph that the stream captures into. The stream itself does not come to wait for it.
    pub(crate) fn capture_add_node(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        node: &NodeKind,
        dependencies: &[NodeIndex],
    ) -> Outcome {
        let seat = self.capturing(thread, stream)?;
        self.add_to_capture(seat.capture, node, dependencies)
    }

    /// The seat of a stream that must be in an unbroken capture.
    fn capturing(&mut self, thread: ThreadId, stream: Stream) -> Result<Seat, Refusal> {
        let target = self.target(thread, stream)?;
        let seat = target.seat.ok_or(Reason::NotCapturing)?;
        self.captures.require_active(seat.capture)?;
        Ok(seat)
    }
}
