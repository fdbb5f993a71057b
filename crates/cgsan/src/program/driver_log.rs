//! The driver's own log of errors (`CUDA_LOG_FILE`, from CUDA 12.9 on): the only source where another tool's library is loaded
//! instead of ours.

use std::path::{Path, PathBuf};

/// The variable that names the log.
pub const VARIABLE: &str = "CUDA_LOG_FILE";

/// Bytes of the longest log that is read.
const LARGEST: u64 = 64 << 20;

/// Where the log of a run goes.
pub fn path(run_directory: &Path) -> PathBuf {
    run_directory.join("driver.log")
}

/// The log that was written for a process: its own, which the watcher asks for where there is no CUPTI, or that of the run.
pub fn of_process(run_directory: &Path, process: u32) -> String {
    text(&run_directory.join(format!("driver-{process}.log")))
        .unwrap_or_else(|| of_run(run_directory))
}

/// The log of the run.
pub fn of_run(run_directory: &Path) -> String {
    text(&path(run_directory)).unwrap_or_default()
}

fn text(log: &Path) -> Option<String> {
    let log = cgsan_files::read(log, LARGEST).ok()?;
    Some(String::from_utf8_lossy(&log).into_owned())
}
