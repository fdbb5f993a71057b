//! The driver's own log of errors (`CUDA_LOG_FILE`, from CUDA 12.9 on): what is left where another tool's library is in the
//! place of ours.

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_diagnose::Note;
use cgsan_explain::driver_log::{self, Refusal};

/// The variable that names the log.
pub const VARIABLE: &str = "CUDA_LOG_FILE";

/// Where the log of a run goes.
pub fn path(run_directory: &Path) -> PathBuf {
    run_directory.join("driver.log")
}

/// What the report says in place of findings: why there are none, and what the driver wrote.
pub fn note(run_directory: &Path) -> Note {
    let log = fs::read_to_string(path(run_directory)).unwrap_or_default();
    let said = first_refusal(&log).map_or_else(
        || "its own log has no refused call".to_owned(),
        |refusal| format!("its own log begins with {refusal}"),
    );
    Note {
        text: format!(
            "calls to CUDA were not watched, and causes are not known: CUDA_INJECTION64_PATH names the library of another \
             tool, and the driver loads one; leave that tool out. Of the driver, {said}"
        ),
        location: None,
    }
}

/// The first call that the driver refused on account of a capture, with the reason if it gave one.
fn first_refusal(log: &str) -> Option<String> {
    let refusal = driver_log::refusals(log).find(Refusal::is_of_a_capture)?;
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
