//! What the driver and the agent call.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cgsan_observe::Config;

use crate::watch;

/// The driver calls this when CUDA starts. A process in which the agent started no recording is left alone.
#[unsafe(no_mangle)]
extern "C" fn InitializeInjection() -> c_int {
    guard(1, || {
        if cgsan_observe::is_recording()
            && let Err(error) = watch::start()
        {
            cgsan_observe::note(&format!("calls to CUDA were not watched: {error}"));
        }
        1
    })
}

/// Starts recording. 0 if that worked.
///
/// # Safety
///
/// `config` is null or a string of C.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_start(config: *const c_char) -> c_int {
    guard(1, || {
        // SAFETY: by the contract of this function.
        let Some(text) = (unsafe { text(config) }) else {
            return 1;
        };
        let Ok(mut config) = serde_json::from_str::<Config>(&text) else {
            return 1;
        };
        config.device = gpu_name();
        config.virtual_gpu = false;
        cgsan_observe::start(config).map_or(1, |()| 0)
    })
}

/// Records what the agent saw.
///
/// # Safety
///
/// `event` is null or a string of C.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_agent_event(event: *const c_char) {
    guard((), || {
        // SAFETY: by the contract of this function.
        if let Some(json) = unsafe { text(event) } {
            cgsan_observe::agent_event(&json);
        }
    });
}

/// Names the calling thread.
///
/// # Safety
///
/// `name` is null or a string of C.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_thread_name(name: *const c_char) {
    guard((), || {
        // SAFETY: by the contract of this function.
        if let Some(name) = unsafe { text(name) } {
            cgsan_observe::thread_name(&name);
        }
    });
}

/// # Safety
///
/// `text` is null or a string of C.
unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the contract of this function.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// Keeps a panic from its caller.
fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
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
