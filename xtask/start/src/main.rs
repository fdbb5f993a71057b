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

/// How the threads of PyTorch's operators wait for each other. By default they keep their processors busy meanwhile, which makes
/// steps many times slower where others want these, too.
const WAITING: (&str, &str) = ("OMP_WAIT_POLICY", "passive");

/// Becomes the task that was asked for.
fn hand_on(arguments: &[OsString]) -> Result<()> {
    let mut command = cargo::command(&["run", "--quiet", "--package", "xtask", "--"]);
    // What is measured runs as users run it.
    if arguments.first().is_none_or(|task| task != "bench") {
        command.env(WAITING.0, WAITING.1);
    }
    let failed = command.args(arguments).exec();
    Err(failed).context(|| "cannot start cargo".to_owned())
}
