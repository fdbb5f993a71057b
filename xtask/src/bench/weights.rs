//! Weights that are loaded from a file and copied to the virtual GPU, against a copy on the CPU.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Row, in_turns, ratio};
use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// The file of 4 GiB is large, so this runs seldom.
const ROUNDS: usize = 3;

/// The row of the table.
pub fn row(cgsan: &Path, python: &Path) -> Result<Row> {
    let folder = workspace::target();
    let program = folder.join("bench_weights.py");
    let weights = folder.join("bench_weights.pt");
    fs::write(&program, include_str!("weights.py"))
        .context(|| format!("cannot write {}", program.display()))?;
    let time_on = |device: &str| {
        let mut command = Command::new(cgsan);
        command.args(["run", "--virtual", "--"]).arg(python);
        command.arg(&program).arg(&weights).arg(device);
        time(&mut command)
    };
    eprintln!("loading 4 GiB of weights");
    let times = in_turns(ROUNDS, &mut || time_on("cpu"), &mut || time_on("cuda"));
    // What stays behind is found and used by the next run.
    let _ = fs::remove_file(&weights);
    let (cpu, gpu) = times?;
    let what = "4 GiB of weights loaded and copied to the virtual GPU against copied on the CPU";
    Ok(ratio(what, cpu, gpu, 1.3))
}

fn time(command: &mut Command) -> Result<Duration> {
    let nanoseconds = process::output(command.stderr(Stdio::null()))?;
    nanoseconds
        .parse()
        .map(Duration::from_nanos)
        .context(|| format!("the copy printed `{nanoseconds}` instead of a time"))
}
