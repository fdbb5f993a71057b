//! A baseline: findings that are known and not reported again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cgsan_lint::{Finding, Outcome, Project};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The version of the file's shape.
const VERSION: u32 = 1;

/// What is known: how often each finding is there. A finding is known by its file, its id and the text of its line, so
/// that lines before it may come and go.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    file: String,
    id: String,
    line: String,
    #[serde(default)]
    count: usize,
}

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Baseline, Error> {
    let wrong = |reason: &dyn std::fmt::Display| Error::Lint {
        what: format!("--baseline {}: {reason}", path.display()),
        help: "write one with `cgsan lint --write-baseline FILE`",
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    if baseline.version == VERSION {
        Ok(baseline)
    } else {
        Err(wrong(&format_args!(
            "it has version {}, and this cgsan reads {VERSION}",
            baseline.version
        )))
    }
}

/// Writes all findings as a baseline.
pub fn write(path: &Path, outcome: &Outcome, project: &Project) -> Result<(), Error> {
    let mut counts: BTreeMap<Known, usize> = BTreeMap::new();
    for finding in &outcome.findings {
        *counts.entry(known(finding, project)).or_default() += 1;
    }
    let findings = counts
        .into_iter()
        .map(|(known, count)| Known { count, ..known })
        .collect();
    let baseline = Baseline {
        version: VERSION,
        findings,
    };
    let mut text = serde_json::to_string_pretty(&baseline).unwrap_or_default();
    text.push('\n');
    fs::write(path, text).map_err(|reason| Error::not_writable("--write-baseline", path, reason))
}

impl Baseline {
    /// Takes out of `outcome` what is known.
    pub fn remove_known(self, outcome: &mut Outcome, project: &Project) {
        let mut left: BTreeMap<Known, usize> = BTreeMap::new();
        for known in self.findings {
            let count = known.count;
            *left.entry(Known { count: 0, ..known }).or_default() += count;
        }
        outcome
            .findings
            .retain(|finding| match left.get_mut(&known(finding, project)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            });
    }
}

fn known(finding: &Finding, project: &Project) -> Known {
    let line = finding.location.start.line as usize;
    let text = project.code(&finding.location.file).unwrap_or_default();
    Known {
        file: finding.location.file.to_string_lossy().into_owned(),
        id: finding.id.to_owned(),
        line: text
            .lines()
            .nth(line - 1)
            .unwrap_or_default()
            .trim()
            .to_owned(),
        count: 0,
    }
}
