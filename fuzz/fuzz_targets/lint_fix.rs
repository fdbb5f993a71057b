//! Any text as a Python file, repaired: what was Python stays Python, and a second repair changes nothing.
#![no_main]

use std::path::Path;

use cgsan_fuzz::{mutate, settings};
use cgsan_lint::{Project, lint, repair};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate(data, size, most, seed)
});

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let path = Path::new("program.py");
    let settings = settings();
    let mut project = Project::new([]);
    project.set_text(path, format!("{text}\nCUDAGraph"));
    let mut outcome = lint(&mut project, &settings);
    let was_python = outcome.errors.is_empty();
    repair(&mut project, &settings, &mut outcome, true);
    assert!(
        !was_python || outcome.errors.is_empty(),
        "a fix broke the syntax"
    );
    let changed = repair(&mut project, &settings, &mut outcome, true);
    assert!(changed.is_empty(), "the repair came to no end");
    Corpus::Keep
});
