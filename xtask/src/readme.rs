//! The finding that README.md shows: what cgsan says about the recorded trace, so that it is never out of date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask_start::demo::RECORDED;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::workspace;

/// The line before the finding.
const BEGIN: &str = "<!-- finding: begin; written by `cargo xtask demo --record` -->\n";

/// The line after it.
const END: &str = "<!-- finding: end -->\n";

/// Writes the finding into the page.
pub fn write(cgsan: &Path) -> Result<()> {
    let path = path();
    fs::write(&path, page(cgsan)?).context(|| format!("cannot write {}", path.display()))
}

/// Fails if the page shows another finding than cgsan would print.
pub fn check() -> Result<()> {
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    if page(&cgsan)? == read()? {
        Ok(())
    } else {
        Err(Failure::new(
            "README.md does not show what cgsan says about its example; run `cargo xtask demo --record`",
        ))
    }
}

/// The page with what cgsan says now.
fn page(cgsan: &Path) -> Result<String> {
    let page = read()?;
    let (before, rest) = page
        .split_once(BEGIN)
        .ok_or_else(|| Failure::new(format!("README.md has no line `{}`", BEGIN.trim())))?;
    let (_, after) = rest
        .split_once(END)
        .ok_or_else(|| Failure::new(format!("README.md has no line `{}`", END.trim())))?;
    let finding = finding(cgsan)?;
    Ok(format!(
        "{before}{BEGIN}```text\n{finding}\n```\n{END}{after}"
    ))
}

fn finding(cgsan: &Path) -> Result<String> {
    process::output(
        Command::new(cgsan)
            .args(["report", "--color=never", "--width=100", RECORDED])
            .current_dir(workspace::root()),
    )
}

fn read() -> Result<String> {
    fs::read_to_string(path()).context(|| format!("cannot read {}", path().display()))
}

fn path() -> PathBuf {
    workspace::root().join("README.md")
}
