//! `examples/evidence/*.toml`: what became of the catalogue's programs, as `cargo xtask verify` and `cargo xtask device-test`
//! write it.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::fingerprint::fingerprint;
use crate::programs::{self, Program, Programs};
use crate::schema::{Claim, Entry};

/// What a program did whose exit status was 0.
const ENDED_WELL: &str = "ended well";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    machine: String,
    /// How many real GPUs it has.
    gpus: u32,
    #[serde(default)]
    programs: Vec<Recorded>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    path: String,
    fingerprint: String,
    outcome: String,
}

/// What a program did on a machine.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub machine: &'a str,
    pub gpus: u32,
    pub outcome: &'a str,
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

/// The runs of a program, by machine, but for those of an earlier text of it.
pub fn runs<'a>(evidence: &'a [Evidence], program: &Program) -> Vec<Run<'a>> {
    let now = fingerprint(&program.source);
    let mut runs = Vec::new();
    for machine in evidence {
        for run in &machine.programs {
            if run.path == program.path && run.fingerprint == now {
                runs.push(Run {
                    machine: &machine.machine,
                    gpus: machine.gpus,
                    outcome: &run.outcome,
                });
            }
        }
    }
    runs
}

/// Fails where a fix did not end well, or a dead end did.
pub fn check(entries: &[Entry], programs: &Programs, evidence: &[Evidence]) -> Result<(), String> {
    for entry in entries {
        for fix in &entry.fixes {
            check_claim(entry, &fix.claim(), true, programs, evidence)?;
        }
        for dead_end in &entry.dead_ends {
            check_claim(entry, &dead_end.claim(), false, programs, evidence)?;
        }
    }
    Ok(())
}

fn check_claim(
    entry: &Entry,
    claim: &Claim<'_>,
    must_end_well: bool,
    programs: &Programs,
    evidence: &[Evidence],
) -> Result<(), String> {
    let program = claim
        .program
        .and_then(|name| programs::find(programs, entry, name));
    let Some(program) = program else {
        return Ok(());
    };
    let runs = runs(evidence, program);
    let otherwise = runs
        .iter()
        .find(|run| (run.outcome == ENDED_WELL) != must_end_well);
    match otherwise {
        None => Ok(()),
        Some(run) => Err(format!(
            "{}: {} should {}, but on {}: {}; change the claim or the program",
            entry.file,
            program.path,
            if must_end_well { "end well" } else { "fail" },
            run.machine,
            run.outcome,
        )),
    }
}
