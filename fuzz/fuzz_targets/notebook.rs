//! Any text as a notebook, repaired: it stays a notebook, and a second repair changes nothing.
#![no_main]

use std::path::Path;

use cgsan_fuzz::settings;
use cgsan_lint::{Project, lint, repair};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(
    // A panic that the linter catches is none; one that comes out of it still ends the run.
    init: std::panic::set_hook(Box::new(|_| {})),
    |bytes: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let settings = settings();
    let mut project = Project::new([]);
    project.set_text(Path::new("program.ipynb"), text.to_owned());
    let mut outcome = lint(&mut project, &settings);
    let was_right = outcome.errors.is_empty();
    repair(&mut project, &settings, &mut outcome, true);
    assert!(
        !was_right || outcome.errors.is_empty(),
        "a fix broke the notebook"
    );
    let changed = repair(&mut project, &settings, &mut outcome, true);
    assert!(changed.is_empty(), "the repair came to no end");
    Corpus::Keep
});
