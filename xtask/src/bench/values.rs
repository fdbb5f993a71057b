//! Training steps of ten models with values computed, eager and replayed, against the same on the CPU: their time, and the memory of the
//! process.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::median;
use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// The models of `values.py`.
const MODELS: [&str; 10] = [
    "small",
    "large",
    "perceptron",
    "convolutions",
    "resnet",
    "vision_transformer",
    "recurrent",
    "llama",
    "gpt2",
    "bert",
];

/// Where a step is computed, as `values.py` names it: on the CPU, on the virtual GPU, and there by replays.
const PLACES: [&str; 3] = ["cpu", "cuda", "replays"];

/// What a step takes in one of the places.
#[derive(Clone, Copy)]
struct Step {
    time: Duration,
    /// The most memory that the process had, in bytes.
    memory: u64,
}

/// Measures each model in the places in turns, and says so in a page.
pub fn page(cgsan: &Path, python: &Path, rounds: usize) -> Result<String> {
    let program = workspace::target().join("bench_values.py");
    fs::write(&program, include_str!("values.py"))
        .context(|| format!("cannot write {}", program.display()))?;
    let mut page = format!(
        "# What computing values costs\n\nWritten by `cargo xtask bench --values`: ten models of \
         [values.py](../../xtask/src/bench/values.py) train on the CPU, on the virtual GPU, and there by replays of a captured step; \
         medians of {rounds} runs of ten steps each, taken in turns on one machine. Before them are five steps, or twenty replays: at some \
         of the first ones, a copy of the process runs the captured code. Only the ratios carry over to another. Memory is the most \
         that the process had.\n\n| model | CPU | eager | replays | memory on the CPU | eager | replays |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for model in MODELS {
        let mut runs = [const { Vec::new() }; PLACES.len()];
        for _ in 0..rounds.max(1) {
            for (runs, place) in runs.iter_mut().zip(PLACES) {
                eprintln!("{model} {place}");
                let mut command = Command::new(cgsan);
                command.args(["run", "--virtual", "--"]).arg(python);
                command.arg(&program).args([model, place]);
                runs.push(step(&mut command)?);
            }
        }
        let steps = runs.map(|runs| Step {
            time: median(runs.iter().map(|it| it.time).collect()),
            memory: median(runs.iter().map(|it| it.memory).collect()),
        });
        let _ = writeln!(page, "{}", row(model, &steps));
    }
    Ok(page)
}

fn step(command: &mut Command) -> Result<Step> {
    let printed = process::output(command.stderr(Stdio::null()))?;
    let doing = || format!("the steps printed `{printed}` instead of a time and a size");
    let (time, memory) = printed.split_once(' ').unwrap_or_default();
    Ok(Step {
        time: Duration::from_nanos(time.parse().context(doing)?),
        memory: memory.parse().context(doing)?,
    })
}

#[expect(clippy::cast_precision_loss, reason = "sizes of processes")]
fn row(model: &str, [cpu, eager, replays]: &[Step; PLACES.len()]) -> String {
    let milliseconds = |step: &Step| format!("{:.1} ms", step.time.as_secs_f64() * 1e3);
    let mebibytes = |step: &Step| format!("{} MiB", step.memory >> 20);
    let time = |step: &Step| {
        let ratio = step.time.as_secs_f64() / cpu.time.as_secs_f64();
        format!("{} ({ratio:.2} ×)", milliseconds(step))
    };
    let memory = |step: &Step| {
        let ratio = step.memory as f64 / cpu.memory as f64;
        format!("{} ({ratio:.2} ×)", mebibytes(step))
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {} |",
        model.replace('_', " "),
        milliseconds(cpu),
        time(eager),
        time(replays),
        mebibytes(cpu),
        memory(eager),
        memory(replays)
    )
}
