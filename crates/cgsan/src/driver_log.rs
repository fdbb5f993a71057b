//! The driver's own log of errors (`CUDA_LOG_FILE`, from CUDA 12.9 on): what is left where another tool's library is in the
//! place of ours.

use std::path::{Path, PathBuf};

use cgsan_diagnose::Note;
use cgsan_explain::driver_log::{self, Record, Refusal};

/// The variable that names the log.
pub const VARIABLE: &str = "CUDA_LOG_FILE";

/// Bytes of the longest log that is read.
const LARGEST: u64 = 64 << 20;

/// Where the log of a run goes.
pub fn path(run_directory: &Path) -> PathBuf {
    run_directory.join("driver.log")
}

/// The log that was written for a process: its own, which the watcher asks for where there is no CUPTI, or that of the run.
pub fn read(run_directory: &Path, process: u32) -> String {
    let own = run_directory.join(format!("driver-{process}.log"));
    let log = cgsan_files::read(&own, LARGEST);
    let log = log.or_else(|_| cgsan_files::read(&path(run_directory), LARGEST));
    log.map(|log| String::from_utf8_lossy(&log).into_owned())
        .unwrap_or_default()
}

/// What the report says of calls that another tool kept from being watched; `found` if a finding tells what went wrong.
pub fn note(run_directory: &Path, found: bool) -> Note {
    const WHY: &str = "calls to CUDA were not watched: CUDA_INJECTION64_PATH names the library of another tool, and the \
                       driver loads one; leave that tool out";
    let log = cgsan_files::read_text(&path(run_directory), LARGEST).unwrap_or_default();
    let text = if found {
        format!("{WHY} to know more")
    } else {
        let said = first_refusal(&log).map_or_else(
            || "its own log has no refused call".to_owned(),
            |refusal| format!("its own log begins with {refusal}"),
        );
        format!("{WHY}. Causes are not known; of the driver, {said}")
    };
    Note::new(text, None)
}

/// A call that failed, and the thread that made it, as `pthread_self` numbers threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged<'a> {
    /// The call.
    pub refusal: Refusal<'a>,
    /// The thread, where the log names it.
    pub thread: Option<u64>,
}

/// The failed calls of a log, each with the reason that its thread was told before.
pub fn refusals(log: &str) -> impl Iterator<Item = Logged<'_>> {
    let mut said: Vec<(Option<u64>, &str)> = Vec::new();
    log.lines().filter_map(move |line| {
        let thread = thread_of(line);
        match driver_log::parse(line)? {
            Record::Returned(refusal) => {
                let of_thread = said.iter().position(|(by, _)| *by == thread);
                let reason = of_thread.map(|at| said.swap_remove(at).1);
                let refusal = Refusal { reason, ..refusal };
                Some(Logged { refusal, thread })
            }
            Record::Said { text, .. } => {
                said.retain(|(by, _)| *by != thread);
                said.push((thread, text));
                None
            }
        }
    })
}

/// The thread of a record: `[time][thread][CUDA]…`.
fn thread_of(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("][")?;
    let (thread, _) = rest.split_once(']')?;
    thread.parse().ok()
}

/// The first call that the driver refused on account of a capture, with the reason if it gave one.
fn first_refusal(log: &str) -> Option<String> {
    let refusal = refusals(log)
        .map(|logged| logged.refusal)
        .find(Refusal::is_of_a_capture)?;
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
        let threads: Vec<Option<u64>> = refusals(log).map(|logged| logged.thread).collect();
        assert_eq!(threads, [Some(14); 3]);
        assert_eq!(first_refusal(""), None);
        assert_eq!(first_refusal("Returning nothing"), None);
    }
}
