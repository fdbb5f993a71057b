//! Any text as a notebook.
#![no_main]

use std::path::Path;

use cgsan_fuzz::settings;
use cgsan_lint::{Project, lint};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let mut project = Project::new([]);
    project.set_text(Path::new("program.ipynb"), text.to_owned());
    lint(&mut project, &settings());
    Corpus::Keep
});
