//! What is reported of what was found, and what is left out.

use std::path::{Path, PathBuf};

use cgsan_finding::{Finding, LeftOut, Reason};

use crate::comment::Comment;
use crate::policy::Policy;

/// The source files that findings point into.
pub trait Files {
    /// Where a file that a finding names is.
    fn path(&self, file: &Path) -> PathBuf {
        file.to_owned()
    }

    /// The text of a line, counted as findings count them; `None` where it cannot be had.
    fn line(&mut self, file: &Path, line: u32) -> Option<String>;

    /// The comments in a file that leave something out.
    fn comments(&mut self, file: &Path) -> Vec<Comment>;
}

/// What was found, in two parts.
#[derive(Debug, Default)]
pub struct Split {
    /// What is reported.
    pub findings: Vec<Finding>,
    /// What is not.
    pub left_out: Vec<LeftOut>,
}

/// Leaves out what a policy and comments on the lines of findings leave out.
pub fn split(findings: Vec<Finding>, policy: &Policy, files: &mut dyn Files) -> Split {
    let mut split = Split::default();
    for finding in findings {
        let path = finding.file().map(|file| files.path(file));
        let listed = policy.leaves_out(finding.id, path.as_deref()).cloned();
        let by = listed.or_else(|| by_comment(&finding, files).then_some(Reason::Comment));
        match by {
            Some(by) => split.left_out.push(LeftOut { finding, by }),
            None => split.findings.push(finding),
        }
    }
    split
}

/// Whether a comment on one of the lines of a finding leaves it out.
fn by_comment(finding: &Finding, files: &mut dyn Files) -> bool {
    let Some(place) = &finding.location else {
        return false;
    };
    let lines = place.line..=place.end_line();
    files
        .comments(&place.file)
        .iter()
        .any(|it| lines.contains(&it.location.line) && it.names(finding.id))
}
