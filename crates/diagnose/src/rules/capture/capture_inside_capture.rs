//! CG122: a capture is begun while another one runs.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code};

use crate::history::CaptureRun;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG122",
    check: Check::Failure(check),
};

/// Signal: beginning on a stream that captures already, or what PyTorch does on the way into a capture: it first waits
/// for the whole device, or refuses by itself in `capture_begin`.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let running = running(failure)?;
    let begins = match failure.call() {
        Some(call) if call.begins_capture() => failure.code()? == Code::ILLEGAL_STATE,
        Some(Call::DeviceSynchronize { .. }) => {
            failure.inside_torch("cuda/graphs.py", "__enter__")
                || failure.inside_torch("cuda/graphs.py", "make_graphed_callables")
        }
        Some(_) => false,
        None => {
            // Outside a capture, other things can be wrong with beginning one.
            let refused = failure.capture.is_some() || failure.says(&[REGISTERED_WHILE_CAPTURING]);
            refused && failure.inside_torch("cuda/graphs.py", "capture_begin")
        }
    };
    begins.then(|| {
        if failure.thread() == Some(running.thread()) {
            of_one_thread()
        } else {
            of_two_threads(failure, running)
        }
    })
}

/// In which words PyTorch refuses to begin on a stream that captures.
const REGISTERED_WHILE_CAPTURING: &str = "Cannot register the state during capturing stage";

/// The capture in whose way the new one is.
fn running<'h, 't>(failure: &Failure<'h, 't>) -> Option<&'h CaptureRun<'t>> {
    let history = failure.history;
    failure
        .capture
        .or_else(|| history.run_of(failure.refused()?))
        .or_else(|| history.running_at(failure.position()).last())
}

fn of_one_thread() -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        says::cg122::INSIDE_ANOTHER,
        "this begins a capture while another one runs",
    )
    .help(says::cg122::END_FIRST)
    .help(says::cg122::GRAPHS_ITSELF)
}

fn of_two_threads(failure: &Failure<'_, '_>, running: &CaptureRun<'_>) -> Verdict {
    let history = failure.history;
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg122::TWO_THREADS,
        "this begins a capture while another thread captures",
    );
    let verdict = if matches!(failure.call(), Some(Call::DeviceSynchronize { .. })) {
        verdict.note(says::cg122::WAITS_FOR_DEVICE)
    } else {
        verdict.note(format!(
            "{} captures already, for another thread: `torch.cuda.graph` uses one stream of its own in all threads, unless \
             it is given one",
            history.stream_name(running.origin)
        ))
    };
    // Where the running capture failed, its begin has a label already.
    let verdict = match failure.capture {
        Some(_) => verdict,
        None => verdict.label(
            history.location_of(running.began),
            "the capture of the other thread began here",
        ),
    };
    verdict.help(says::cg122::ONE_AT_A_TIME)
}
