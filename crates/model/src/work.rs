//! Work on streams: captured, done at once, or refused.

use crate::{
    Answer, CaptureId, Code, Device, Model, NodeKind, Reason, Stream, ThreadId,
    answer::{Outcome, Refusal},
};

impl Model {
    /// Work that a capture can record. Allocations and frees in stream order are unsafe calls where they are not
    /// captured (`rules.jsonl.gz`: `cudaMallocAsync@other_nonblocking`). A fill of nothing is not even looked at.
    pub(crate) fn work(&mut self, thread: ThreadId, stream: Stream, node: &NodeKind) -> Outcome {
        if let NodeKind::Memset { bytes: 0, .. } = node {
            return Ok(Answer::DONE);
        }
        if node.is_uncapturable() {
            return self.uncapturable(thread, stream);
        }
        let target = self.target(thread, stream)?;
        let Some(seat) = target.seat else {
            if node.is_allocation() {
                self.permit_unsafe(thread)?;
                self.memory.run(node)?;
            }
            return Ok(Answer::DONE);
        };
        self.captures.require_active(seat.capture)?;
        if !is_nothing(node) {
            if node.is_allocation() {
                self.record_allocation(node, seat.capture)?;
            }
            self.captures.append(seat, node.clone());
        }
        Ok(Answer::within(seat.capture))
    }

    /// An allocation or a free is to become a node of what a capture records.
    pub(crate) fn record_allocation(
        &mut self,
        node: &NodeKind,
        capture: CaptureId,
    ) -> Result<(), Refusal> {
        let Some(graph) = self.captures.touch_memory(capture) else {
            return Ok(());
        };
        let recorded = self.memory.record(node, graph);
        recorded.map_err(|reason| reason.by(capture))
    }

    /// A launch that the driver refuses for its own sake, which breaks the capture of its stream. What else would refuse
    /// it comes first (`rich` recordings).
    pub(crate) fn failed_launch(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        code: Code,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        if let Some(capture) = target.capture() {
            self.captures.require_active(capture)?;
            self.captures.invalidate(capture);
        }
        Err(Reason::LaunchRefused(code).by(target.capture()))
    }

    /// `cudaFree` of memory that was allocated in stream order.
    pub(crate) fn free_allocated(&mut self, thread: ThreadId, address: u64) -> Outcome {
        self.permit_unsafe(thread)?;
        self.memory.free(address)?;
        Ok(Answer::DONE)
    }

    /// `cudaMemcpy`, `cudaMemset`: done on the legacy stream, so the legacy rule is all that can refuse them.
    pub(crate) fn synchronous_work(&mut self, device: Device) -> Outcome {
        self.permit_legacy(device)?;
        Ok(Answer::DONE)
    }

    /// Work that no capture can record, on a stream.
    pub(crate) fn uncapturable(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        self.forbid_capturing(thread, stream)?;
        Ok(Answer::DONE)
    }

    /// As [`Model::uncapturable`], and an unsafe call on streams that do not capture: waiting for a stream, asking
    /// whether it is idle, attaching memory to it.
    pub(crate) fn uncapturable_and_unsafe(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        self.forbid_capturing(thread, stream)?;
        self.restricted(thread)
    }

    /// Refuse a call on a stream that captures, which breaks the capture.
    pub(crate) fn forbid_capturing(
        &mut self,
        thread: ThreadId,
        stream: Stream,
    ) -> Result<(), Refusal> {
        let target = self.target(thread, stream)?;
        let Some(capture) = target.capture() else {
            return Ok(());
        };
        self.captures.invalidate(capture);
        Err(Reason::StreamIsCapturing.by(capture))
    }
}

/// Whether the work is done by doing nothing. It is permitted and becomes no node. (Observed on the same driver.)
fn is_nothing(node: &NodeKind) -> bool {
    matches!(
        node,
        NodeKind::Memcpy { bytes: 0, .. }
            | NodeKind::Memset { bytes: 0, .. }
            | NodeKind::MemAlloc { bytes: 0, .. }
            | NodeKind::MemFree { address: 0 }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaptureMode, CopyKind, testing::*};

    #[test]
    fn nothing_to_do_becomes_no_node() {
        let mut model = driver();
        let fill = NodeKind::Memset {
            dst: 1,
            value: 0,
            bytes: 0,
        };
        model.captured(GRAPH, &[free(0), fill]);
        assert!(model.graph(GRAPH).unwrap().nodes().is_empty());
    }

    #[test]
    fn a_copy_that_names_two_devices_breaks_the_capture_of_its_stream() {
        let mut model = driver();
        let peers = |kind| NodeKind::Memcpy {
            kind,
            dst: 1,
            src: 2,
            bytes: 4,
        };
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&enqueue(A, peers(CopyKind::DeviceToDevice)));
        model.ok(&enqueue(B, peers(CopyKind::BetweenDevices)));
        let refused = model.call(HERE, &enqueue(A, peers(CopyKind::BetweenDevices)));
        assert_eq!(refused.reason, Some(Reason::StreamIsCapturing));
        assert_eq!(refused.code, Code::STREAM_CAPTURE_UNSUPPORTED);
        let after = model.call(HERE, &enqueue(A, peers(CopyKind::DeviceToDevice)));
        assert_eq!(after.reason, Some(Reason::InvalidatedEarlier));
    }

    #[test]
    fn an_allocation_is_unsafe_only_outside_the_capture() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.ok(&enqueue(A, alloc(1)));
        let refused = model.call(HERE, &enqueue(B, alloc(2)));
        assert_eq!(refused.reason, Some(Reason::CaptureOfThisThread));
    }
}
