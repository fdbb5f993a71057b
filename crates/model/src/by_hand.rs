//! Captures that a program steers by hand: into a graph of its own, with dependencies and nodes of its own.

use crate::{
    Answer, CaptureMode, Dependencies, GraphId, Model, NodeIndex, NodeKind, Reason, Stream,
    ThreadId,
    answer::{Outcome, Refusal},
    state::capture::Seat,
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
    pub(crate) fn capturing(&mut self, thread: ThreadId, stream: Stream) -> Result<Seat, Refusal> {
        let target = self.target(thread, stream)?;
        let seat = target.seat.ok_or(Reason::NotCapturing)?;
        self.captures.require_active(seat.capture)?;
        Ok(seat)
    }
}

/// What the driver says of work that the program has taken in hand, as two H100s did (driver 580.159.04): A is the origin
/// stream, and B was forked from it.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Code, testing::*};

    const FIRST: NodeIndex = NodeIndex(0);
    const SECOND: NodeIndex = NodeIndex(1);

    fn update(stream: Stream, dependencies: &[NodeIndex], flags: u32) -> Call {
        Call::StreamUpdateCaptureDependencies {
            stream,
            dependencies: dependencies.to_vec(),
            flags,
        }
    }

    fn add(dependencies: &[NodeIndex]) -> Call {
        Call::CaptureAddNode {
            stream: A,
            node: NodeKind::Empty,
            dependencies: dependencies.to_vec(),
        }
    }

    /// How a capture ends in which B was forked, and these calls were made.
    fn ended(calls: &[Call]) -> Code {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.all_ok(&fork());
        model.all_ok(calls);
        model.code(&end(A, GRAPH))
    }

    fn work() -> Call {
        enqueue(B, KERNEL)
    }

    #[test]
    fn a_node_that_was_added_needs_no_join() {
        // NCCL's stream ends with such a node, which records an event for work outside of the graph.
        assert_eq!(ended(&[add(&[]), update(B, &[FIRST], SET)]), Code::SUCCESS);
        assert_eq!(ended(&[add(&[]), update(B, &[FIRST], 0)]), Code::SUCCESS);
    }

    #[test]
    fn work_behind_it_does() {
        let calls = [add(&[]), update(B, &[FIRST], SET), work()];
        assert_eq!(ended(&calls), Code::STREAM_CAPTURE_UNJOINED);
    }

    #[test]
    fn work_that_a_stream_was_told_not_to_depend_on_needs_no_join() {
        assert_eq!(ended(&[work(), update(B, &[], SET)]), Code::SUCCESS);
        assert_eq!(ended(&[work(), update(B, &[FIRST], SET)]), Code::SUCCESS);
        let twice = [work(), update(B, &[], SET), update(B, &[FIRST], SET)];
        assert_eq!(ended(&twice), Code::SUCCESS);
    }

    #[test]
    fn work_with_a_node_behind_it_needs_no_join() {
        let replaced = [work(), add(&[FIRST]), update(B, &[SECOND], SET)];
        assert_eq!(ended(&replaced), Code::SUCCESS);
        let added = [work(), add(&[FIRST]), update(B, &[SECOND], 0)];
        assert_eq!(ended(&added), Code::SUCCESS);
    }

    #[test]
    fn a_node_beside_it_changes_nothing() {
        let calls = [work(), add(&[]), update(B, &[SECOND], 0)];
        assert_eq!(ended(&calls), Code::STREAM_CAPTURE_UNJOINED);
    }
}
