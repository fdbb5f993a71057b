//! `cargo xtask conformance`: the model against recordings of a real driver.

use std::path::PathBuf;

use cgsan_conformance::Report;
use clap::Args;

use crate::failure::{Context, Failure, Result};

/// What `cargo xtask conformance` understands.
#[derive(Args)]
pub struct Options {
    /// Recordings: JSON lines, plain or compressed with gzip.
    #[arg(value_name = "FILE", required_unless_present = "table")]
    files: Vec<PathBuf>,
    /// Write docs/captures.md, the table of what a capture permits, from the recordings in the repository.
    #[arg(long)]
    table: bool,
}

/// Replays the recordings, prints how far the model agrees with each and with all, and fails where it does not.
pub fn run(options: &Options) -> Result<()> {
    if options.table {
        return Err(Failure::new("no table yet"));
    }
    let mut all = Report::default();
    for file in &options.files {
        let recording = cgsan_conformance::read(file).context(|| "cannot replay".to_owned())?;
        let report = cgsan_conformance::check(&recording);
        println!("{}: {}", file.display(), recording.header().machine());
        println!("{report}\n");
        all.absorb(report);
    }
    println!("{}", all.summary());
    if !all.agrees() {
        // The summary stays the last line.
        std::process::exit(1);
    }
    Ok(())
}
