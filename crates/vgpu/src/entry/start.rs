//! What the agent in the Python interpreter calls.

use std::ffi::{c_char, c_int};

use cgsan_observe::Config;

use crate::device;
use crate::ffi::{Text, guard};
use crate::gpu::version;
use crate::libraries;
use crate::memory::table;

/// Configures the virtual GPU and starts recording. 0 if both worked; the virtual GPU serves the program in any case.
#[unsafe(no_mangle)]
extern "C" fn cgsan_start(config: *const c_char) -> c_int {
    guard(1, || {
        let Ok(text) = Text(config).get() else {
            return 1;
        };
        let Ok(mut config) = serde_json::from_str::<Config>(&text) else {
            return 1;
        };
        if let Some(bytes) = config.gpu_memory {
            table::set_capacity(bytes);
        }
        version::set_runtime(&config.cuda);
        libraries::set_torch(&config.torch);
        config.device = format!("virtual {}", device::NAME);
        config.virtual_gpu = true;
        cgsan_observe::start(config).map_or(1, |()| 0)
    })
}

/// Records what the agent saw.
#[unsafe(no_mangle)]
extern "C" fn cgsan_agent_event(event: *const c_char) {
    guard((), || {
        if let Ok(json) = Text(event).get() {
            cgsan_observe::agent_event(&json);
        }
    });
}

/// Names the calling thread.
#[unsafe(no_mangle)]
extern "C" fn cgsan_thread_name(name: *const c_char) {
    guard((), || {
        if let Ok(name) = Text(name).get() {
            cgsan_observe::thread_name(&name);
        }
    });
}
