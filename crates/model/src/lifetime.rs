//! Beginning and ending a capture.

use crate::{
    Answer, CaptureId, CaptureMode, CaptureState, Code, Dependencies, Graph, GraphId, Model,
    Reason, Stream, ThreadId, answer::Outcome, streams::Target,
};

impl Model {
    /// Begin a capture on its origin stream.
    pub(crate) fn begin_capture(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        mode: CaptureMode,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        if let Stream::Legacy(_) = stream {
            return Err(Reason::LegacyCannotCapture.into());
        }
        if let Some(capture) = target.capture() {
            return Err(Reason::AlreadyCapturing.by(capture));
        }
        let capture = self.captures.begin(target.key, mode, thread);
        self.permissions.admit(capture, mode, thread);
        self.join(capture, &target, Dependencies::default());
        Ok(Answer::within(capture))
    }

    /// End a capture. Whatever is wrong with it, it is over afterwards, except that a stream which is not its origin
    /// only breaks it (`fuzz.jsonl.gz`: 901, 904 and 908 leave the origin not capturing, 903 leaves it invalidated).
    pub(crate) fn end_capture(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        graph: GraphId,
    ) -> Outcome {
        let target = self.target(thread, stream)?;
        let id = target.capture().ok_or(Reason::NotCapturing)?;
        let Some(capture) = self.captures.running(id) else {
            return Err(Reason::NotCapturing.into());
        };
        if !capture.begins_on(target.key) {
            self.captures.invalidate(id);
            return Err(Reason::NotTheOrigin.by(id));
        }

        let wrong_thread = capture.thread() != thread && capture.mode() != CaptureMode::Relaxed;
        let failure = if capture.state() == CaptureState::Invalidated {
            Some(Reason::InvalidatedEarlier)
        } else if !capture.unjoined().is_empty() {
            Some(Reason::Unjoined)
        } else if wrong_thread {
            Some(Reason::WrongThread)
        } else {
            None
        };

        let code = failure.map_or(Code::SUCCESS, Reason::code);
        let captured = self.finish_capture(id, CaptureState::Ended(code));
        if let Some(reason) = failure {
            return Err(reason.by(id));
        }
        self.graphs.add(graph, captured.unwrap_or_default());
        Ok(Answer::within(id))
    }

    /// A capture whose origin stream is destroyed is over, and forbids nothing any more. One that another of its
    /// streams leaves goes on, and still waits for that stream's work to be joined. (Observed on the same driver.)
    pub(crate) fn stream_destroy(&mut self, thread: ThreadId, stream: Stream) -> Outcome {
        let Stream::Created(_) = stream else {
            return Err(Reason::UnknownHandle.into());
        };
        let target = self.locate(thread, stream)?;
        self.discard_capture_of(&target);
        self.streams.destroy(target.key);
        Ok(Answer::within(target.capture()))
    }

    /// A stream is gone: end the capture that began on it, if there is one.
    pub(crate) fn discard_capture_of(&mut self, target: &Target) {
        if let Some(id) = target.capture()
            && self.captures.is_origin(id, target.key)
        {
            self.finish_capture(id, CaptureState::Discarded);
        }
    }

    fn finish_capture(&mut self, id: CaptureId, state: CaptureState) -> Option<Graph> {
        if let Some(capture) = self.captures.running(id) {
            self.permissions.dismiss(id, capture.thread());
            self.devices.dismiss(id, capture);
            if state != CaptureState::Ended(Code::SUCCESS) {
                self.memory.lose(capture.nodes());
            }
        }
        self.captures.end(id, state)
    }
}
