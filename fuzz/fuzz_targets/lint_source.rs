//! Any text as a Python file, through every rule of the linter.
#![no_main]

use std::path::Path;

use cgsan_fuzz::{mutate, settings};
use cgsan_lint::{Project, lint};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate(data, size, most, seed)
});

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let mut project = Project::new([]);
    // A file without any of the words of a capture is parsed only; with one it is followed, too.
    project.set_text(Path::new("program.py"), format!("{text}\nCUDAGraph"));
    lint(&mut project, &settings());
    Corpus::Keep
});
