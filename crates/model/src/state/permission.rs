//! What the permission of an unsafe call depends on.

use rustc_hash::FxHashMap;

use super::{capture::Captures, conflicts::Conflicts};
use crate::{CaptureId, CaptureMode, Reason, ThreadId, answer::Refusal};

/// The modes of threads, and the captures that forbid unsafe calls.
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

    /// A thread exchanges its mode. Returns the old one.
    pub(crate) fn exchange_mode(&mut self, thread: ThreadId, mode: CaptureMode) -> CaptureMode {
        let state = self.threads.entry(thread).or_default();
        std::mem::replace(&mut state.mode, mode)
    }

    /// Refuse an unsafe call if a capture forbids it. The refusal breaks every capture that does.
    pub(crate) fn permit(
        &mut self,
        thread: ThreadId,
        captures: &mut Captures,
    ) -> Result<(), Refusal> {
        let mode = self.mode(thread);
        if mode == CaptureMode::Relaxed {
            return Ok(());
        }
        let is_global = mode == CaptureMode::Global;
        let another = is_global.then(|| self.global.break_all(captures));
        let own = self.threads.get_mut(&thread);
        let own = own.and_then(|state| state.own.break_all(captures));
        match (own, another.flatten()) {
            (Some(culprit), _) => Err(Reason::CaptureOfThisThread.by(culprit)),
            (None, Some(culprit)) => Err(Reason::CaptureOfAnotherThread.by(culprit)),
            (None, None) => Ok(()),
        }
    }
}
