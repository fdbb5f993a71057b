//! What the agent starts, and then the driver.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStrExt as _;
use std::panic::catch_unwind;
use std::path::Path;

use cgsan_observe::{Config, StartError};

use crate::{announce, cupti, executables, libraries, subscription, watch};

/// Starts recording; calls to CUDA come once the driver has called [`InitializeInjection`].
pub fn start(mut config: Config) -> Result<(), StartError> {
    config.device = gpu_name();
    config.virtual_gpu = false;
    config.sees_order = announce::are_announced();
    let folders = std::mem::take(&mut config.cupti);
    cupti::look_in(folders.into_iter().map(|folder| folder.0).collect());
    libraries::is_of_cuda(&config.cuda);
    if config.memory {
        executables::measure();
    }
    if config.watch_always || !announce::are_announced() {
        subscription::stay();
    }
    if config.record && !cupti::may_be_there() {
        log_errors(config.run_directory());
    }
    cgsan_observe::start(config)
}

/// Has the driver write its own log of errors, which it can from CUDA 12.9 on: what is left where there is no CUPTI. A log that
/// the program asked for stays its own.
fn log_errors(run_directory: &Path) {
    let file = run_directory.join(format!("driver-{}.log", std::process::id()));
    let Ok(file) = CString::new(file.as_os_str().as_bytes()) else {
        return;
    };
    // SAFETY: both are strings of C. CUDA has not started, and the agent holds Python's lock, so nobody reads the environment.
    unsafe { libc::setenv(c"CUDA_LOG_FILE".as_ptr(), file.as_ptr(), 0) };
}

/// The driver calls this when CUDA starts. A process in which the agent started no recording is left alone.
#[unsafe(no_mangle)]
extern "C" fn InitializeInjection() -> c_int {
    // A panic leaves the program unwatched, and the driver need not know.
    let _ = catch_unwind(|| {
        if cgsan_observe::is_recording()
            && let Err(error) = watch::start()
        {
            cgsan_observe::note(&format!("calls to CUDA were not watched: {error}"));
        }
    });
    1
}

/// What the kernel calls the GPUs, e.g. `NVIDIA H100 80GB HBM3`: CUDA itself cannot be asked before it starts.
fn gpu_name() -> String {
    let folder = std::fs::read_dir("/proc/driver/nvidia/gpus");
    let mut names: Vec<String> = folder
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|gpu| {
            let text = std::fs::read_to_string(gpu.path().join("information")).ok()?;
            let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?;
            Some(model.trim().to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return "NVIDIA GPU".to_owned();
    }
    names.join(", ")
}
