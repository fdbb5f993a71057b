//! Beginning and ending a capture.

use crate::{
    Answer, CaptureId, CaptureMode, CaptureState, Code, Dependencies, Graph, GraphId, Model,
    Reason, Stream, ThreadId,
    answer::{Outcome, Refusal},
    state::streams::Target,
};

impl Model {
    /// Begin a capture on its origin stream.
    pub(crate) fn begin_capture(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        mode: CaptureMode,
    ) -> Outcome {
        let target = self.may_begin(thread, stream)?;
        let serial = self.graphs.next_serial();
        let capture = self.captures.begin(target.key, mode, thread, serial);
        self.permissions.admit(capture, mode, thread);
        self.join(capture, &target, Dependencies::default());
        Ok(Answer::within(capture))
    }

    /// The stream, if a capture can begin on it.
    pub(crate) fn may_begin(
        &mut self,
        thread: ThreadId,
        stream: Stream,
    ) -> Result<Target, Refusal> {
        let target = self.target(thread, stream)?;
        if let Stream::Legacy(_) = stream {
            return Err(Reason::LegacyCannotCapture.into());
        }
        match target.capture() {
            Some(capture) => Err(Reason::AlreadyCapturing.by(capture)),
            None => Ok(target),
        }
    }

    /// End a capture; one into a graph that existed keeps that graph's name. Whatever is wrong with it, it is over
    /// afterwards, and destroys a graph that existed (`rich` recordings); except that a stream which is not its origin
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

        let (into, serial) = (capture.graph(), capture.serial());
        let code = failure.map_or(Code::SUCCESS, Reason::code);
        let captured = self.finish_capture(id, CaptureState::Ended(code));
        if let Some(reason) = failure {
            return Err(reason.by(id));
        }
        let captured = captured.unwrap_or_default();
        match into {
            Some(graph) => self.graphs.replace(graph, captured),
            None => self.graphs.add(graph, captured, serial),
        }
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
                self.memory.take_back(capture.nodes(), capture.serial());
                self.memory.lose(capture.nodes(), capture.serial());
                if let Some(graph) = capture.graph() {
                    self.graphs.destroy(graph);
                }
                if let Some(nested) = capture.graph_so_far().nested().cloned() {
                    self.release(nested);
                }
            }
        }
        self.captures.end(id, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Restricted, testing::*};

    const MALLOC: Call = Call::Restricted(Restricted::Malloc);

    #[test]
    fn unjoined_work_comes_before_the_wrong_thread() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.all_ok(&fork());
        let capture = model.ok(&enqueue(B, KERNEL));
        let ended = model.call(ELSEWHERE, &end(A, GRAPH));
        assert_eq!(ended.code, Code::STREAM_CAPTURE_UNJOINED);
        assert_eq!(ended.capture, capture);
        assert_eq!(model.unjoined_streams(capture.unwrap()), [B]);
    }

    #[test]
    fn a_fork_without_work_needs_no_join() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.ok(&enqueue(A, KERNEL));
        model.all_ok(&fork());
        let capture = model.ok(&end(A, GRAPH)).unwrap();
        assert_eq!(model.capture_of(HERE, B), None);
        assert_eq!(model.unjoined_streams(capture), []);
    }

    #[test]
    fn ending_a_fork_breaks_the_capture_and_leaves_it_running() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.all_ok(&fork());
        assert_eq!(model.code(&end(B, GRAPH)), Code::STREAM_CAPTURE_UNMATCHED);
        assert_eq!(model.code(&end(A, GRAPH)), Code::STREAM_CAPTURE_INVALIDATED);
        assert_eq!(model.code(&end(B, GRAPH)), Code::ILLEGAL_STATE);
    }

    #[test]
    fn the_wrong_thread_ends_a_capture_without_a_graph() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::ThreadLocal));
        let ended = model.call(ELSEWHERE, &end(A, GRAPH));
        assert_eq!(ended.code, Code::STREAM_CAPTURE_WRONG_THREAD);
        assert_eq!(model.graph(GRAPH), None);
        assert!(!model.any_capture());
    }

    #[test]
    fn a_capture_ends_with_its_origin_stream() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.all_ok(&fork());
        model.ok(&Call::StreamDestroy { stream: A });
        assert_eq!(model.capture_of(HERE, B), None);
        model.ok(&MALLOC);
    }

    #[test]
    fn a_destroyed_fork_is_still_to_be_joined() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.all_ok(&fork());
        model.ok(&enqueue(B, KERNEL));
        model.ok(&Call::StreamDestroy { stream: B });
        assert_eq!(model.code(&end(A, GRAPH)), Code::STREAM_CAPTURE_UNJOINED);
    }

    #[test]
    fn what_remains_of_a_failed_capture_tells_its_story() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::ThreadLocal));
        model.ok(&enqueue(A, KERNEL));
        assert!(!model.code(&MALLOC).is_success());
        let ended = model.call(HERE, &end(A, GRAPH));
        let (id, capture) = model.last_ended().unwrap();
        assert_eq!(ended.capture, Some(id));
        assert_eq!(capture.state(), CaptureState::Ended(ended.code));
        assert_eq!(capture.mode(), CaptureMode::ThreadLocal);
        assert_eq!((capture.origin(), capture.thread()), (A, HERE));
        assert_eq!(capture.nodes().len(), 1);
    }
}
