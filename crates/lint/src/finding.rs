//! What a rule has found.

use std::ops::Range;
use std::path::PathBuf;

use crate::syntax::Place;

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The source leaves no other way.
    Confirmed,
    /// The source shows it; another explanation is improbable.
    Likely,
    /// It depends on what the source does not show. Reported only on request.
    Possible,
}

/// One thing that goes wrong, at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The failure mode, e.g. `CG101`.
    pub id: &'static str,
    /// What happens here, in one line.
    pub title: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where.
    pub location: Location,
    /// Further places: the calls that lead there, innermost first, and where the capture began.
    pub labels: Vec<Label>,
    /// Facts that belong to it, one sentence each.
    pub notes: Vec<String>,
    /// What to change.
    pub help: Vec<String>,
    /// A change of the source that repairs it.
    pub fix: Option<Fix>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// The file, as it was named.
    pub file: PathBuf,
    /// Offsets of bytes in it; in a notebook, in the code of its cells.
    pub range: Range<usize>,
    /// Where it begins.
    pub start: Place,
    /// Where it ends.
    pub end: Place,
    /// The function around it.
    pub function: String,
    /// In a notebook: the code cell and the line in it, counted from 1.
    pub cell: Option<(u32, u32)>,
}

/// A place and what it has to do with a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The place.
    pub location: Location,
    /// What happens there, as a phrase.
    pub text: String,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: `keep a copy`.
    pub title: String,
    /// Whether the program means the same afterwards, but for the repair.
    pub safe: bool,
    /// The file.
    pub file: PathBuf,
    /// The edits, in order, none of which touches another.
    pub edits: Vec<Edit>,
}

/// The replacement of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Where the replaced text begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What takes its place.
    pub text: String,
}

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

/// A file that is not Python.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxError {
    /// Where.
    pub location: Location,
    /// What is wrong.
    pub message: String,
    /// Whether the file could not be read at all.
    pub unreadable: bool,
}
