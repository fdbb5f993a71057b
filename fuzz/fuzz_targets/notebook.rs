//! Any text as a notebook, repaired: it stays a notebook, and a second repair changes nothing.
#![no_main]

use cgsan_fuzz::{assert_repairs, project};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(
    // A panic that the linter catches is none; one that comes out of it still ends the run.
    init: std::panic::set_hook(Box::new(|_| {})),
    |bytes: &[u8]| -> Corpus {
        let Ok(text) = str::from_utf8(bytes) else {
            return Corpus::Reject;
        };
        assert_repairs(project("program.ipynb", text.to_owned()));
        Corpus::Keep
    }
);
