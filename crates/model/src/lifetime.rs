//! Beginning and ending a capture.

use crate::{
    Answer, CaptureMode, CaptureState, Dependencies, Graph, GraphId, Model, Reason, Stream,
    ThreadId, answer::Outcome,
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
        if capture.origin_key() != target.key {
            self.captures.invalidate(id);
            return Err(Reason::NotTheOrigin.by(id));
        }

        let wrong_thread = capture.thread() != thread && capture.mode() != CaptureMode::Relaxed;
        let failure = if capture.state() == CaptureState::Invalidated {
            Some(Reason::InvalidatedEarlier)
        } else if wrong_thread {
            Some(Reason::WrongThread)
        } else if !capture.unjoined().is_empty() {
            Some(Reason::Unjoined)
        } else {
            None
        };

        self.permissions.dismiss(id, capture.thread());
        self.devices.dismiss(id, capture);
        if let Some(reason) = failure {
            self.captures.end(id, reason.code());
            return Err(reason.by(id));
        }
        let nodes = self.captures.end(id, crate::Code::SUCCESS);
        self.graphs.add(graph, Graph::new(nodes));
        Ok(Answer::within(id))
    }
}
