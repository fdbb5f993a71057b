//! Events: where each was last recorded, and what may be done with it since.

use crate::{
    Answer, CaptureId, Device, EventId, Model, NodeKind, Reason, Stream, ThreadId,
    answer::{Outcome, Refusal},
    handle::StreamKey,
    state::{
        capture::Seat,
        events::{EventState, Record},
        streams::Target,
    },
};

impl Model {
    pub(crate) fn event_create(&mut self, event: EventId, device: Device, timing: bool) -> Answer {
        let state = EventState {
            device: Some(device),
            timing,
            record: Record::Never,
        };
        self.events.create(event, state);
        Answer::DONE
    }

    pub(crate) fn event_destroy(&mut self, event: EventId) -> Outcome {
        self.event(event)?;
        self.events.destroy(event);
        Ok(Answer::DONE)
    }

    /// On a capturing stream the event stands for the nodes that the stream's next node would depend on; nothing is
    /// added to the graph.
    pub(crate) fn event_record(
        &mut self,
        thread: ThreadId,
        event: EventId,
        stream: Stream,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        let record = match target.seat {
            Some(seat) => {
                self.captures.require_active(seat.capture)?;
                Record::Captured(seat.capture, self.captures.dependencies(seat))
            }
            None => Record::Uncaptured,
        };
        self.event_for(&target, event)?.record = record;
        Ok(Answer::within(target.capture()))
    }

    /// With the external flag a record is a node, the event is not captured, and may belong to another device.
    pub(crate) fn event_record_external(
        &mut self,
        thread: ThreadId,
        event: EventId,
        stream: Stream,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        self.event(event)?;
        let seat = target.seat.ok_or(Reason::OnlyInCapture)?;
        self.captures.require_active(seat.capture)?;
        self.captures.append(seat, NodeKind::EventRecord { event });
        Ok(Answer::within(seat.capture))
    }

    /// A wait is how streams fork from a capture and join it again.
    pub(crate) fn stream_wait_event(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        event: EventId,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        match target.seat {
            None => self.wait_outside(&target, event),
            Some(seat) => self.wait_inside(seat, event),
        }
    }

    /// A stream that waits for a captured event enters the event's capture, whoever calls. The legacy stream cannot,
    /// and breaks it instead.
    fn wait_outside(&mut self, target: &Target, event: EventId) -> Outcome {
        let Record::Captured(capture, dependencies) = self.event(event)?.record.clone() else {
            return Ok(Answer::DONE);
        };
        if !self.captures.is_active(capture) {
            return Err(Reason::EventOfPastCapture.by(capture));
        }
        if let StreamKey::Legacy(_) = target.key {
            self.captures.invalidate(capture);
            return Err(Reason::LegacyDependsOnCapture.by(capture));
        }
        self.join(capture, target, dependencies);
        Ok(Answer::within(capture))
    }

    /// A stream of a capture can wait for the nodes of an event of that capture, and for an event that was never
    /// recorded. Any other event breaks the capture.
    fn wait_inside(&mut self, seat: Seat, event: EventId) -> Outcome {
        let waiting = seat.capture;
        self.captures.require_active(waiting)?;
        let record = self.event(event).map(|event| event.record.clone());
        let refusal = match record {
            Ok(Record::Never) => return Ok(Answer::within(waiting)),
            Ok(Record::Captured(capture, dependencies)) if capture == waiting => {
                self.captures.await_nodes(seat, &dependencies);
                return Ok(Answer::within(waiting));
            }
            Ok(Record::Uncaptured) => Reason::EventOutsideCapture.by(waiting),
            Ok(Record::Captured(other, _)) if self.captures.is_active(other) => {
                self.captures.invalidate(other);
                Reason::EventOfAnotherCapture.by(waiting)
            }
            Ok(Record::Captured(..)) => Reason::EventOfPastCapture.by(waiting),
            Err(refusal) => refusal,
        };
        self.captures.invalidate(waiting);
        Err(refusal)
    }

    /// With the external flag a wait is a node, whatever the event's past; only an event of a capture that is over is
    /// refused.
    pub(crate) fn stream_wait_event_external(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        event: EventId,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        let recorded_in = self.event(event)?.capture();
        let past = recorded_in.filter(|&capture| !self.captures.is_active(capture));

        let Some(seat) = target.seat else {
            return Err(past.map_or(Reason::OnlyInCapture.into(), |capture| {
                Reason::EventOfPastCapture.by(capture)
            }));
        };
        self.captures.require_active(seat.capture)?;
        if past.is_some() {
            self.captures.invalidate(seat.capture);
            return Err(Reason::EventOfPastCapture.by(seat.capture));
        }
        self.captures.append(seat, NodeKind::EventWait { event });
        Ok(Answer::within(seat.capture))
    }

    /// `cudaEventQuery` and `cudaEventSynchronize`: unsafe calls, and impossible on a captured event, whose capture
    /// they break.
    pub(crate) fn event_wait_on_host(&mut self, thread: ThreadId, event: EventId) -> Outcome {
        if let Err((reason, capture)) = self.event_outside_captures(event)? {
            self.captures.invalidate(capture);
            return Err(reason.by(capture));
        }
        self.restricted(thread)
    }

    /// Timing is no unsafe call, and breaks no capture. The events must belong to one device.
    pub(crate) fn event_elapsed_time(&mut self, start: EventId, end: EventId) -> Outcome {
        for event in [start, end] {
            if let Err((reason, capture)) = self.event_outside_captures(event)? {
                return Err(reason.by(capture));
            }
            let state = self.event(event)?;
            if !state.timing || matches!(state.record, Record::Never) {
                return Err(Reason::EventHasNoTime.into());
            }
        }
        match (self.event(start)?.device, self.event(end)?.device) {
            (Some(one), Some(other)) if one != other => Err(Reason::EventOfAnotherDevice.into()),
            _ => Ok(Answer::DONE),
        }
    }

    /// `Err` if the event was last recorded in a capture, with the reason to refuse its use by the host.
    fn event_outside_captures(
        &mut self,
        event: EventId,
    ) -> Result<Result<(), (Reason, CaptureId)>, Refusal> {
        Ok(match self.event(event)?.capture() {
            None => Ok(()),
            Some(capture) if self.captures.is_active(capture) => {
                Err((Reason::EventIsCaptured, capture))
            }
            Some(capture) => Err((Reason::EventOfPastCapture, capture)),
        })
    }

    /// The event, if it can be recorded on the stream: an event can be waited for from any device, and recorded only
    /// on its own (400 in the recordings with two devices).
    fn event_for(&mut self, target: &Target, event: EventId) -> Result<&mut EventState, Refusal> {
        let state = self.event(event)?;
        match (state.device, target.known_device()) {
            (Some(events), Some(streams)) if events != streams => {
                Err(Reason::EventOfAnotherDevice.into())
            }
            _ => Ok(state),
        }
    }

    fn event(&mut self, event: EventId) -> Result<&mut EventState, Refusal> {
        if event == EventId(0) {
            return Err(Reason::UnknownHandle.into());
        }
        self.events
            .get_or_assume(event, EventState::assumed)
            .ok_or(Reason::UnknownHandle.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, CaptureMode, Code, NodeIndex, testing::*};

    #[test]
    fn a_join_adds_an_edge_from_the_fork() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.ok(&enqueue(A, KERNEL));
        model.all_ok(&fork());
        model.ok(&enqueue(B, KERNEL));
        model.all_ok(&join());
        model.ok(&enqueue(A, KERNEL));
        model.ok(&end(A, GRAPH));
        let graph = model.graph(GRAPH).unwrap();
        assert_eq!(*graph.nodes()[1].dependencies, [NodeIndex(0)]);
        assert_eq!(*graph.nodes()[2].dependencies, [NodeIndex(0), NodeIndex(1)]);
    }

    #[test]
    fn a_capture_cannot_wait_for_what_came_before_it() {
        let mut model = driver();
        model.ok(&record(FORK, B));
        model.ok(&begin(A, CaptureMode::Relaxed));
        assert_eq!(model.code(&wait(A, FORK)), Code::STREAM_CAPTURE_ISOLATION);
        assert_eq!(model.code(&end(A, GRAPH)), Code::STREAM_CAPTURE_INVALIDATED);
    }

    #[test]
    fn two_captures_do_not_merge() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&begin(B, CaptureMode::Relaxed));
        model.ok(&record(FORK, A));
        assert_eq!(model.code(&wait(B, FORK)), Code::STREAM_CAPTURE_MERGE);
        for stream in [A, B] {
            assert_eq!(
                model.code(&end(stream, GRAPH)),
                Code::STREAM_CAPTURE_INVALIDATED
            );
        }
    }

    #[test]
    fn querying_a_captured_event_breaks_its_capture_and_timing_it_does_not() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Relaxed));
        let capture = model.ok(&record(FORK, A));
        let elapsed = Call::EventElapsedTime {
            start: FORK,
            end: JOIN,
        };
        assert_eq!(model.code(&elapsed), Code::CAPTURED_EVENT);
        model.ok(&enqueue(A, KERNEL));
        let query = Call::EventQuery { event: FORK };
        assert_eq!(model.code(&query), Code::CAPTURED_EVENT);
        assert_eq!(
            model.code(&enqueue(A, KERNEL)),
            Code::STREAM_CAPTURE_INVALIDATED
        );
        assert_eq!(model.event_capture(FORK), capture);
        assert_eq!(model.code(&query), Code::INVALID_VALUE);
    }

    #[test]
    fn only_a_wait_for_no_event_breaks_a_capture() {
        let mut model = driver();
        let none = EventId(0);
        model.ok(&begin(A, CaptureMode::Relaxed));
        assert_eq!(model.code(&record(none, A)), Code::INVALID_HANDLE);
        model.ok(&enqueue(A, KERNEL));
        assert_eq!(model.code(&wait(A, none)), Code::INVALID_HANDLE);
        assert_eq!(model.code(&end(A, GRAPH)), Code::STREAM_CAPTURE_INVALIDATED);
    }

    #[test]
    fn an_event_recorded_again_forgets_its_capture() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&record(FORK, A));
        model.ok(&record(FORK, B));
        assert_eq!(model.event_capture(FORK), None);
        model.ok(&Call::EventQuery { event: FORK });
    }
}
