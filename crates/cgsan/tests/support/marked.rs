//! Programs that say in comments what is to be found in them, and the list of those in which it is not found yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{Finding, root};

/// What stands before a mark: the id of the finding that must point to the line, or [`LABEL`].
const MARK: &str = "# cgsan: ";

/// The mark of a line that the finding must explain itself with.
const LABEL: &str = "label";

/// The list, from the root of the repository.
const LIST: &str = "examples/not_found.toml";

/// What is to be found in a program: one finding, or none.
#[derive(Debug, Default)]
pub struct Wanted {
    pub id: Option<String>,
    /// The line that it points to, if that is judged.
    pub line: Option<u32>,
    /// Lines that it explains itself with.
    pub labels: Vec<u32>,
}

impl Wanted {
    /// What a program's marks want.
    pub fn of(program: &Path) -> Wanted {
        let (labels, causes): (Vec<_>, Vec<_>) = marks(program)
            .into_iter()
            .partition(|(_, mark)| mark == LABEL);
        assert!(causes.len() <= 1, "{} has several marks", program.display());
        let cause = causes.into_iter().next();
        Wanted {
            line: cause.as_ref().map(|(line, _)| *line),
            id: cause.map(|(_, id)| id),
            labels: labels.into_iter().map(|(line, _)| line).collect(),
        }
    }

    /// Everything in which the findings of a run differ; nothing if all is well.
    pub fn problems(&self, program: &Path, findings: &[Finding]) -> Vec<String> {
        // Two failures of one program are two ids, in order.
        let wanted: Vec<&str> = self.id.as_deref().unwrap_or_default().split(' ').collect();
        let wanted = if self.id.is_some() {
            wanted
        } else {
            Vec::new()
        };
        if ids(findings) != wanted {
            let found: Vec<String> = findings
                .iter()
                .map(|finding| format!("{} at {}", finding.id, finding.place()))
                .collect();
            let found = if found.is_empty() {
                "nothing".to_owned()
            } else {
                found.join(", ")
            };
            return vec![format!("found {found}, not {wanted:?} alone")];
        }
        let Some(finding) = findings.first() else {
            return Vec::new();
        };
        let mut problems = Vec::new();
        if self.line.is_some() && finding.line_in(program) != self.line {
            problems.push(format!(
                "{} points to {}, not to line {:?}",
                finding.id,
                finding.place(),
                self.line
            ));
        }
        for line in finding.unlabelled(&self.labels, program) {
            problems.push(format!("{} has no label at line {line}", finding.id));
        }
        problems
    }
}

fn ids(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| &*finding.id).collect()
}

/// The marked lines of a program, counted from 1, each with its mark.
fn marks(program: &Path) -> Vec<(u32, String)> {
    let source = fs::read_to_string(program)
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    (1..)
        .zip(source.lines())
        .filter_map(|(number, line)| Some((number, line.split_once(MARK)?.1.trim().to_owned())))
        .collect()
}

/// The programs whose finding is not made yet, by their paths from the root of the repository.
pub struct NotFound(BTreeMap<String, Missed>);

/// A program of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missed {
    /// What keeps the finding from being made.
    pub why: String,
    /// The ids that are found instead, of the wrong mode or at the wrong line.
    #[serde(default)]
    pub instead: Vec<String>,
}

impl NotFound {
    pub fn load() -> NotFound {
        let path = root().join(LIST);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{LIST}: {error}"));
        NotFound(toml::from_str(&text).unwrap_or_else(|error| panic!("{LIST}: {error}")))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Missed)> {
        self.0.iter().map(|(path, missed)| (&**path, missed))
    }

    /// What is wrong with the findings of a run, where the program may be on the list.
    pub fn judge(&self, program: &Path, wanted: &Wanted, findings: &[Finding]) -> Vec<String> {
        let problems = wanted.problems(program, findings);
        let path = program.strip_prefix(root()).unwrap_or(program);
        let Some(missed) = path.to_str().and_then(|path| self.0.get(path)) else {
            return problems;
        };
        if problems.is_empty() {
            return vec![format!("is found now: take it off {LIST}")];
        }
        if ids(findings) != missed.instead {
            return vec![format!(
                "{} ({LIST} has {:?} instead)",
                problems.join("; "),
                missed.instead
            )];
        }
        Vec::new()
    }
}
