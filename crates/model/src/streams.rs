//! Streams: what they are, and the capture each one is in.

use crate::{
    Answer, CaptureId, CaptureInfo, CaptureStatus, Dependencies, Device, Model, Reason, Stream,
    ThreadId, Value,
    answer::{Outcome, Refusal},
    handle::StreamKey,
    state::{
        capture::Member,
        streams::{StreamState, Target},
    },
};

impl Model {
    pub(crate) fn stream_create(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        device: Device,
        non_blocking: bool,
    ) -> Answer {
        if let Stream::Created(handle) = stream {
            // A handle that comes up again was destroyed in between, though no call said so.
            if let Ok(previous) = self.locate(thread, stream) {
                self.discard_capture_of(&previous);
            }
            let state = StreamState {
                device,
                blocking: !non_blocking,
                seat: None,
                is_assumed: false,
            };
            self.streams.create(StreamKey::Created(handle), state);
        }
        Answer::DONE
    }

    pub(crate) fn stream_is_capturing(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        let info = self.capture_info(thread, stream)?;
        Ok(Answer::with(Value::CaptureStatus(info.status)))
    }

    pub(crate) fn stream_get_capture_info(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        let info = self.capture_info(thread, stream)?;
        Ok(Answer::with(Value::CaptureInfo(info)))
    }

    /// Asking is refused on a legacy stream as work would be, but breaks nothing (`rules.jsonl.gz`:
    /// `cudaStreamIsCapturing@legacy`).
    fn capture_info(&mut self, thread: ThreadId, stream: Stream) -> Result<CaptureInfo, Refusal> {
        let target = self.locate(thread, stream)?;
        if let Stream::Legacy(device) = stream
            && let Some(capture) = self.devices.blocking_capture(device)
        {
            return Err(Reason::LegacyDependsOnCapture.by(capture));
        }
        let Some(seat) = target.seat else {
            return Ok(CaptureInfo::default());
        };
        if !self.captures.is_active(seat.capture) {
            return Ok(CaptureInfo {
                status: CaptureStatus::Invalidated,
                ..CaptureInfo::default()
            });
        }
        Ok(CaptureInfo {
            status: CaptureStatus::Active,
            id: Some(seat.capture),
            dependencies: self.captures.dependencies(seat),
        })
    }

    /// A priority can be asked for wherever work could be enqueued (`rules.jsonl.gz`).
    pub(crate) fn stream_get_priority(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        let target = self.target(thread, stream)?;
        if let Some(capture) = target.capture() {
            self.captures.require_active(capture)?;
        }
        Ok(Answer::DONE)
    }

    /// The stream a call is about. On a legacy stream the legacy rule comes first.
    pub(crate) fn target(&mut self, thread: ThreadId, stream: Stream) -> Result<Target, Refusal> {
        let target = self.locate(thread, stream)?;
        if let Stream::Legacy(device) = stream {
            self.permit_legacy(device)?;
        }
        Ok(target)
    }

    /// The stream a call is about, without asking whether the call is permitted.
    pub(crate) fn locate(&mut self, thread: ThreadId, stream: Stream) -> Result<Target, Refusal> {
        let key = StreamKey::new(thread, stream);
        let state = *self
            .streams
            .get_or_assume(key, || StreamState::assumed(key))
            .ok_or(Reason::UnknownHandle)?;
        let captures = &self.captures;
        let seat = state
            .seat
            .filter(|seat| captures.running(seat.capture).is_some());
        Ok(Target { key, seat, state })
    }

    /// Take a stream into a running capture; its next node will depend on `dependencies`.
    pub(crate) fn join(&mut self, capture: CaptureId, target: &Target, dependencies: Dependencies) {
        let member = Member {
            stream: target.key,
            device: target.state.device,
            dependencies,
        };
        let seat = self.captures.admit(capture, member);
        if let Some(state) = self.streams.get_mut(target.key) {
            state.seat = seat;
        }
        self.devices
            .admit(target.state.device, capture, target.state.blocking);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, CaptureMode, Code, testing::*};

    #[test]
    fn a_stream_that_no_call_announced_is_a_non_blocking_one() {
        let mut model = Model::new();
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&enqueue(LEGACY, KERNEL));
    }

    #[test]
    fn a_destroyed_stream_is_refused_until_its_handle_comes_up_again() {
        let mut model = driver();
        model.ok(&Call::StreamDestroy { stream: A });
        assert_eq!(model.code(&enqueue(A, KERNEL)), Code::INVALID_HANDLE);
        model.ok(&Call::StreamCreate {
            stream: A,
            device: DEVICE,
            non_blocking: true,
            priority: 0,
        });
        model.ok(&enqueue(A, KERNEL));
    }

    #[test]
    fn each_thread_has_its_own_per_thread_stream() {
        let mut model = driver();
        let stream = Stream::PerThread(DEVICE);
        model.ok(&begin(stream, CaptureMode::Relaxed));
        assert!(model.capture_of(HERE, stream).is_some());
        assert_eq!(model.capture_of(ELSEWHERE, stream), None);
    }

    #[test]
    fn a_priority_is_not_told_by_a_stream_whose_capture_broke() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&Call::StreamGetPriority { stream: A });
        assert!(!model.code(&Call::StreamQuery { stream: A }).is_success());
        assert_eq!(
            model.code(&Call::StreamGetPriority { stream: A }),
            Code::STREAM_CAPTURE_INVALIDATED
        );
    }
}
