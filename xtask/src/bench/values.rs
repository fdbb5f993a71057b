//! A step of training with values computed, against the same on the CPU: its time, and the memory of the process.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Row, in_turns, median, ratio};
use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// What is measured: the model's size, whether its steps are replays, what the row says, and the bound of the ratio.
const STEPS: [(&str, &str, &str, f64); 4] = [
    (
        "small",
        "cuda",
        "a training step of small operators of the virtual GPU against on the CPU",
        3.0,
    ),
    ("small", "replays", "the same, replayed", 3.0),
    (
        "large",
        "cuda",
        "a training step of large operators of the virtual GPU against on the CPU",
        1.5,
    ),
    ("large", "replays", "the same, replayed", 1.5),
];

/// How much more memory the process may have.
const MEMORY_BOUND: f64 = 1.2;

/// The rows of the table.
pub fn rows(cgsan: &Path, python: &Path, rounds: usize) -> Result<Vec<Row>> {
    let program = workspace::target().join("bench_values.py");
    fs::write(&program, include_str!("values.py"))
        .context(|| format!("cannot write {}", program.display()))?;
    let mut rows = Vec::new();
    for (size, place, what, bound) in STEPS {
        let (mut on_cpu, mut with_values) = (Vec::new(), Vec::new());
        let steps = Steps {
            cgsan,
            python,
            program: &program,
            size,
        };
        let times = in_turns(
            rounds,
            &mut || steps.measure(&[], "cpu", &mut on_cpu),
            &mut || steps.measure(&[], place, &mut with_values),
        )?;
        rows.push(ratio(what, times.0, times.1, bound));
        rows.push(memory(median(on_cpu), median(with_values)));
    }
    Ok(rows)
}

/// Steps of a model of one size.
struct Steps<'a> {
    cgsan: &'a Path,
    python: &'a Path,
    program: &'a Path,
    size: &'a str,
}

impl Steps<'_> {
    /// The time of a step in a `place`; the most memory that the process had goes into `peaks`, in bytes.
    fn measure(&self, options: &[&str], place: &str, peaks: &mut Vec<u64>) -> Result<Duration> {
        let mut command = Command::new(self.cgsan);
        command.args(["run", "--virtual"]).args(options).arg("--");
        command
            .arg(self.python)
            .arg(self.program)
            .args([self.size, place]);
        let printed = process::output(command.stderr(Stdio::null()))?;
        let doing = || format!("the steps printed `{printed}` instead of a time and a size");
        let (time, peak) = printed.split_once(' ').unwrap_or_default();
        peaks.push(peak.parse().context(doing)?);
        time.parse().map(Duration::from_nanos).context(doing)
    }
}

fn memory(base: u64, with: u64) -> Row {
    #[expect(clippy::cast_precision_loss, reason = "sizes of processes")]
    let (base, with) = (base as f64, with as f64);
    let mebibytes = |bytes: f64| format!("{:.0} MiB", bytes / f64::from(1 << 20));
    Row {
        what: "its memory at most",
        base: mebibytes(base),
        with: mebibytes(with),
        result: format!("{:.2} ×", with / base),
        bound: format!("{MEMORY_BOUND:.2} ×"),
        within: with / base <= MEMORY_BOUND,
    }
}
