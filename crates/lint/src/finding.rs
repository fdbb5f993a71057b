//! What a rule has found, and what could not be looked at.

use std::path::PathBuf;

pub(crate) use cgsan_finding::{
    Basis, Cell, Confidence, Edit, Finding, Fix, Label, LabelRole, Location, Span,
};

/// A program that was evaluated in part only, since it takes more steps than one is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// The file from whose first line on it was evaluated.
    pub root: PathBuf,
    /// The first place that was not evaluated.
    pub location: Location,
}

impl Unfinished {
    /// What that means, in one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let root = self.root.display();
        format!(
            "{root} was evaluated in part only: it takes more steps than the linter spends on one file"
        )
    }
}

/// A file with invalid syntax, or that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxError {
    /// Where.
    pub location: Location,
    /// What is wrong.
    pub message: String,
    /// Whether the file could not be read at all.
    pub unreadable: bool,
}
