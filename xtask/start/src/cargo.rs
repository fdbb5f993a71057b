//! Calling cargo, and finding what it built.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::Result;
use crate::process;
use crate::workspace;

/// The two build profiles in use.
#[derive(Clone, Copy)]
pub enum Profile {
    /// What the tests run.
    Development,
    /// What is measured.
    Release,
}

/// A `cargo` command, to be run in the root of the repository.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Builds what the tests run, and the tests. Less than all of it would have dependencies with fewer features, which are then
/// built once more.
pub const EVERYTHING: &[&str] = &["build", "--workspace", "--all-targets"];

/// Builds what users get, and nothing of the developers'.
const RELEASED: &[&str] = &[
    "build",
    "--release",
    "--package",
    "cgsan",
    "--package",
    "cgsan-vgpu",
    "--package",
    "cgsan-inject",
];

/// Builds the command, the virtual GPU and the watcher of a real one, and returns the path of the command.
pub fn build_cgsan(profile: Profile) -> Result<PathBuf> {
    let (folder, arguments) = match profile {
        Profile::Development => ("debug", EVERYTHING),
        Profile::Release => ("release", RELEASED),
    };
    process::run(&mut command(arguments))?;
    Ok(workspace::target().join(folder).join("cgsan"))
}

/// Builds what the demonstration runs: the virtual GPU, and the command without what is compiled for other subcommands alone.
/// Returns the path of the command.
pub fn build_demo() -> Result<PathBuf> {
    process::run(&mut command(&[
        "build",
        "--package",
        "cgsan",
        "--package",
        "cgsan-vgpu",
        "--no-default-features",
    ]))?;
    Ok(workspace::target().join("debug/cgsan"))
}
