//! `cargo xtask conformance`: the model against recordings of a real driver, and the table of what a capture permits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;

use cgsan_conformance::table::{self, Source};
use cgsan_conformance::{Recording, Report};
use clap::Args;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// The recordings that the table is made of; the first that probed a call says what the table shows.
const PROBES: [&str; 3] = [
    "recorder/recordings/h100-probes.jsonl.gz",
    "recorder/recordings/h200-probes.jsonl.gz",
    "tests/truth/conformance/rules.jsonl.gz",
];

/// What `cargo xtask conformance` understands.
#[derive(Args)]
pub struct Options {
    /// Recordings: JSON lines, plain or compressed with gzip.
    #[arg(value_name = "FILE", required_unless_present = "table")]
    files: Vec<PathBuf>,
    /// Write docs/captures.md, the table of what a capture permits, from the recordings in the repository.
    #[arg(long, conflicts_with = "files")]
    table: bool,
}

/// Re-runs the recordings, prints how far the model agrees with each and with all, and exits with status 1 where it does
/// not, or where a file cannot be read. The last line is the summary in any case.
pub fn run(options: &Options) -> Result<()> {
    if options.table {
        return fs::write(path(), page()?).context(|| format!("cannot write {}", path().display()));
    }
    let mut all = Report::default();
    let mut unread = 0;
    for file in &options.files {
        let recording = match read(file) {
            Ok(recording) => recording,
            Err(failure) => {
                eprintln!("error: {failure}\n");
                unread += 1;
                continue;
            }
        };
        let report = cgsan_conformance::check(&recording);
        println!(
            "{}: {}\n{report}\n",
            file.display(),
            recording.header().machine()
        );
        all.absorb(report);
    }
    if unread == 0 {
        println!("{}", all.summary());
    } else {
        println!("{}; not read: {unread} files", all.summary());
    }
    if unread > 0 || !all.agrees() {
        // No further message: the summary is the last line.
        exit(1);
    }
    Ok(())
}

/// Fails if docs/captures.md is not what the recordings give.
pub fn check() -> Result<()> {
    let written =
        fs::read_to_string(path()).context(|| format!("cannot read {}", path().display()))?;
    if written == page()? {
        Ok(())
    } else {
        Err(Failure::new(
            "docs/captures.md is not what the recordings give; run `cargo xtask conformance --table`",
        ))
    }
}

fn page() -> Result<String> {
    let mut sources = Vec::new();
    for name in PROBES {
        if let Recording::Probes { header, probes } = read(&workspace::root().join(name))? {
            sources.push(Source { header, probes });
        }
    }
    Ok(table::render(&sources))
}

fn read(file: &Path) -> Result<Recording> {
    cgsan_conformance::read(file).context(|| "cannot replay".to_owned())
}

fn path() -> PathBuf {
    workspace::root().join("docs/captures.md")
}
