//! Any bytes as a trace.
#![no_main]

use cgsan_trace::{Trace, read_records};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let records = read_records(bytes);
    let trace = Trace::parse(bytes);
    // What has a record to begin with can be read either way.
    assert!(trace.is_err() || records.is_ok());
});
