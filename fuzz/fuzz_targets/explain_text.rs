//! Any bytes as a log, and as the word after `cgsan explain`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = cgsan_explain::read(bytes);
    if let Ok(text) = str::from_utf8(bytes) {
        cgsan_explain::look_up(text);
        cgsan_explain::nearest(text);
        cgsan_explain::driver_log::refusals(text).count();
    }
});
