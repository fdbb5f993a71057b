//! Any bytes as a trace of PyTorch's profiler, and what is said of it.
#![no_main]

use cgsan_perf::{Device, Input, Options, analyse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(timeline) = cgsan_timeline::chrome::read(bytes) {
        let input = Input {
            timelines: &[timeline],
            lines: None,
            undisturbed_steps: &[],
            device: Device::h100(),
        };
        analyse(&input, &Options::default());
    }
});
