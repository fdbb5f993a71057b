//! Findings that are known and wanted out of the report.

use std::fmt;
use std::path::PathBuf;

use crate::Finding;

/// A finding that is not reported, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The finding.
    pub finding: Finding,
    /// What leaves it out.
    pub by: Reason,
}

/// What leaves a finding out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// An option of the command line, by its name.
    Option(&'static str),
    /// A configuration, by its file.
    Configuration(PathBuf),
    /// A comment on its line.
    Comment,
    /// A list of known findings, by its file.
    Baseline(PathBuf),
    /// An earlier run in which it was found, by its file or folder.
    Earlier(PathBuf),
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &PathBuf| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        };
        match self {
            Self::Option(name) => to.write_str(name),
            Self::Configuration(path) => to.write_str(&name(path)),
            Self::Comment => to.write_str("comments in the source"),
            Self::Baseline(path) => write!(to, "the baseline {}", name(path)),
            Self::Earlier(path) => write!(to, "the earlier run {}", name(path)),
        }
    }
}

impl LeftOut {
    /// How many are left out by what, e.g. `1 finding left out by pyproject.toml`; `None` if there are none.
    pub fn in_words(all: &[LeftOut]) -> Option<String> {
        let mut reasons: Vec<&Reason> = all.iter().map(|it| &it.by).collect();
        reasons.sort();
        let counts: Vec<String> = reasons
            .chunk_by(|a, b| a == b)
            .map(|same| format!("{} by {}", same.len(), same[0]))
            .collect();
        let noun = if all.len() == 1 {
            "finding"
        } else {
            "findings"
        };
        match counts.as_slice() {
            [] => None,
            [_] => Some(format!("{} {noun} left out by {}", all.len(), all[0].by)),
            several => Some(format!(
                "{} {noun} left out: {}",
                all.len(),
                several.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Basis, Confidence};

    fn left_out(by: Reason) -> LeftOut {
        LeftOut {
            finding: Finding {
                id: "CG101",
                title: String::new(),
                confidence: Confidence::Confirmed,
                location: None,
                labels: Vec::new(),
                notes: Vec::new(),
                help: Vec::new(),
                basis: Basis::Source(None),
            },
            by,
        }
    }

    #[test]
    fn reasons_are_counted() {
        let file = || left_out(Reason::Configuration("/a/pyproject.toml".into()));
        let words = |all: &[LeftOut]| LeftOut::in_words(all).unwrap_or_default();
        assert_eq!(words(&[]), "");
        assert_eq!(words(&[file()]), "1 finding left out by pyproject.toml");
        assert_eq!(
            words(&[file(), file()]),
            "2 findings left out by pyproject.toml"
        );
        let others = [
            left_out(Reason::Comment),
            file(),
            left_out(Reason::Baseline("known.json".into())),
            left_out(Reason::Comment),
            left_out(Reason::Option("--ignore")),
        ];
        assert_eq!(
            words(&others),
            "5 findings left out: 1 by --ignore, 1 by pyproject.toml, 2 by comments in the source, 1 by the baseline known.json"
        );
    }
}
