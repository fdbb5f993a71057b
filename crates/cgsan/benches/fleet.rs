//! How long a report on many ranks takes, and how much memory.
//!
//! `cargo bench --package cgsan --bench fleet -- [EVENTS]` writes traces of 10, 100 and 1,000 ranks, of so many events each, and
//! gives them to `cgsan report` and `cgsan export`. Memory is the most that was resident at once.

#[path = "../tests/support/fleet.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod fleet;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

/// How many ticks the kernel counts in a second (`USER_HZ`, which is 100 on x86-64).
const TICKS: f64 = 100.0;

/// How many events a rank has unless asked otherwise.
const EVENTS: usize = 10_000;

fn main() {
    let asked = env::args().skip(1).find_map(|word| word.parse().ok());
    let events = asked.unwrap_or(EVENTS);
    println!("| ranks of {events} events | command | CPU seconds | MB resident |");
    println!("|---|---|---|---|");
    for ranks in [10, 100, 1000] {
        let folder = tempfile::tempdir().expect("a folder");
        let traces = folder.path().join("traces");
        fleet::write(&traces, ranks, events);
        let tables = folder.path().join("tables");
        let (report, export) = (["report", "--json"], ["export", "--output"]);
        measure(ranks, "report", &report.map(Path::new), &traces);
        let [export, output] = export.map(Path::new);
        measure(ranks, "export", &[export, output, &tables], &traces);
    }
}

fn measure(ranks: u32, name: &str, arguments: &[&Path], traces: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgsan"));
    command.args(arguments).arg(traces).stdout(Stdio::null());
    let mut child = command.spawn().expect("cgsan starts");
    let (mut seconds, mut most) = (0.0_f64, 0);
    let status = loop {
        seconds = ran(child.id()).unwrap_or_default().max(seconds);
        most = resident(child.id()).unwrap_or_default().max(most);
        match child.try_wait().expect("it is our child") {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(status.success(), "cgsan {name} failed");
    println!("| {ranks} | `{name}` | {seconds:.1} | {} |", most >> 10);
}

/// How long a process ran so far, in seconds of a CPU.
fn ran(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; of what follows, the times are the 12th and the 13th.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

/// The most that a process had resident so far, in KiB.
fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
