//! `cargo xtask dist`: a release. It is built, checked and listed, and lies in target/dist then.
//!
//! | file | what it is |
//! |---|---|
//! | `tools` | maturin, Zig and what packs wheels, from the Python package index |
//! | `wheel` | building the wheel, and packing it again with the additions |
//! | `additions` | what is added to it: manual pages, completions, licenses, SBOM |
//! | `description` | what an index shows of it |
//! | `inside` | which packages of Rust are inside |
//! | `licenses`, `sbom` | what is said of them |
//! | `checks` | what must hold of the wheel: size, tag, contents |
//! | `glibc` | which glibc the binaries need |
//! | `trial` | the wheel in a clean environment, without Rust |

mod additions;
mod checks;
mod description;
mod glibc;
mod inside;
mod licenses;
mod sbom;
mod tools;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::python;
use crate::workspace;

use tools::Tools;
use wheel::Unpacked;

/// What `cargo xtask dist` understands.
#[derive(Args)]
pub struct Options {
    /// Build also if files differ from the last commit, which `cgsan --version` will name all the same
    #[arg(long)]
    allow_modified: bool,
    /// Only do what `cargo xtask test` does: a wheel of the unoptimised build, tried in a clean environment
    #[arg(long)]
    quick: bool,
}

/// Makes the release.
pub fn run(options: &Options) -> Result<()> {
    if options.quick {
        return check();
    }
    if !options.allow_modified {
        check_unmodified()?;
    }
    let tools = Tools::for_release()?;
    let place = workspace::target().join("dist");
    let (wheel, unpacked) = make(&tools, &place, Profile::Release)?;
    checks::check_size(&wheel)?;
    checks::check_tag(&wheel, &unpacked)?;
    glibc::check(&unpacked.command())?;

    let alone = place.join(format!("cgsan-{}-x86_64-linux", unpacked.version()));
    fs::copy(unpacked.command(), &alone)
        .context(|| format!("cannot create {}", alone.display()))?;
    trial::run(&wheel, python::existing().as_deref())?;
    println!("\n{}", checks::list(&wheel, &unpacked)?);
    println!("{}\n{}", wheel.display(), alone.display());
    Ok(())
}

/// Makes a wheel of what the tests are run with, and tries it: the same, but for what takes a release's build.
pub fn check() -> Result<()> {
    let command = cargo::build_cgsan(Profile::Development)?;
    let built = command.parent().unwrap_or(&command);
    let tools = Tools::for_tests(built)?;
    let place = workspace::target().join("dist/test");
    let (wheel, _) = make(&tools, &place, Profile::Development)?;
    trial::run(&wheel, Some(&python::for_tests()?))
}

/// Builds the wheel with all that is added, in an empty folder, and checks what is in it.
fn make(tools: &Tools, place: &Path, profile: Profile) -> Result<(PathBuf, Unpacked)> {
    workspace::empty(place)?;
    let parts = place.join("parts");
    let unpacked = wheel::unpack(tools, &wheel::build(tools, &parts, profile)?, &parts)?;
    additions::add(tools, &unpacked)?;
    checks::check_contents(&unpacked)?;
    let wheel = wheel::pack(tools, &unpacked, place)?;
    Ok((wheel, unpacked))
}

fn check_unmodified() -> Result<()> {
    let status = process::output(
        Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(workspace::root()),
    )?;
    if status.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "these files differ from the last commit, which the release would name; commit them, or use --allow-modified:\n{status}"
    )))
}
