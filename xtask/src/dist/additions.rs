//! What is added to the wheel when the command is built.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Result};
use crate::process;

use super::description::described;
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

    let information = unpacked.information();
    let metadata = information.join("METADATA");
    let text =
        fs::read_to_string(&metadata).context(|| format!("cannot read {}", metadata.display()))?;
    write(
        &metadata,
        &described(&text, unpacked.version(), project().as_deref()),
    )?;

    let (packages, linked) = (inside::packages()?, tools.linked()?);
    write(
        &information.join("sboms/cgsan.cyclonedx.json"),
        &sbom::text(&packages, &linked, unpacked.version())?,
    )?;
    licenses::write(&packages, &linked, &information.join("licenses"))
}

/// The public address of the project, if it has one: `.cargo/config.toml` and the environment say.
fn project() -> Option<String> {
    env::var("CGSAN_PROJECT_URL")
        .ok()
        .filter(|url| !url.is_empty())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let writing = || format!("cannot write {}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).context(writing)?;
    fs::write(path, text).context(writing)
}
