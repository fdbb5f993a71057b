//! Any text as a Python file, through every rule of the linter.
#![no_main]

use cgsan_fuzz::{mutate_lines, program, settings};
use cgsan_lint::lint;
use libfuzzer_sys::{Corpus, fuzz_target};

mutate_lines!();

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(mut project) = program(bytes) else {
        return Corpus::Reject;
    };
    lint(&mut project, &settings());
    Corpus::Keep
});
