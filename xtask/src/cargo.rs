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

/// Builds the command, the virtual GPU and the watcher of a real one, and returns the path of the command.
pub fn build_cgsan(profile: Profile) -> Result<PathBuf> {
    let mut build = command(&[
        "build",
        "--package",
        "cgsan",
        "--package",
        "cgsan-vgpu",
        "--package",
        "cgsan-inject",
    ]);
    let folder = match profile {
        Profile::Development => "debug",
        Profile::Release => {
            build.arg("--release");
            "release"
        }
    };
    process::run(&mut build)?;
    Ok(workspace::target().join(folder).join("cgsan"))
}
