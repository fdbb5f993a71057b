//! `cargo xtask`: shows the demonstration itself, and leaves the other tasks to `xtask`, which takes longer to compile.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use xtask_start::failure::{Context as _, Result};
use xtask_start::{cargo, demo};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let outcome = if arguments == ["demo"] {
        demo::show()
    } else {
        hand_on(&arguments)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Becomes the task that was asked for.
fn hand_on(arguments: &[OsString]) -> Result<()> {
    let failed = cargo::command(&["run", "--quiet", "--package", "xtask", "--"])
        .args(arguments)
        .exec();
    Err(failed).context(|| "cannot start cargo".to_owned())
}
