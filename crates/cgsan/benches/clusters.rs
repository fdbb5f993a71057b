//! How long `cgsan.fleet` takes with each engine on this machine, beside the commands that it is made of.
//!
//! `cargo bench --package cgsan --bench clusters -- [RANKS]` writes traces of so many ranks, of 10,000 events each.
//! `CGSAN_TEST_FLEET_PYTHON` names the interpreter with Ray, Spark and DuckDB (`cargo xtask fleet`). Times are what a clock on the wall shows.

#[path = "../tests/support/fleet.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod fleet;
#[path = "../tests/support/recorder.rs"]
#[allow(dead_code, reason = "other traces use what these do not")]
mod recorder;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// How many ranks there are unless asked otherwise.
const RANKS: u32 = 100;

/// How many events a rank has.
const EVENTS: usize = 10_000;

fn main() {
    let asked = env::args().skip(1).find_map(|word| word.parse().ok());
    let ranks = asked.unwrap_or(RANKS);
    let python = env::var_os("CGSAN_TEST_FLEET_PYTHON")
        .expect("CGSAN_TEST_FLEET_PYTHON names an interpreter with Ray and Spark");
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fleet::write(&folder.join("traces"), ranks, EVENTS);
    println!("| {ranks} ranks of {EVENTS} events | seconds | MB written |");
    println!("|---|---|---|");
    let cgsan = OsStr::new(env!("CARGO_BIN_EXE_cgsan"));
    for (words, written) in [
        (
            &["report", "--output", "report.txt", "traces"][..],
            "report.txt",
        ),
        (
            &["summarize", "--output", "run.cgsan-summary", "traces"],
            "run.cgsan-summary",
        ),
        (
            &["report", "--output", "report.txt", "run.cgsan-summary"],
            "report.txt",
        ),
        (
            &["export", "--partitioned", "--output", "tables", "traces"],
            "tables",
        ),
        (
            &[
                "export",
                "--format",
                "page",
                "--output",
                "fleet.html",
                "tables",
            ],
            "fleet.html",
        ),
    ] {
        let name = format!("`cgsan {}`", words.join(" "));
        measure(folder, &name, cgsan, words, written);
    }
    for engine in ["local", "ray", "spark"] {
        let begin = ["-m", "cgsan.fleet", "--workers", "2", "--engine", engine];
        let words = [&begin[..], &["--output", engine, "traces"]].concat();
        measure(
            folder,
            &format!("`--engine {engine}`"),
            &python,
            &words,
            engine,
        );
    }
}

/// Runs a program in a folder, and prints how long it took and how large what it wrote is.
fn measure(folder: &Path, name: &str, program: &OsStr, words: &[&str], written: &str) {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/cgsan/library");
    let begin = Instant::now();
    let ended = Command::new(program)
        .args(words)
        .current_dir(folder)
        .env("PYTHONPATH", library)
        .env("CGSAN_COMMAND", env!("CARGO_BIN_EXE_cgsan"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(ended.success(), "{name}: {ended}");
    #[expect(clippy::cast_precision_loss, reason = "a size to be shown")]
    let megabytes = size_of(&folder.join(written)) as f64 / 1e6;
    println!("| {name} | {seconds:.1} | {megabytes:.1} |");
}

fn size_of(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|it| size_of(&it.path())).sum(),
        Err(_) => fs::metadata(path).map_or(0, |it| it.len()),
    }
}
