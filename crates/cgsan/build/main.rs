//! Collects what `cgsan --version` says and, with the feature `bundled`, the libraries that go inside the command.

use std::process::ExitCode;

#[cfg(feature = "bundled")]
mod bundle;
mod facts;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    facts::emit();
    #[cfg(feature = "bundled")]
    if let Err(error) = bundle::emit() {
        println!("cargo::error={error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
