//! `cargo xtask verify`: runs the program of every fix and of every dead end that the virtual GPU can decide, and keeps what
//! they did as the catalogue's evidence.

mod evidence;

use std::path::{Path, PathBuf};

use cgsan_catalogue::{Entry, Program, Proof};
use clap::Args;

use self::evidence::Evidence;
use crate::cargo::{self, Profile};
use crate::failure::{Failure, Result};
use crate::outcome::{Outcome, Watcher};
use crate::parallel;
use crate::python;

/// How many programs share an import of PyTorch.
const TOGETHER: usize = 30;

/// What `cargo xtask verify` understands.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if a program did something else than examples/evidence/virtual.toml says
    #[arg(long)]
    check: bool,

    /// Only the programs of these failure modes, e.g. `CG106`; writes nothing
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

/// Runs the programs, and writes or checks the evidence.
pub fn run(options: &Options) -> Result<()> {
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    let python = python::for_tests()?;
    let claims: Vec<Claim> = claims()
        .filter(|claim| options.ids.is_empty() || options.ids.iter().any(|id| id == claim.entry.id))
        .collect();
    if claims.is_empty() {
        return Err(Failure::new(
            "no program of these failure modes can be decided on the virtual GPU; write ids such as CG106",
        ));
    }
    let outcomes = outcomes(&cgsan, &python, &claims)?;
    let wrong: Vec<String> = claims
        .iter()
        .zip(&outcomes)
        .filter_map(|(claim, outcome)| claim.contradiction(outcome))
        .collect();
    println!(
        "{} of {} programs do what the catalogue says",
        claims.len() - wrong.len(),
        claims.len()
    );
    if !wrong.is_empty() {
        return Err(Failure::new(wrong.join("\n")));
    }
    if !options.ids.is_empty() {
        return Ok(());
    }
    let evidence = Evidence::new(&python, claims.iter().zip(outcomes))?;
    if options.check {
        evidence.check()
    } else {
        evidence.write()
    }
}

/// Runs the programs, and fails where one does something else than is kept.
pub fn check() -> Result<()> {
    run(&Options {
        check: true,
        ids: Vec::new(),
    })
}

/// What the programs did, in order: several share an import of PyTorch; one that then does something else than is kept or claimed
/// runs once more alone, as some change what PyTorch reads when it is imported.
fn outcomes(cgsan: &Path, python: &Path, claims: &[Claim]) -> Result<Vec<Outcome>> {
    let kept = evidence::kept();
    let watcher = Watcher {
        cgsan,
        python,
        options: &[],
    };
    let groups: Vec<&[Claim]> = claims.chunks(TOGETHER).collect();
    let shared = parallel::map(parallel::workers(), &groups, |_, group| {
        let paths: Vec<&str> = group.iter().map(|claim| claim.program.path).collect();
        // What no group can tell, a run of its own does.
        Ok(watcher
            .together(&paths)
            .unwrap_or_else(|_| paths.iter().map(|_| None).collect()))
    })?;
    let shared: Vec<(&Claim, Option<Outcome>)> =
        claims.iter().zip(shared.into_iter().flatten()).collect();
    parallel::map(parallel::workers(), &shared, |_, (claim, shared)| {
        let path = claim.program.path;
        match shared {
            Some(outcome)
                if kept.get(path) == Some(&outcome.end)
                    && claim.contradiction(outcome).is_none() =>
            {
                Ok(outcome.clone())
            }
            _ => watcher.one(path),
        }
    })
}

/// What a program must show.
#[derive(Clone, Copy)]
struct Claim {
    entry: &'static Entry,
    program: Program,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The program ends well, and cgsan finds nothing but what the failure mode may come from.
    Fix,
    /// The program fails.
    DeadEnd,
}

/// The claims that the virtual GPU can decide, by ascending id.
fn claims() -> impl Iterator<Item = Claim> {
    cgsan_catalogue::entries()
        .iter()
        .flat_map(of_entry)
        .filter(|claim| !claim.program.needs_gpu)
}

fn of_entry(entry: &'static Entry) -> impl Iterator<Item = Claim> {
    let claim = |kind| {
        move |proof| match proof {
            Proof::Program(program) => Some(Claim {
                entry,
                program,
                kind,
            }),
            Proof::Untested(_) => None,
        }
    };
    let fixes = entry
        .fixes
        .iter()
        .map(|fix| fix.proof)
        .filter_map(claim(Kind::Fix));
    let dead_ends = entry
        .dead_ends
        .iter()
        .map(|dead_end| dead_end.proof)
        .filter_map(claim(Kind::DeadEnd));
    fixes.chain(dead_ends)
}

impl Claim {
    /// What is wrong with an outcome, if something is.
    fn contradiction(&self, outcome: &Outcome) -> Option<String> {
        let path = self.program.path;
        match self.kind {
            Kind::Fix if !outcome.succeeded() => Some(format!(
                "{path} should end well, but ends with {}",
                outcome.end
            )),
            Kind::Fix => outcome
                .findings
                .iter()
                .find(|id| *id == self.entry.id || !comes_from(self.entry, id))
                .map(|id| format!("{path} should be clean, but cgsan finds {id}")),
            Kind::DeadEnd if outcome.succeeded() => {
                Some(format!("{path} should fail, but ends well"))
            }
            Kind::DeadEnd => None,
        }
    }
}

/// Whether a failure mode may come from another, by way of others too.
fn comes_from(entry: &Entry, id: &str) -> bool {
    let mut seen: Vec<&str> = entry.comes_from.to_vec();
    let mut next = 0;
    while let Some(cause) = seen.get(next).copied() {
        if cause == id {
            return true;
        }
        let further = cgsan_catalogue::entry(cause).map_or(&[][..], |entry| entry.comes_from);
        for id in further {
            if !seen.contains(id) {
                seen.push(id);
            }
        }
        next += 1;
    }
    false
}

/// The file that the evidence is kept in, from the root of the repository.
fn evidence_file() -> PathBuf {
    PathBuf::from("examples/evidence/virtual.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(kind: Kind) -> Claim {
        let entry = cgsan_catalogue::entry("CG190").expect("the consequence of all others");
        let program = Program {
            path: "examples/a/b.py",
            ..entry.programs().next().expect("an entry has programs")
        };
        Claim {
            entry,
            program,
            kind,
        }
    }

    fn outcome(end: &str, findings: &[&str]) -> Outcome {
        Outcome {
            end: end.to_owned(),
            findings: findings.iter().map(|id| (*id).to_owned()).collect(),
            ..Outcome::default()
        }
    }

    #[test]
    fn a_fix_must_end_well_and_clean() {
        let fix = claim(Kind::Fix);
        assert_eq!(fix.contradiction(&outcome(Outcome::WELL, &[])), None);
        assert!(fix.contradiction(&outcome("RuntimeError", &[])).is_some());
        assert!(
            fix.contradiction(&outcome(Outcome::WELL, &["CG190"]))
                .is_some()
        );
    }

    #[test]
    fn a_fix_of_a_consequence_may_begin_with_its_cause() {
        let fix = claim(Kind::Fix);
        assert_eq!(fix.contradiction(&outcome(Outcome::WELL, &["CG101"])), None);
    }

    #[test]
    fn a_dead_end_must_fail() {
        let dead_end = claim(Kind::DeadEnd);
        assert_eq!(dead_end.contradiction(&outcome("RuntimeError", &[])), None);
        assert!(
            dead_end
                .contradiction(&outcome(Outcome::WELL, &[]))
                .is_some()
        );
    }
}
