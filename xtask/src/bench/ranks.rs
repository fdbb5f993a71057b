//! What commands cost that take the traces of many ranks: the traces are generated.

#[path = "../../../crates/cgsan/tests/support/fleet.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod fleet;
#[path = "../../../crates/cgsan/tests/support/recorder.rs"]
#[allow(dead_code, reason = "other traces use what these do not")]
mod recorder;
#[path = "../../../crates/cgsan/benches/support/resources.rs"]
mod resources;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use self::fleet::Fleet;
use self::resources::{ran, resident};
use crate::failure::{Context, Failure, Result};

/// How many events each rank has.
const EVENTS: usize = 10_000;

/// How many ranks there are, unless others are asked for.
const RANKS: [u32; 3] = [10, 100, 1_000];

/// Measures, and gives the page of the measurements.
pub fn page(cgsan: &Path, ranks: &[u32]) -> Result<String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let ranks = if ranks.is_empty() { &RANKS[..] } else { ranks };
    let mut page = format!(
        "# Many ranks\n\nWritten by `cargo xtask bench --ranks --write`, which generates the traces \
         (`crates/cgsan/tests/support/fleet.rs`): each rank has {EVENTS} events, runs eagerly what it captures, and calls \
         collectives; one rank of each job reads a value in a capture. {cores} cores. Memory is the most that was resident at once.\n\n\
         | ranks | command | seconds | CPU seconds | ms for a rank | MB resident |\n|---|---|---|---|---|---|\n"
    );
    for ranks in ranks {
        let folder = tempfile::tempdir().context(|| "cannot create a folder".to_owned())?;
        let traces = folder.path().join("traces");
        eprintln!("writing the traces of {ranks} ranks");
        let job = Fleet {
            ranks: *ranks,
            events: EVENTS,
            captures: fleet::CAPTURES,
            eager: true,
            odd: Some(ranks / 2 + 1),
            directory: fleet::DIRECTORY.to_owned(),
        };
        job.write(&traces);
        let tables = folder.path().join("tables");
        let summary = folder.path().join("job.cgsan-summary");
        let word = OsStr::new;
        let commands: [(&str, Vec<&OsStr>); 4] = [
            (
                "report",
                vec![word("report"), word("--json"), traces.as_os_str()],
            ),
            (
                "summarize",
                vec![
                    word("summarize"),
                    word("--output"),
                    summary.as_os_str(),
                    traces.as_os_str(),
                ],
            ),
            (
                "report, of the summaries",
                vec![word("report"), word("--json"), summary.as_os_str()],
            ),
            (
                "export",
                vec![
                    word("export"),
                    word("--output"),
                    tables.as_os_str(),
                    traces.as_os_str(),
                ],
            ),
        ];
        for (name, words) in commands {
            let cost = measure(cgsan, &words)?;
            let _ = writeln!(
                page,
                "| {ranks} | {name} | {:.1} | {:.1} | {:.2} | {} |",
                cost.seconds,
                cost.cpu,
                1e3 * cost.seconds / f64::from(*ranks),
                cost.megabytes
            );
        }
    }
    Ok(page)
}

/// What a run of cgsan took.
struct Cost {
    seconds: f64,
    /// Seconds of processors.
    cpu: f64,
    /// The most memory that was resident at once.
    megabytes: u64,
}

/// Runs cgsan, and throws away what it prints.
fn measure(cgsan: &Path, words: &[&OsStr]) -> Result<Cost> {
    let mut command = Command::new(cgsan);
    command
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command
        .spawn()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    let (mut cpu, mut most) = (0.0_f64, 0);
    let status = loop {
        cpu = ran(child.id()).unwrap_or_default().max(cpu);
        most = resident(child.id()).unwrap_or_default().max(most);
        match child.try_wait().context(|| "cannot wait".to_owned())? {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    if !status.success() {
        return Err(Failure::new(format!("{command:?} failed ({status})")));
    }
    Ok(Cost {
        seconds: start.elapsed().as_secs_f64(),
        cpu,
        megabytes: most >> 10,
    })
}
