//! The trace of an hour's training: how large it is, and what its diagnosis takes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Row;
use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// Ten steps a second for an hour.
const STEPS: u32 = 36_000;

/// Runs a command, and prints the most memory that it held at a time, in KiB.
const PEAK: &str = "
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
";

/// Trains, keeps the trace, and reports from it.
pub fn rows(cgsan: &Path, python: &Path) -> Result<[Row; 2]> {
    let program = workspace::root().join("xtask/src/bench/training.py");
    let trace = workspace::target().join("bench-training.cgsan");
    eprintln!("training {STEPS} steps");
    let mut train = Command::new(cgsan);
    train
        .args(["run", "--virtual", "--save"])
        .arg(&trace)
        .arg("--")
        .arg(python)
        .arg(program)
        .arg(STEPS.to_string())
        .stdout(Stdio::null());
    process::run(&mut train)?;
    let size = fs::metadata(&trace)
        .context(|| format!("cannot look at {}", trace.display()))?
        .len();
    let mut report = Command::new(python);
    report
        .args(["-I", "-c", PEAK])
        .arg(cgsan)
        .arg("report")
        .arg(&trace);
    let peak = process::output(&mut report)?;
    let peak: u64 = peak
        .parse()
        .context(|| format!("the report printed `{peak}` instead of its memory"))?;
    Ok([
        bounded("the trace of 36,000 training steps", size >> 20, 200),
        bounded("the memory that its report takes", peak >> 10, 1000),
    ])
}

fn bounded(what: &'static str, mebibytes: u64, most: u64) -> Row {
    Row {
        what,
        base: String::new(),
        with: String::new(),
        result: format!("{mebibytes} MiB"),
        bound: format!("{most} MiB"),
        within: mebibytes <= most,
    }
}
