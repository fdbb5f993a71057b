//! CG204, refused by name: callables are graphed while autocast keeps the weights that it casts.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG204",
    check: Check::Failure(check),
};

/// Signal: PyTorch refuses before anything is captured.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let refused = failure.says(&["does not support the autocast caching"])
        && failure.inside_torch("cuda/graphs.py", "make_graphed_callables");
    refused.then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "callables are graphed while autocast caches weights",
            "this graphs a callable under `autocast` with its cache on",
        )
        .note(
            "the graph would read a cast weight from autocast's cache and hold no cast: it would go on computing with the \
             old weight",
        )
        .help("turn the cache off: `torch.autocast(…, cache_enabled=False)`")
        .help("or enter `autocast` within the callable, and graph it outside of any `autocast` block")
    })
}
