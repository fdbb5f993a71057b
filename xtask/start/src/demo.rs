//! `cargo xtask demo`: cgsan on a failing program and on its repaired twin.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::cargo;
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::python;
use crate::workspace;

/// The program that is shown.
pub const FAILING: &str = "examples/cg105_stream_not_forked/fails.py";

/// The same, repaired.
const REPAIRED: &str = "examples/cg105_stream_not_forked/fixed.py";

/// A recorded trace of it, for machines without PyTorch and without a network.
pub const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// Shows what cgsan does, on whatever this machine has.
pub fn show() -> Result<()> {
    // PyTorch is on its way while cgsan is compiled.
    let python = thread::spawn(python::for_demo);
    let cgsan = cargo::build_demo();
    // It is waited for also if the build failed: half an environment helps nobody.
    let python = python
        .join()
        .unwrap_or_else(|_| Err(Failure::new("PyTorch could not be fetched.")));
    let cgsan = cgsan?;
    match python {
        Ok(python) => show_live(&cgsan, &python),
        Err(failure) => {
            eprintln!("note: {failure}");
            show_recorded(&cgsan)
        }
    }
}

fn show_live(cgsan: &Path, python: &Path) -> Result<()> {
    say(&format!(
        "A PyTorch program captures a CUDA graph, and dies in the middle of it. This is {FAILING}:"
    ));
    print_source(FAILING)?;
    say(
        "Run as usual, PyTorch shows the last error and not the cause. `cgsan run` gives it a virtual GPU, \
         whether or not this machine has a real one, and explains the failure:",
    );
    let status = watch(cgsan, python, FAILING)?;
    if status {
        return Err(Failure::new(format!("{FAILING} was expected to fail")));
    }
    say(&format!(
        "Its repaired twin, {REPAIRED}, runs to its end, and cgsan has nothing to say:"
    ));
    print_source(REPAIRED)?;
    if !watch(cgsan, python, REPAIRED)? {
        return Err(Failure::new(format!("{REPAIRED} was expected to succeed")));
    }
    say(
        "Next: `target/debug/cgsan run -- python your_program.py`, and examples/ for one such pair for every kind of \
         failure. `cargo build --package cgsan` adds the commands that were left out here: lint, lsp, perf, export.",
    );
    Ok(())
}

fn show_recorded(cgsan: &Path) -> Result<()> {
    say(&format!(
        "There is no PyTorch on this machine and none could be downloaded, so this diagnoses a recorded trace \
         of {FAILING}, which ships with the repository ({RECORDED}):"
    ));
    announce(&format!("cgsan report {RECORDED}"));
    process::run(
        Command::new(cgsan)
            .args(["report", RECORDED])
            .current_dir(workspace::root()),
    )
}

/// Runs a program under `cgsan run`, with everything it prints shown, and returns whether it succeeded.
fn watch(cgsan: &Path, python: &Path, program: &str) -> Result<bool> {
    announce(&format!("cgsan run --virtual -- python {program}"));
    let status = Command::new(cgsan)
        .args(["run", "--virtual", "--"])
        .arg(python)
        .arg(program)
        .current_dir(workspace::root())
        .status()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    println!("(exit status {})", status.code().unwrap_or(-1));
    Ok(status.success())
}

fn print_source(program: &str) -> Result<()> {
    let path: PathBuf = workspace::root().join(program);
    let source = fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))?;
    println!();
    for (number, line) in source.lines().enumerate() {
        println!("{:>4} │ {line}", number + 1);
    }
    Ok(())
}

fn say(text: &str) {
    println!("\n{text}");
}

fn announce(command: &str) {
    println!("\n$ {command}");
}
