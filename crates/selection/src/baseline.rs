//! A baseline: findings that are known and not reported again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use cgsan_finding::{Finding, LeftOut, Reason};
use serde::{Deserialize, Serialize};

use crate::left_out::{Files, Split};

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
    /// All of these findings.
    pub fn of(findings: &[Finding], files: &mut dyn Files) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            if let Some((file, mark)) = mark(finding, files) {
                let known = baseline.known.entry(file).or_default();
                *known.entry(mark).or_default() += 1;
            }
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
            let file = place(&folder.join(entry.file));
            let known = baseline.known.entry(file).or_default();
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

    /// Leaves out what is known, `by` this baseline's file.
    pub fn leave_out(&self, split: &mut Split, by: &Path, files: &mut dyn Files) {
        let mut left = Left(self.known.clone());
        let found = std::mem::take(&mut split.findings);
        for finding in found {
            if left.takes(&finding, files) {
                split.left_out.push(LeftOut {
                    finding,
                    by: Reason::Baseline(by.to_owned()),
                });
            } else {
                split.findings.push(finding);
            }
        }
    }

    /// What is known in a file.
    #[must_use]
    pub fn left_in(&self, file: &Path) -> Left {
        let file = place(file);
        let known = self.known.get(&file).cloned();
        Left(known.map(|known| (file, known)).into_iter().collect())
    }
}

/// Known findings that were not met yet.
#[derive(Clone, Debug)]
pub struct Left(BTreeMap<PathBuf, Known>);

impl Left {
    /// Whether a finding is known, once for each time that it is.
    pub fn takes(&mut self, finding: &Finding, files: &mut dyn Files) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let count = mark(finding, files)
            .and_then(|(file, mark)| self.0.get_mut(&file)?.get_mut(&mark))
            .filter(|count| **count > 0);
        match count {
            Some(count) => {
                *count -= 1;
                true
            }
            None => false,
        }
    }
}

/// By what a finding is known: its file, its id and the text of its line.
fn mark(finding: &Finding, files: &mut dyn Files) -> Option<(PathBuf, (String, String))> {
    let location = finding.location.as_ref()?;
    let text = files
        .line(&location.file, location.line)
        .unwrap_or_default();
    let file = place(&files.path(&location.file));
    Some((file, (finding.id.to_owned(), text.trim().to_owned())))
}

/// The path by which a file is known, however it was named. A package is where it is in any environment.
fn place(path: &Path) -> PathBuf {
    let parts: Vec<_> = path.components().collect();
    let is_packages = |it: &Component<'_>| PACKAGES.iter().any(|name| it.as_os_str() == *name);
    match parts.iter().rposition(is_packages) {
        Some(at) => parts[at..].iter().collect(),
        None => real(path),
    }
}

/// The folders that packages are installed in.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Basis, Confidence, Location};

    use super::*;
    use crate::comment::Comment;

    /// A text that all files have.
    struct Text(&'static str);

    impl Files for Text {
        fn line(&mut self, _: &Path, line: u32) -> Option<String> {
            let at = (line as usize).checked_sub(1)?;
            self.0.lines().nth(at).map(str::to_owned)
        }

        fn comments(&mut self, _: &Path) -> Vec<Comment> {
            Vec::new()
        }
    }

    fn finding(file: &str, line: u32) -> Finding {
        Finding {
            id: "CG101",
            title: String::new(),
            confidence: Confidence::Confirmed,
            location: Some(Location {
                file: file.into(),
                line,
                ..Location::default()
            }),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            basis: Basis::Source(None),
        }
    }

    fn findings(lines: &[u32]) -> Vec<Finding> {
        let all = lines.iter();
        all.map(|line| finding("/nowhere/a/b.py", *line)).collect()
    }

    /// The lines of what is left of findings in these lines of a text.
    fn left(baseline: &Baseline, text: &'static str, lines: &[u32]) -> Vec<u32> {
        let mut split = Split {
            findings: findings(lines),
            left_out: Vec::new(),
        };
        baseline.leave_out(&mut split, Path::new("known.json"), &mut Text(text));
        assert_eq!(split.findings.len() + split.left_out.len(), lines.len());
        let left = split.findings.iter();
        left.filter_map(|it| Some(it.location.as_ref()?.line))
            .collect()
    }

    #[test]
    fn what_is_known_is_known_as_often_as_it_was_there() {
        let text = "a\n  x.item()\n  x.item()\n";
        let baseline = Baseline::of(&findings(&[2, 3]), &mut Text(text));
        assert_eq!(left(&baseline, text, &[2, 3]), [0; 0]);
        let moved = "a\n# new\n  x.item()\nx.item()\nx.item()\n";
        assert_eq!(left(&baseline, moved, &[3, 4]), [0; 0]);
        assert_eq!(left(&baseline, moved, &[3, 4, 5]), [5]);
        assert_eq!(left(&baseline, moved, &[1, 3, 4]), [1]);
        assert_eq!(left(&Baseline::default(), text, &[2, 3]), [2, 3]);
    }

    #[test]
    fn files_are_named_from_the_folder_of_the_baseline() {
        let baseline = Baseline::of(&findings(&[1]), &mut Text("x.item()"));
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
    fn a_package_is_the_same_in_every_environment() {
        let of = |environment: &str| {
            let file = format!("{environment}/lib/python3.12/site-packages/vllm/runner.py");
            Baseline::of(&[finding(&file, 1)], &mut Text("x.item()"))
        };
        let text = of("/home/a/.venv").to_json(Path::new("/home/a"));
        assert!(text.contains("\"site-packages/vllm/runner.py\""), "{text}");
        assert_eq!(
            Baseline::from_json(&text, Path::new("/ci")),
            Ok(of("/opt/venv"))
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
