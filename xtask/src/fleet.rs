//! `cargo xtask fleet`: an interpreter with the engines of `cgsan.fleet`, for its tests.

use std::path::PathBuf;

use crate::environment::Environment;
use crate::failure::Result;

/// The variable that names the interpreter to the tests.
pub const VARIABLE: &str = "CGSAN_TEST_FLEET_PYTHON";

/// Ray, Spark, `fsspec`, DuckDB, and what they need.
const REQUIREMENTS: &str = include_str!("../requirements/fleet.txt");

/// Makes the interpreter ready and prints its path.
pub fn run() -> Result<()> {
    println!("{}", python()?.display());
    Ok(())
}

/// The interpreter: the one that the variable names, or our own.
pub fn python() -> Result<PathBuf> {
    let environment = Environment {
        name: "fleet".to_owned(),
        requirements: REQUIREMENTS.to_owned(),
        contents: "Ray and Spark",
        size: "565 MB",
    };
    environment.named_by_or_made(VARIABLE)
}
