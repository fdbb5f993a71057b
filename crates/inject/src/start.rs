//! What the agent starts, and then the driver.

use std::ffi::c_int;
use std::panic::catch_unwind;

use cgsan_observe::{Config, StartError};

use crate::{cupti, watch};

/// Starts recording; calls to CUDA come once the driver has called [`InitializeInjection`].
pub fn start(mut config: Config) -> Result<(), StartError> {
    config.device = gpu_name();
    config.virtual_gpu = false;
    cupti::look_in(std::mem::take(&mut config.cupti));
    cgsan_observe::start(config)
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
