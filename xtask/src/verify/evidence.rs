//! The file that says what the programs did.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::{Claim, evidence_file};
use crate::failure::{Context, Failure, Result};
use crate::outcome::Outcome;
use crate::process;
use crate::workspace;

/// Prints the versions that the evidence holds for. Importing PyTorch would need a GPU's libraries.
const VERSIONS: &str = "import importlib.metadata, platform; print(importlib.metadata.version('torch'), '.'.join(platform.python_version_tuple()[:2]))";

/// The file's content.
#[derive(Serialize)]
pub struct Evidence {
    machine: String,
    /// How many real GPUs it has.
    gpus: u32,
    programs: Vec<Run>,
}

/// What one program did.
#[derive(Serialize)]
struct Run {
    path: &'static str,
    /// Of the program's text, so that a run of another text is not taken for one of this.
    fingerprint: String,
    outcome: String,
}

impl Evidence {
    /// What these programs did under this interpreter.
    pub fn new<'a>(
        python: &Path,
        ran: impl Iterator<Item = (&'a Claim, Outcome)>,
    ) -> Result<Evidence> {
        let versions = process::output(Command::new(python).args(["-c", VERSIONS]))?;
        let (torch, python) = versions
            .split_once(' ')
            .ok_or_else(|| Failure::new("the interpreter does not say its versions"))?;
        Ok(Evidence {
            machine: format!("the virtual GPU, PyTorch {torch}, Python {python}"),
            gpus: 0,
            programs: ran
                .map(|(claim, outcome)| Run {
                    path: claim.program.path,
                    fingerprint: cgsan_catalogue::fingerprint(claim.program.source),
                    outcome: outcome.end,
                })
                .collect(),
        })
    }

    /// Fails if the file says something else of the programs; it may have been written with another Python.
    pub fn check(&self) -> Result<()> {
        fn programs(content: &str) -> Option<&str> {
            content.find("[[programs]]").map(|start| &content[start..])
        }
        let kept = fs::read_to_string(path()).unwrap_or_default();
        if programs(&kept) == programs(&self.content()) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{} does not say what the programs do now; run `cargo xtask verify`",
            evidence_file().display(),
        )))
    }

    /// Writes the file.
    pub fn write(&self) -> Result<()> {
        let path = path();
        let folder = path.parent().unwrap_or(workspace::root());
        fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
        fs::write(&path, self.content()).context(|| format!("cannot write {}", path.display()))
    }

    fn content(&self) -> String {
        let values = toml::to_string(self).expect("texts are TOML");
        format!(
            "# What the programs of the fixes and dead ends did. Written by `cargo xtask verify`.\n\n{values}"
        )
    }
}

/// How programs ended when the file was written, by path; nothing where it cannot be read.
pub fn kept() -> BTreeMap<String, String> {
    #[derive(Deserialize)]
    struct Kept {
        programs: Vec<KeptRun>,
    }
    #[derive(Deserialize)]
    struct KeptRun {
        path: String,
        outcome: String,
    }
    let text = fs::read_to_string(path()).unwrap_or_default();
    let kept = toml::from_str(&text).map_or_else(|_| Vec::new(), |kept: Kept| kept.programs);
    kept.into_iter()
        .map(|run| (run.path, run.outcome))
        .collect()
}

fn path() -> PathBuf {
    workspace::root().join(evidence_file())
}
