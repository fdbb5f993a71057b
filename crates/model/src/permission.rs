//! The unsafe calls: which capture forbids them to which thread.

use crate::{
    Answer, CaptureMode, Model, ThreadId, Value,
    answer::{Outcome, Refusal},
};

impl Model {
    pub(crate) fn exchange_mode(&mut self, thread: ThreadId, mode: CaptureMode) -> Answer {
        let old = self.permissions.exchange_mode(thread, mode);
        Answer::with(Value::CaptureMode(old))
    }

    /// Make an unsafe call that does nothing else of interest.
    pub(crate) fn restricted(&mut self, thread: ThreadId) -> Outcome {
        self.permit_unsafe(thread)?;
        Ok(Answer::DONE)
    }

    /// Refuse an unsafe call if a capture forbids it. The refusal breaks every capture that does.
    pub(crate) fn permit_unsafe(&mut self, thread: ThreadId) -> Result<(), Refusal> {
        if self.captures.none_running() {
            return Ok(());
        }
        self.permissions.permit(thread, &mut self.captures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Reason, Restricted, testing::*};

    const MALLOC: Call = Call::Restricted(Restricted::Malloc);

    #[test]
    fn the_own_capture_is_named_before_that_of_another_thread() {
        let mut model = driver();
        let _ = model.call(ELSEWHERE, &begin(A, CaptureMode::Global));
        let own = model.ok(&begin(B, CaptureMode::ThreadLocal));
        let refused = model.call(HERE, &MALLOC);
        assert_eq!(refused.reason, Some(Reason::CaptureOfThisThread));
        assert_eq!(refused.capture, own);
    }

    #[test]
    fn a_broken_capture_still_forbids() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        for thread in [HERE, ELSEWHERE, HERE] {
            assert!(!model.call(thread, &MALLOC).code.is_success());
        }
    }

    #[test]
    fn an_exchange_returns_the_mode_before() {
        let mut model = driver();
        let exchanged = [CaptureMode::Relaxed, CaptureMode::ThreadLocal];
        let old = exchanged.map(|mode| {
            model
                .call(HERE, &Call::ThreadExchangeCaptureMode { mode })
                .value
        });
        assert_eq!(
            old,
            [CaptureMode::Global, CaptureMode::Relaxed].map(Value::CaptureMode)
        );
        assert_eq!(model.thread_mode(HERE), CaptureMode::ThreadLocal);
        assert_eq!(model.thread_mode(ELSEWHERE), CaptureMode::Global);
    }
}
