//! The unsafe calls: which capture forbids them to which thread.

use rustc_hash::FxHashMap;

use crate::{
    Answer, CaptureId, CaptureMode, Model, Reason, ThreadId, Value,
    answer::{Outcome, Refusal},
    conflicts::Conflicts,
};

/// What the permission of an unsafe call depends on.
///
/// A capture in relaxed mode forbids nothing. One in another mode forbids unsafe calls to the thread that began it, and
/// one in global mode to every other thread too. A thread frees itself from the captures of others by exchanging its
/// mode to thread-local, and from its own by exchanging it to relaxed. So says `rules.jsonl.gz`, for each of the
/// 3 modes × own or other thread × 3 exchanged modes.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    threads: FxHashMap<ThreadId, ThreadState>,
    /// The running captures in global mode.
    global: Conflicts,
}

#[derive(Debug, Default)]
struct ThreadState {
    mode: CaptureMode,
    /// The running captures that the thread began, relaxed ones left out.
    own: Conflicts,
}

impl Permissions {
    /// A thread begins a capture.
    pub(crate) fn admit(&mut self, capture: CaptureId, mode: CaptureMode, thread: ThreadId) {
        if mode == CaptureMode::Relaxed {
            return;
        }
        self.threads.entry(thread).or_default().own.insert(capture);
        if mode == CaptureMode::Global {
            self.global.insert(capture);
        }
    }

    /// The capture that the thread began ended.
    pub(crate) fn dismiss(&mut self, capture: CaptureId, thread: ThreadId) {
        if let Some(state) = self.threads.get_mut(&thread) {
            state.own.remove(capture);
        }
        self.global.remove(capture);
    }

    /// The thread's mode, as last exchanged.
    pub(crate) fn mode(&self, thread: ThreadId) -> CaptureMode {
        self.threads
            .get(&thread)
            .map_or(CaptureMode::Global, |state| state.mode)
    }
}

impl Model {
    pub(crate) fn exchange_mode(&mut self, thread: ThreadId, mode: CaptureMode) -> Answer {
        let state = self.permissions.threads.entry(thread).or_default();
        let old = std::mem::replace(&mut state.mode, mode);
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
        let Permissions { threads, global } = &mut self.permissions;
        let mode = threads
            .get(&thread)
            .map_or(CaptureMode::Global, |state| state.mode);
        if mode == CaptureMode::Relaxed {
            return Ok(());
        }

        let mut refusal = None;
        if mode == CaptureMode::Global
            && let Some(culprit) = global.culprit()
        {
            refusal = Some(Reason::CaptureOfAnotherThread.by(culprit));
            for capture in global.take_unbroken() {
                self.captures.invalidate(capture);
            }
        }
        if let Some(state) = threads.get_mut(&thread)
            && let Some(culprit) = state.own.culprit()
        {
            refusal = Some(Reason::CaptureOfThisThread.by(culprit));
            for capture in state.own.take_unbroken() {
                self.captures.invalidate(capture);
            }
        }
        refusal.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Restricted, testing::*};

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
