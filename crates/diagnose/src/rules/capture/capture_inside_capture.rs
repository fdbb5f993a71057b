//! CG122: a capture is begun while another one runs.

use cgsan_model::Call;

use crate::Confidence;
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG122",
    check: Check::Failure(check),
};

/// Signal: beginning on a stream that captures already, or what PyTorch does on the way into a capture: it first waits
/// for the whole device, or refuses by itself in `capture_begin`.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let begins = match failure.call() {
        Some(Call::StreamBeginCapture { .. } | Call::StreamBeginCaptureToGraph { .. }) => true,
        Some(Call::DeviceSynchronize { .. }) => {
            failure.inside_torch("cuda/graphs.py", "__enter__")
                || failure.inside_torch("cuda/graphs.py", "make_graphed_callables")
        }
        Some(_) => false,
        None => {
            failure.thrown().is_some() && failure.inside_torch("cuda/graphs.py", "capture_begin")
        }
    };
    begins.then(|| {
        let verdict = Verdict::new(
            Confidence::Confirmed,
            "a capture is begun inside another capture",
            "this begins a capture while another one runs",
        );
        if failure.actor() == Actor::Other {
            return verdict
                .note("another thread captures; entering `torch.cuda.graph` waits for the whole device, which no thread may do then")
                .help("let threads capture one after the other, e.g. with a lock around each capture");
        }
        verdict.help("end the first capture before the second begins")
        .help("if the inner code graphs itself, call it once before the outer capture, or capture only the outer graph")
    })
}
