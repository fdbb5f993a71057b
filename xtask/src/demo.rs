//! `cargo xtask demo --record`: the trace and the finding that stand for a run where there is none.

use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Args;
use xtask_start::demo::{FAILING, RECORDED};

use crate::cargo::{self, Profile};
use crate::failure::{Context, Result};
use crate::python;
use crate::readme;
use crate::recorded;
use crate::workspace;

/// What `cargo xtask demo` understands.
#[derive(Args)]
pub struct Options {
    /// Record anew the trace that is shown where there is no PyTorch, and that README.md shows.
    #[arg(long)]
    record: bool,
}

/// Shows what cgsan does, or records it.
pub fn run(options: &Options) -> Result<()> {
    if options.record {
        record(
            &cargo::build_cgsan(Profile::Development)?,
            &python::for_tests()?,
        )
    } else {
        xtask_start::demo::show()
    }
}

fn record(cgsan: &Path, python: &Path) -> Result<()> {
    let trace = workspace::root().join(RECORDED);
    let temporary = workspace::target().join("tmp");
    for folder in [trace.parent().unwrap_or(workspace::root()), &temporary] {
        fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    }
    // The program fails, and with it the command: only the trace tells whether the recording went well.
    let _ = fs::remove_file(&trace);
    Command::new(cgsan)
        .args(["run", "--virtual", "--save", RECORDED, "--"])
        .arg(python)
        .arg(FAILING)
        // So that the run directory, too, gets a name within the repository.
        .env("TMPDIR", &temporary)
        .current_dir(workspace::root())
        .status()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    recorded::neutralise(&trace, python)?;
    readme::write(cgsan)?;
    println!("recorded {RECORDED}, and wrote its finding into README.md");
    Ok(())
}
