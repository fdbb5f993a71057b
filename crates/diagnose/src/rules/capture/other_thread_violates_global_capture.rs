//! CG111: a thread that does not capture makes a call that a capture forbids to all threads.

use cgsan_finding::Confidence;
use cgsan_model::{Call, CaptureMode, Code, Reason};

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG111",
    check: Check::Failure(check),
};

/// Signal: a call refused as unsupported (900), by a thread that neither captures nor works for the one that does.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let capture = failure.capture?;
    let step = failure.refused()?;
    let refused_as_unsafe = failure.code()? == Code::STREAM_CAPTURE_UNSUPPORTED;
    if failure.actor() != Actor::Other || !refused_as_unsafe {
        return None;
    }
    let function = failure.history.trace.string(step.record.function);
    let thread = failure
        .thread_name()
        .map_or_else(|| step.thread.0.to_string(), |name| format!("`{name}`"));
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "another thread broke the capture",
        format!("thread {thread} called {function} while the capture ran"),
    );
    if failure.works_for_capturer() {
        return Some(
            verdict
                .note("the thread waits for work that the capture recorded, so no capture mode permits it")
                .note("the line shown is what the capturing thread was at")
                .help("move this line out of the captured region: before it begins, or after `replay()`"),
        );
    }
    // What waits for the capture itself is refused in every mode.
    let always_refused = matches!(step.record.call, Call::DeviceSynchronize { .. })
        || capture.mode != CaptureMode::Global
        || failure.reason() == Some(Reason::StreamIsCapturing);
    Some(if always_refused {
        verdict
            .note(says::cg111::EVERY_MODE)
            .help(says::cg111::keep_from(format!("thread {thread}")))
    } else {
        verdict
            .note(says::cg111::GLOBAL_MODE)
            .help(says::cg111::THREAD_LOCAL)
            .help(says::cg111::keep_idle(format!("thread {thread}")))
    })
}
