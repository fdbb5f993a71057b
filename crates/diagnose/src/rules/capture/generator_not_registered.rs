//! CG115: a generator draws random numbers in a capture that does not know it.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG115",
    check: Check::Failure(check),
};

/// Signal: PyTorch's generator refuses to draw, because the graph under capture has not registered it.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let refused = failure.says(&[
        // PyTorch 2.12 and 2.13; later ones register the generator themselves.
        "generator is not registered with the capturing graph",
        // PyTorch 2.4 to 2.11.
        "Attempt to increase offset for a CUDA generator not in capture mode",
        // Until PyTorch 2.3.
        "for an unexpected CUDA generator used during capture",
        "Offset increment outside graph capture encountered unexpectedly",
    ]);
    refused.then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg115::title("a generator"),
            "this draws from a generator that the graph does not know",
        )
        .help(says::cg115::register("generator"))
        .help(says::cg115::DEFAULT_GENERATOR)
    })
}
