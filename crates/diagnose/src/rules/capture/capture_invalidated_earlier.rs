//! CG190: a capture failed, and no rule knows why.

use cgsan_finding::Confidence;
use cgsan_model::{Code, Reason};

use super::refused_by_cupy::{Refused, refused};
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Cause, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG190",
    check: Check::Failure(check),
};

/// Signal: none of the others'. It says what is known, and what is not.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let (here, undecided) = match failure.cause {
        Cause::Unknown(_) => (
            "the failure of the capture surfaced here".to_owned(),
            "the call that invalidated the capture was not recorded: it was made before recording began, or in a way \
             that cgsan does not see"
                .to_owned(),
        ),
        Cause::Refused(refusal) => {
            let is_about_captures = refusal.breaks || refusal.step.record.result.is_capture_refusal();
            if !is_about_captures || refusal.step.record.result == Code::SUCCESS {
                return None;
            }
            let function = failure.history.trace.string(refusal.step.record.function);
            if failure.reason() == Some(Reason::CaptureOfThisThread) {
                return Some(forbidden(function));
            }
            (
                format!("{function} is the first refused call"),
                format!("no failure mode of the catalogue explains why a capture refuses {function}"),
            )
        }
        Cause::Thrown(_) if refused(failure) == Some(Refused::Library) => {
            return Some(library_of_cupy());
        }
        Cause::Thrown(thrown) => {
            if !thrown.by_pytorch() || !speaks_of_captures(&thrown.message) {
                return None;
            }
            (
                "PyTorch refused this during the capture".to_owned(),
                format!("no failure mode of the catalogue has these words: {}", thrown.headline()),
            )
        }
    };
    Some(
        Verdict::new(
            Confidence::Possible,
            "a capture failed for a reason not recognised",
            here,
        )
        .note(undecided)
        .help("look at this line first; later errors of the same capture follow from it"),
    )
}

/// A call to a library that CuPy does not let a capture record.
fn library_of_cupy() -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "CuPy calls one of CUDA's libraries during a capture",
        "CuPy refused this during the capture",
    )
    .note("CuPy lets captures record its own kernels, and no calls to cuBLAS, cuRAND, cuSOLVER or cuSPARSE")
    .help("move this out of the captured region, or compute it with a kernel of CuPy's own")
}

/// A call of the kind that CUDA calls unsafe, which no rule knows by what it does.
fn forbidden(function: &str) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "a call is made that captures forbid",
        format!("{function} is the first refused call"),
    )
    .note(format!(
        "{function} is one of the calls that a thread may not make while it captures"
    ))
    .help("move this call out of the captured region: before it begins, or after it ends")
}

fn speaks_of_captures(message: &str) -> bool {
    ["graph capture", "CUDA graph", "capturing"]
        .iter()
        .any(|words| message.contains(words))
}
