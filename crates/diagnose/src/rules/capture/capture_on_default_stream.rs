//! CG121: a capture is begun on the default stream.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Stream};

use super::refused_by_cupy::{Refused, refused};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG121",
    check: Check::Failure(check),
};

/// Signal: PyTorch or CuPy refuses before it asks CUDA, or CUDA refuses to begin on the legacy stream.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if refused(failure) == Some(Refused::LegacyStream) {
        return Some(
            Verdict::new(
                Confidence::Confirmed,
                says::cg121::TITLE,
                "the current stream is the default stream here",
            )
            .help(
                "capture on another stream: `with cupy.cuda.Stream(non_blocking=True) as stream:`",
            ),
        );
    }
    let refused_by_pytorch = failure
        .says(&["CUDA graphs must be captured on a non-default stream"])
        && failure.inside_torch("cuda/graphs.py", "capture_begin");
    let refused_by_driver = matches!(
        failure.call(),
        Some(
            Call::StreamBeginCapture {
                stream: Stream::Legacy(_),
                ..
            } | Call::StreamBeginCaptureToGraph {
                stream: Stream::Legacy(_),
                ..
            }
        )
    );
    (refused_by_pytorch || refused_by_driver).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg121::TITLE,
            "the current stream is the default stream here",
        )
        .help(says::cg121::OWN_STREAM)
        .help(says::cg121::OTHER_STREAM)
    })
}
