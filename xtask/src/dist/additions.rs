//! What is added to the wheel when the command is built.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Result};
use crate::process;

use super::tools::Tools;
use super::wheel::Unpacked;
use super::{inside, licenses, sbom};

/// Where each shell looks for completions, below the folder of an environment or of the system.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/cgsan"),
    ("zsh", "share/zsh/site-functions/_cgsan"),
    ("fish", "share/fish/vendor_completions.d/cgsan.fish"),
];

/// Adds manual pages, completions, the licenses of what is inside, and a list of it.
pub fn add(tools: &Tools, unpacked: &Unpacked) -> Result<()> {
    let data = unpacked.data().join("data");
    let mut man = Command::new(unpacked.command());
    process::run(man.arg("man").arg(data.join("share/man/man1")))?;
    for (shell, file) in COMPLETIONS {
        let mut completions = Command::new(unpacked.command());
        let script = process::output(completions.args(["completions", shell]))?;
        write(&data.join(file), &(script + "\n"))?;
    }

    let (packages, linked) = (inside::packages()?, tools.linked()?);
    let information = unpacked.information();
    write(
        &information.join("sboms/cgsan.cyclonedx.json"),
        &sbom::text(&packages, &linked, unpacked.version())?,
    )?;
    licenses::write(&packages, &linked, &information.join("licenses"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    let writing = || format!("cannot write {}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).context(writing)?;
    fs::write(path, text).context(writing)
}
