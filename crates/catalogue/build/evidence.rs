//! `examples/evidence/*.toml`: what became of the catalogue's programs, as `cargo xtask verify` and `cargo xtask device-test`
//! write it.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::fingerprint::fingerprint;
use crate::programs::Program;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    machine: String,
    #[serde(default)]
    programs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    path: String,
    fingerprint: String,
    outcome: String,
}

/// Reads every file of the folder, by name. There may be none yet.
pub fn read(folder: &Path) -> Result<Vec<Evidence>, Box<dyn Error>> {
    let mut files = Vec::new();
    if folder.is_dir() {
        for file in fs::read_dir(folder)? {
            files.push(file?.path());
        }
    }
    files.sort();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files
        .iter()
        .map(|file| {
            toml::from_str(&fs::read_to_string(file)?)
                .map_err(|error| format!("{}: {error}", file.display()).into())
        })
        .collect()
}

/// The machines and outcomes of the runs of a program, unless it has changed since.
pub fn runs<'a>(evidence: &'a [Evidence], program: &Program) -> Vec<(&'a str, &'a str)> {
    let now = fingerprint(&program.source);
    evidence
        .iter()
        .flat_map(|evidence| evidence.programs.iter().map(|run| (&evidence.machine, run)))
        .filter(|(_, run)| run.path == program.path && run.fingerprint == now)
        .map(|(machine, run)| (machine.as_str(), run.outcome.as_str()))
        .collect()
}
