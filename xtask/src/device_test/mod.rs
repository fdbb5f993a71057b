//! `cargo xtask device-test`: cgsan on a real GPU.
//!
//! The machine with the GPU may have neither a network nor a Rust toolchain. So what it needs is built here and put into one
//! folder, which is taken there together with the repository; a script in Python does the rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Result};
use crate::process;
use crate::workspace;

/// The files that a run needs.
const FILES: [&str; 3] = ["cgsan", "libcgsan_vgpu.so", "libcgsan_inject.so"];

/// What `cargo xtask device-test` understands.
#[derive(Args)]
pub struct Options {
    /// Only put what is needed into this folder, and print what to type on the machine with the GPU.
    #[arg(long, value_name = "FOLDER")]
    carry: Option<PathBuf>,
    /// Where the results go.
    #[arg(long, value_name = "FOLDER", default_value = "target/device-test")]
    out: PathBuf,
    /// The Python with PyTorch, on this machine.
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
}

/// Builds, and tests on this machine's GPU, or prepares a test on another.
pub fn run(options: &Options) -> Result<()> {
    let cgsan = cargo::build_cgsan(Profile::Release)?;
    let script = "xtask/src/device_test/run.py";
    if let Some(folder) = &options.carry {
        carry(&cgsan, folder)?;
        let program = folder.join("cgsan");
        println!(
            "Take the repository and this folder to the machine with the GPU, and type there:\n"
        );
        println!("    python3 {script} {} RESULTS", program.display());
        println!(
            "\nIt leaves device.json and device.md in the folder RESULTS. With two GPUs, `--only cost ranks` runs"
        );
        println!(
            "the programs of two ranks, and measures the cost for --start-seconds and --cost-seconds."
        );
        return Ok(());
    }
    process::run(
        Command::new(&options.python)
            .current_dir(workspace::root())
            .arg(script)
            .arg(&cgsan)
            .arg(workspace::root().join(&options.out)),
    )
}

/// Copies what a run needs, without what only debuggers read.
fn carry(cgsan: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).context(|| format!("cannot make {}", folder.display()))?;
    for file in FILES {
        let from = cgsan.with_file_name(file);
        let to = folder.join(file);
        fs::copy(&from, &to).context(|| format!("cannot copy {} there", from.display()))?;
        process::run(Command::new("strip").arg("--strip-debug").arg(&to))?;
    }
    Ok(())
}
