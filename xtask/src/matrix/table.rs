//! The file that says what each program did in each version of PyTorch.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

use super::case::Case;
use crate::failure::{Context, Result};
use crate::outcome::{Call, Outcome};
use crate::releases;
use crate::workspace;

/// The file, from the root of the repository.
pub const FILE: &str = "examples/versions.toml";

const HEAD: &str = "\
# What the programs of examples/ did in each version of PyTorch, on the virtual GPU. Written by `cargo xtask matrix`.
";

/// The file's content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The versions that ran, ascending.
    versions: Vec<Version>,
    /// By path.
    programs: Vec<Program>,
}

/// A version of PyTorch as it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The release, e.g. `2.11.0`.
    pub pytorch: String,
    /// The CUDA that it is built for.
    pub cuda: String,
    /// The CPython that ran it.
    pub python: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    path: String,
    /// Of the text that ran.
    fingerprint: String,
    /// What it did, each with the versions in which it did so, by the first of them.
    results: Vec<InVersions>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InVersions {
    versions: Vec<String>,
    #[serde(flatten)]
    did: Did,
}

/// What a program did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Did {
    end: End,
    /// The refused call that its first finding names, with its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Call>,
    /// Its first exception, where it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exception: Option<String>,
    /// What cgsan found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    findings: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    /// With status 0.
    Well,
    /// With an exception, whose first cause is a call that CUDA refused.
    RefusedByCuda,
    /// With an exception of PyTorch's or of the program's own; CUDA was not asked, or refused nothing.
    Refused,
    /// It made no progress, and cgsan ended it.
    Hang,
    /// By a signal.
    Crash,
}

impl Table {
    /// The table as it is kept; an empty one if there is none yet.
    pub fn read() -> Result<Table> {
        let path = workspace::root().join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => {
                toml::from_str(&text).context(|| format!("{FILE} is not as it was written"))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Table::default()),
            Err(error) => Err(error).context(|| format!("cannot read {FILE}")),
        }
    }

    /// Each version, ascending, and whether what cgsan found there in a program as it is now is such; `None` if it did not run so.
    pub fn versions(
        &self,
        path: &str,
        is_such: impl Fn(&[String]) -> bool,
    ) -> Option<Vec<(&str, bool)>> {
        let program = self.programs.iter().find(|it| it.path == path)?;
        let text = fs::read_to_string(workspace::root().join(path)).ok()?;
        if cgsan_catalogue::fingerprint(&text) != program.fingerprint {
            return None;
        }
        let holds = |version: &str| {
            let mut results = program.results.iter();
            let result = results.find(|it| it.versions.iter().any(|it| it == version));
            result.is_some_and(|it| is_such(&it.did.findings))
        };
        let versions = self.versions.iter().map(|it| it.pytorch.as_str());
        Some(versions.map(|it| (it, holds(it))).collect())
    }

    /// Writes the file.
    pub fn write(&self) -> Result<()> {
        let values = toml::to_string(self).expect("texts are TOML");
        fs::write(workspace::root().join(FILE), format!("{HEAD}\n{values}"))
            .context(|| format!("cannot write {FILE}"))
    }

    /// Whether it says what the program, as it is now, did in a version.
    pub fn has(&self, release: &str, case: &Case) -> bool {
        let fingerprint = cgsan_catalogue::fingerprint(&case.source);
        self.programs
            .iter()
            .filter(|it| it.path == case.path && it.fingerprint == fingerprint)
            .flat_map(|it| &it.results)
            .any(|it| it.versions.iter().any(|version| version == release))
    }

    /// Notes what programs did in a version, in place of what is said of them there.
    pub fn put<'a>(&mut self, version: Version, ran: impl Iterator<Item = (&'a Case, Outcome)>) {
        let release = version.pytorch.clone();
        self.versions.retain(|it| it.pytorch != release);
        self.versions.push(version);
        self.versions.sort_by_key(|it| place(&it.pytorch));
        for (case, outcome) in ran {
            self.put_one(&release, case, Did::new(outcome));
        }
        self.programs.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn put_one(&mut self, release: &str, case: &Case, did: Did) {
        let fingerprint = cgsan_catalogue::fingerprint(&case.source);
        let position = self.programs.iter().position(|it| it.path == case.path);
        // What another text of the program did says nothing of this one.
        let known = position
            .map(|position| self.programs.swap_remove(position))
            .filter(|known| known.fingerprint == fingerprint);
        let mut by_version: BTreeMap<usize, (String, Did)> = BTreeMap::new();
        for result in known.into_iter().flat_map(|it| it.results) {
            for version in result.versions {
                by_version.insert(place(&version), (version, result.did.clone()));
            }
        }
        by_version.insert(place(release), (release.to_owned(), did));
        let mut results: Vec<InVersions> = Vec::new();
        for (version, did) in by_version.into_values() {
            match results.iter_mut().find(|it| it.did == did) {
                Some(same) => same.versions.push(version),
                None => results.push(InVersions {
                    versions: vec![version],
                    did,
                }),
            }
        }
        self.programs.push(Program {
            path: case.path.clone(),
            fingerprint,
            results,
        });
    }
}

/// Where a version stands among the others.
fn place(release: &str) -> usize {
    releases::all()
        .position(|it| it == release)
        .unwrap_or(usize::MAX)
}

impl Did {
    fn new(outcome: Outcome) -> Did {
        let end = if outcome.succeeded() {
            End::Well
        } else if outcome.end == "exit status: 123" {
            End::Hang
        } else if outcome.end.starts_with("signal") {
            End::Crash
        } else if outcome.refused.is_some() {
            End::RefusedByCuda
        } else {
            End::Refused
        };
        Did {
            call: outcome.refused,
            exception: outcome.exception.filter(|_| end != End::Well),
            findings: outcome.findings,
            end,
        }
    }
}
