//! `cargo xtask python`: an interpreter with the PyTorch of the Python package index, without NVIDIA's libraries.

use clap::Args;
use xtask_start::python::{DEFAULT_TORCH, environment};
pub use xtask_start::python::{existing, for_tests, with_torch};

use crate::failure::Result;

/// What `cargo xtask python` understands.
#[derive(Args)]
pub struct Options {
    /// The version of PyTorch.
    #[arg(long, value_name = "VERSION", default_value = DEFAULT_TORCH)]
    torch: String,
}

/// Makes the interpreter ready and prints its path.
pub fn run(options: &Options) -> Result<()> {
    println!("{}", environment(&options.torch)?.make()?.display());
    Ok(())
}
