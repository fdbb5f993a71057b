//! `cargo xtask sanitize`: the tests of the crates with `unsafe` code, under `AddressSanitizer`.

use std::env;

use clap::Args;

use crate::cargo;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace;

/// The crates at whose edges memory of others is read and written. The compiler forbids `unsafe` in the others, but for a few lines
/// about signals and standard streams in the command.
const CRATES: &[&str] = &["cgsan-vgpu", "cgsan-observe", "cgsan-inject"];

/// Sanitizers link a runtime of their own, which the standard library is delivered with for this target.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What `cargo xtask sanitize` understands.
#[derive(Args)]
pub struct Options {
    /// Only tests whose names contain this
    filter: Option<String>,
}

/// Builds the crates with the sanitizer, in a folder of their own, and runs their tests, which end at the first wrong access.
pub fn run(options: &Options) -> Result<()> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err(Failure::new(
            "the sanitizer's runtime is only known to come with Rust on x86-64 Linux; run this there",
        ));
    }
    // Tests that start a compiler or Python of their own load a library into a program without the sanitizer.
    let mut test = cargo::command(&[
        "test",
        "--target",
        TARGET,
        "--lib",
        "--test",
        "cuda",
        "--no-fail-fast",
    ]);
    for package in CRATES {
        test.args(["--package", package]);
    }
    test.args(&options.filter);
    // The stable compiler has the sanitizer, but takes the option for it only so.
    test.env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CARGO_TARGET_DIR", workspace::target().join("sanitize"))
        .env("ASAN_OPTIONS", asan_options());
    process::run(&mut test)
}

/// Memory that lives until the process ends is no mistake of a library that lives as long; the rest is as the user wants it.
fn asan_options() -> String {
    let mut options = "detect_leaks=0".to_owned();
    if let Ok(given) = env::var("ASAN_OPTIONS") {
        options.push(':');
        options.push_str(&given);
    }
    options
}
