//! How long a report on many ranks takes, and how much memory.
//!
//! `cargo bench --package cgsan --bench fleet -- [EVENTS]` writes traces of 10, 100 and 1,000 ranks, of so many events each, and
//! gives them to `cgsan report` and `cgsan export`. Memory is the most that was resident at once.

#[path = "../tests/support/fleet.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod fleet;
#[path = "../tests/support/recorder.rs"]
#[allow(dead_code, reason = "other traces use what these do not")]
mod recorder;
mod support;

use std::env;
use std::path::Path;

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
    let arguments: Vec<&Path> = arguments.iter().copied().chain([traces]).collect();
    let support::Cost { seconds, megabytes } = support::run(&arguments);
    println!("| {ranks} | `{name}` | {seconds:.1} | {megabytes} |");
}
