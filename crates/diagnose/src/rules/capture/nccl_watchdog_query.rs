//! CG114: the watchdog of a process group queries an event while another thread captures.

use cgsan_finding::Confidence;
use cgsan_model::Call;

use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG114",
    check: Check::Failure(check),
};

/// Signal: an event query by another thread, which bears the watchdog's name.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let name = failure.thread_name()?;
    let is_query = matches!(failure.call()?, Call::EventQuery { .. });
    let is_watchdog = name.starts_with("pt_nccl_watch") || name.starts_with("pt_nccl_wtchdg");
    if failure.actor() != Actor::Other || !is_query || !is_watchdog {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the NCCL watchdog queried an event during a capture",
            "the capture was running here",
        )
        .note(format!(
            "thread `{name}` of PyTorch watches collectives that were started before the capture"
        ))
        .help("capture with `capture_error_mode=\"thread_local\"`, so that other threads do not matter")
        .help("or wait for all collectives (`torch.cuda.synchronize()`) before the capture begins")
        .help("PyTorch 2.2 and later keep the watchdog quiet during captures"),
    )
}
