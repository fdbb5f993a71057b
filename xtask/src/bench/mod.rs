//! `cargo xtask bench`: what cgsan costs, as ratios of runs on the same machine, taken in turns.

mod ranks;
mod training;
mod values;
mod weights;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::python;
use crate::workspace;

/// How many kernel launches the second measurement makes.
const LAUNCHES: u32 = 100_000;

/// What every program with a GPU does first.
const IMPORT: &str = "import torch; torch.zeros(8, device='cuda')";

/// Prints the nanoseconds that the launches took.
const LAUNCH_PROGRAM: &str = "
import sys, time, torch
x = torch.zeros(8, device='cuda')
for _ in range(1000):
    x.add_(1)
start = time.perf_counter_ns()
for _ in range(int(sys.argv[1])):
    x.add_(1)
print(time.perf_counter_ns() - start)
";

/// Keeps the libraries that `cgsan run` puts under a program, to start one with them and without cgsan.
const KEEP_LIBRARIES: &str = "
import glob, os, shutil, sys
# Their file names lack the `lib` of NVIDIA's, so that PyTorch does not take them for those.
for path in glob.glob(os.path.join(os.environ['CGSAN_RUN_DIRECTORY'], 'stubs', '*.so.*')):
    shutil.copy(path, os.path.join(sys.argv[1], 'lib' + os.path.basename(path)))
shutil.copy(os.environ['CGSAN_LIBRARY'], sys.argv[1])
";

/// What `cargo xtask bench` understands.
#[derive(Args)]
pub struct Options {
    /// How often each program runs.
    #[arg(long, value_name = "N", default_value_t = 7)]
    rounds: usize,
    /// Write the table to docs/measurements/overhead.md as well; with `--values`, the page to docs/measurements/values.md; with
    /// `--ranks`, to docs/measurements/ranks.md.
    #[arg(long)]
    write: bool,
    /// Only training steps of models with values computed
    #[arg(long)]
    values: bool,
    /// Only reports and tables of many ranks, of which it generates the traces
    #[arg(long, value_name = "RANKS", num_args = 0.., value_delimiter = ',')]
    ranks: Option<Vec<u32>>,
    /// A cgsan that is built, beside the virtual GPU; builds one to measure if none is named
    #[arg(long, value_name = "PATH")]
    cgsan: Option<PathBuf>,
}

/// Measures, and fails where a bound is passed.
pub fn run(options: &Options) -> Result<()> {
    let cgsan = match &options.cgsan {
        Some(built) => built.clone(),
        None => cargo::build_cgsan(Profile::Release)?,
    };
    if let Some(ranks) = &options.ranks {
        let page = ranks::page(&cgsan, ranks)?;
        println!("\n{page}");
        return keep(options, "ranks.md", &page);
    }
    let python = python::for_tests()?;
    if options.values {
        let page = values::page(&cgsan, &python, options.rounds)?;
        println!("\n{page}");
        return keep(options, "values.md", &page);
    }
    let libraries = Libraries::keep(&cgsan, &python)?;
    let mut rows = vec![
        import(&cgsan, &python, &libraries, options.rounds)?,
        start(&cgsan, &python, &libraries, options.rounds)?,
        launches(&cgsan, &python, options.rounds)?,
    ];
    rows.extend(training::rows(&cgsan, &python)?);
    rows.push(weights::row(&cgsan, &python)?);
    let table = table(&rows);
    println!("\n{table}");
    let text = format!(
        "# What cgsan costs\n\nWritten by `cargo xtask bench --write`: medians of {} runs of each program, \
         taken in turns on one machine. Only the ratios and differences carry over to another.\n\n{table}",
        options.rounds
    );
    keep(options, "overhead.md", &text)?;
    if rows.iter().all(|row| row.within) {
        Ok(())
    } else {
        Err(Failure::new("a measurement is above its bound"))
    }
}

/// Writes a page of measurements, if that is asked for.
fn keep(options: &Options, name: &str, text: &str) -> Result<()> {
    if !options.write {
        return Ok(());
    }
    let path = workspace::root().join("docs/measurements").join(name);
    fs::create_dir_all(path.with_file_name(""))
        .and_then(|()| fs::write(&path, text))
        .context(|| format!("cannot write {}", path.display()))
}

/// One line of the table.
struct Row {
    what: &'static str,
    base: String,
    with: String,
    result: String,
    bound: String,
    within: bool,
}

/// `import torch` and a tensor under cgsan against alone.
fn import(cgsan: &Path, python: &Path, libraries: &Libraries, rounds: usize) -> Result<Row> {
    let mut with = Command::new(cgsan);
    with.args(["run", "--virtual", "--"])
        .arg(python)
        .args(["-c", IMPORT]);
    let (base, with) = against_import(python, libraries, rounds, &mut with, true)?;
    let what = "`import torch` and one tensor under `cgsan run` against alone";
    Ok(ratio(what, base, with, 1.2))
}

/// A whole run of a small failing program under cgsan against `import torch` and a tensor alone.
fn start(cgsan: &Path, python: &Path, libraries: &Libraries, rounds: usize) -> Result<Row> {
    let case = workspace::root().join("tests/truth/cases/c01_item.py");
    let mut with = Command::new(cgsan);
    with.args(["run", "--virtual", "--"]).arg(python).arg(case);
    let (base, with) = against_import(python, libraries, rounds, &mut with, false)?;
    let what = "`cgsan run` on `c01_item.py` against `import torch` and one tensor alone";
    Ok(ratio(what, base, with, 1.4))
}

/// How long `import torch` and a tensor take on the virtual GPU's libraries without cgsan, and how long a command.
fn against_import(
    python: &Path,
    libraries: &Libraries,
    rounds: usize,
    with: &mut Command,
    ends_well: bool,
) -> Result<(Duration, Duration)> {
    let mut base = Command::new(python);
    base.args(["-c", IMPORT])
        .env("LD_LIBRARY_PATH", &libraries.folder)
        .env("LD_PRELOAD", libraries.folder.join("libcgsan_vgpu.so"));
    in_turns(rounds, &mut || elapsed(&mut base, true), &mut || {
        elapsed(with, ends_well)
    })
}

fn ratio(what: &'static str, base: Duration, with: Duration, bound: f64) -> Row {
    let ratio = with.as_secs_f64() / base.as_secs_f64();
    Row {
        what,
        base: format!("{:.2} s", base.as_secs_f64()),
        with: format!("{:.2} s", with.as_secs_f64()),
        result: format!("{ratio:.2} ×"),
        bound: format!("{bound:.2} ×"),
        within: ratio <= bound,
    }
}

/// Launches outside a capture with recording on against off.
fn launches(cgsan: &Path, python: &Path, rounds: usize) -> Result<Row> {
    let one = |record: &str| {
        let mut command = Command::new(cgsan);
        command
            .args(["run", "--virtual", "--"])
            .arg(python)
            .args(["-c", LAUNCH_PROGRAM, &LAUNCHES.to_string()])
            .env("CGSAN_RECORD", record)
            .stderr(Stdio::null());
        let nanoseconds = process::output(&mut command)?;
        nanoseconds
            .parse()
            .map(Duration::from_nanos)
            .context(|| format!("the launches printed `{nanoseconds}` instead of a time"))
    };
    let (off, on) = in_turns(rounds, &mut || one("0"), &mut || one("1"))?;
    let per_launch = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(LAUNCHES);
    let difference = per_launch(on) - per_launch(off);
    Ok(Row {
        what: "one of 100,000 `x.add_(1)`, recording on against off",
        base: format!("{:.2} µs", per_launch(off)),
        with: format!("{:.2} µs", per_launch(on)),
        result: format!("{difference:+.2} µs"),
        bound: "+2.00 µs".to_owned(),
        within: difference <= 2.0,
    })
}

/// Measures two things in turns, so that a change of the machine's pace meets both, and returns their medians.
fn in_turns(
    rounds: usize,
    first: &mut dyn FnMut() -> Result<Duration>,
    second: &mut dyn FnMut() -> Result<Duration>,
) -> Result<(Duration, Duration)> {
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    // One round more, not counted: it fills the caches.
    for round in 0..=rounds.max(1) {
        eprint!("\rround {round} of {rounds} ");
        let times = (first()?, second()?);
        if round > 0 {
            firsts.push(times.0);
            seconds.push(times.1);
        }
    }
    eprintln!();
    Ok((median(firsts), median(seconds)))
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// The time that a command takes to end, which it must do well or badly as told: a program that stops early is fast.
fn elapsed(command: &mut Command, ends_well: bool) -> Result<Duration> {
    let start = Instant::now();
    let status = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context(|| format!("cannot start {}", command.get_program().display()))?;
    if status.success() != ends_well {
        return Err(Failure::new(format!(
            "{command:?} ended unexpectedly ({status}), so there is nothing to measure"
        )));
    }
    Ok(start.elapsed())
}

/// A folder with the virtual GPU's libraries, removed when dropped.
struct Libraries {
    folder: PathBuf,
}

impl Libraries {
    fn keep(cgsan: &Path, python: &Path) -> Result<Self> {
        let folder = workspace::target().join("bench-libraries");
        fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
        let libraries = Self { folder };
        let mut keep = Command::new(cgsan);
        keep.args(["run", "--virtual", "--"])
            .arg(python)
            .args(["-c", KEEP_LIBRARIES])
            .arg(&libraries.folder);
        process::run(&mut keep)?;
        Ok(libraries)
    }
}

impl Drop for Libraries {
    fn drop(&mut self) {
        // What stays behind lies in the target folder and is overwritten next time.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn table(rows: &[Row]) -> String {
    let mut table =
        String::from("| what | without | with | result | bound | |\n|---|---|---|---|---|---|\n");
    for row in rows {
        let verdict = if row.within { "ok" } else { "ABOVE" };
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {verdict} |",
            row.what, row.base, row.with, row.result, row.bound
        );
    }
    table
}
