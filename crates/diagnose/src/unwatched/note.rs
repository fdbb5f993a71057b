//! Calls that another tool kept from being watched.

use cgsan_explain::driver_log::{Refusal, refusals};
use cgsan_finding::Note;

/// What the report says of them. `found` if a finding tells what went wrong.
pub(crate) fn note(log: &str, found: bool) -> Note {
    const WHY: &str = "calls to CUDA were not watched: CUDA_INJECTION64_PATH names the library of another tool, and the \
                       driver loads one; leave that tool out";
    let text = if found {
        format!("{WHY} to know more")
    } else {
        let said = first_refusal(log).map_or_else(
            || "its own log has no refused call".to_owned(),
            |refusal| format!("its own log begins with {refusal}"),
        );
        format!("{WHY}. Causes are not known; of the driver, {said}")
    };
    Note::new(text, None)
}

/// The first call that the driver refused on account of a capture, with the reason if it gave one.
fn first_refusal(log: &str) -> Option<String> {
    let refusal = refusals(log).find(Refusal::is_of_a_capture)?;
    let reason = refusal
        .reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    Some(format!(
        "`{}`, which returned {} ({}){reason}",
        refusal.function, refusal.code, refusal.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refusal_of_a_capture_counts() {
        let log = "\
[00:35:28.1][14][CUDA][E] Returning 600 (CUDA_ERROR_NOT_READY) from cuEventQuery
[00:35:28.2][14][CUDA][E] API call conflicts with a stream capture sequence
[00:35:28.3][14][CUDA][E] Returning 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) from cuMemAlloc_v2
[00:35:28.4][14][CUDA][E] Returning 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) from cuStreamEndCapture
";
        assert_eq!(
            first_refusal(log).as_deref(),
            Some(
                "`cuMemAlloc_v2`, which returned 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED): API call conflicts with a \
                 stream capture sequence"
            )
        );
        assert_eq!(first_refusal(""), None);
        assert_eq!(first_refusal("Returning nothing"), None);
    }
}
