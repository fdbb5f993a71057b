//! A baseline: findings that are known and not reported again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::linter::Outcome;
use crate::project::Project;

/// The version of the file's shape.
const VERSION: u32 = 1;

/// Findings that are known, and how often each is there. A finding is known by its file, its id and the text of its line,
/// so that lines before it may come and go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// By file, whose path is absolute.
    known: BTreeMap<PathBuf, Known>,
}

/// The known findings of a file: id, text of the line, and how often.
type Known = BTreeMap<(String, String), usize>;

/// The file's shape.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    version: u32,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Relative to the folder of the baseline, if it is below that.
    file: String,
    id: String,
    line: String,
    count: usize,
}

impl Baseline {
    /// Everything that was found.
    #[must_use]
    pub fn of(outcome: &Outcome, project: &Project) -> Self {
        let mut baseline = Self::default();
        for finding in &outcome.findings {
            let Some(file) = finding.file() else { continue };
            let known = baseline.known.entry(real(file)).or_default();
            let code = project.code(file).unwrap_or_default();
            *known.entry(mark(finding, code)).or_default() += 1;
        }
        baseline
    }

    /// Reads the text of a baseline that is in a folder.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn from_json(text: &str, folder: &Path) -> Result<Self, String> {
        let shape: Shape = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if shape.version != VERSION {
            return Err(format!(
                "it has version {}, and this cgsan reads {VERSION}",
                shape.version
            ));
        }
        let folder = real(folder);
        let mut baseline = Self::default();
        for entry in shape.findings {
            let known = baseline.known.entry(folder.join(entry.file)).or_default();
            *known.entry((entry.id, entry.line)).or_default() += entry.count;
        }
        Ok(baseline)
    }

    /// The text of the baseline, to be written into a folder.
    #[must_use]
    pub fn to_json(&self, folder: &Path) -> String {
        let folder = real(folder);
        let entries = self.known.iter().flat_map(|(file, known)| {
            let file = file.strip_prefix(&folder).unwrap_or(file);
            known.iter().map(move |((id, line), count)| Entry {
                file: file.to_string_lossy().into_owned(),
                id: id.clone(),
                line: line.clone(),
                count: *count,
            })
        });
        let shape = Shape {
            version: VERSION,
            findings: entries.collect(),
        };
        let mut text = serde_json::to_string_pretty(&shape).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Takes out of `outcome` what is known.
    pub fn remove_known(&self, outcome: &mut Outcome, project: &Project) {
        let mut left: BTreeMap<PathBuf, Left> = BTreeMap::new();
        outcome.findings.retain(|finding| {
            let Some(file) = finding.file() else {
                return true;
            };
            let left = left
                .entry(file.to_owned())
                .or_insert_with(|| self.left_in(file));
            !left.takes(finding, project.code(file).unwrap_or_default())
        });
    }

    /// What is known in a file.
    #[must_use]
    pub fn left_in(&self, file: &Path) -> Left {
        let known = self.known.get(&real(file));
        Left(known.cloned().unwrap_or_default())
    }
}

/// The known findings of a file that were not met yet.
#[derive(Clone, Debug)]
pub struct Left(Known);

impl Left {
    /// Whether a finding, in a file with this code, is known, once for each time that it is.
    pub fn takes(&mut self, finding: &Finding, code: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        match self.0.get_mut(&mark(finding, code)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

fn mark(finding: &Finding, code: &str) -> (String, String) {
    let line = finding.location.as_ref().map_or(0, |it| it.line as usize);
    let text = code.lines().nth(line.saturating_sub(1));
    let text = text.unwrap_or_default().trim();
    (finding.id.to_owned(), text.to_owned())
}

/// The path by which a file is known, however it was named.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const FAILS: &str = "\
import torch
x = torch.ones(8, device=\"cuda\")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    x.item()
    x.item()
";

    fn found(text: &str) -> (Outcome, Project) {
        let mut project = Project::default();
        project.set_text(Path::new("/nowhere/a/b.py"), text.to_owned());
        let outcome = crate::linter::lint(&mut project, &Settings::default());
        (outcome, project)
    }

    /// The lines of what is left of the findings of a text.
    fn left(baseline: &Baseline, text: &str) -> Vec<u32> {
        let (mut outcome, project) = found(text);
        baseline.remove_known(&mut outcome, &project);
        outcome
            .findings
            .iter()
            .filter_map(|it| Some(it.location.as_ref()?.line))
            .collect()
    }

    #[test]
    fn what_is_known_is_known_as_often_as_it_was_there() {
        let (outcome, project) = found(FAILS);
        assert!(outcome.findings.len() >= 2, "{outcome:?}");
        let baseline = Baseline::of(&outcome, &project);
        assert!(left(&baseline, FAILS).is_empty());
        assert!(left(&baseline, &format!("# new\n{FAILS}")).is_empty());
        assert_eq!(left(&baseline, &format!("{FAILS}    x.item()\n")), [6]);
        assert_eq!(
            left(&Baseline::default(), FAILS).len(),
            outcome.findings.len()
        );
    }

    #[test]
    fn files_are_named_from_the_folder_of_the_baseline() {
        let (outcome, project) = found(FAILS);
        let baseline = Baseline::of(&outcome, &project);
        let text = baseline.to_json(Path::new("/nowhere"));
        assert!(text.contains("\"a/b.py\""), "{text}");
        assert_eq!(
            Baseline::from_json(&text, Path::new("/nowhere")),
            Ok(baseline.clone())
        );
        assert_ne!(
            Baseline::from_json(&text, Path::new("/elsewhere")),
            Ok(baseline.clone())
        );
        let text = baseline.to_json(Path::new("/elsewhere"));
        assert!(text.contains("\"/nowhere/a/b.py\""), "{text}");
        assert_eq!(
            Baseline::from_json(&text, Path::new("/elsewhere")),
            Ok(baseline)
        );
    }

    #[test]
    fn what_is_wrong_with_a_baseline_has_a_place() {
        let wrong =
            |text: &str| Baseline::from_json(text, Path::new("/")).expect_err("it is wrong");
        assert!(wrong("{\n  \"version\": }").contains("line 2"));
        assert!(wrong("{\"version\": 9, \"findings\": []}").contains("version 9"));
        assert!(wrong("{\"version\": 1, \"findings\": [{\"files\": 1}]}").contains("files"));
    }
}
