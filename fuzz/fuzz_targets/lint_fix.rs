//! Any text as a Python file, repaired: what was Python stays Python, and a second repair changes nothing.
#![no_main]

use cgsan_fuzz::{assert_repairs, mutate_lines, program};
use libfuzzer_sys::{Corpus, fuzz_target};

mutate_lines!();

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(project) = program(bytes) else {
        return Corpus::Reject;
    };
    assert_repairs(project);
    Corpus::Keep
});
