//! Reports in the forms that other tools read: code scanners, reviews, and what shows the results of tests.
//!
//! | file | what |
//! |---|---|
//! | `sarif` | SARIF 2.1.0, with `rules` (the catalogue's entries) and `chain` (what happened, step by step) |
//! | `github` | annotations: the commands that GitHub's workflows read from a step's output |
//! | `junit` | XML as JUnit writes it |
//! | `markdown` | a page for the summary of a job |
//! | `place` | places as these tools name them |
//!
//! Findings of runs and of source are written by the same code; what only the linter knows of its files comes through [`Places`].

pub(crate) mod chain;
mod github;
mod junit;
mod markdown;
mod place;
mod rules;
mod sarif;

use std::ops::Range;
use std::path::Path;

use cgsan_catalogue::Severity;
use cgsan_finding::{Confidence, Finding, Location, Note, NoteLevel};

use crate::Options;

pub use github::github;
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;

/// What is known of the files that a report points into.
pub trait Places {
    /// The line of the file as it is written, from 1: a notebook's lines are not those of its cells.
    fn line_in_file(&self, place: &Location) -> u32 {
        place.line
    }

    /// The place that an edit replaces, given as bytes of the file; `None` where they are not those of the file as it is written.
    fn of_edit(&self, _file: &Path, _bytes: Range<usize>) -> Option<Location> {
        None
    }
}

/// The files of a program that ran: lines are those of the files, and nothing is edited.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPlaces;

impl Places for RecordedPlaces {}

/// How much something weighs for tools that know errors, warnings and remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Remark,
}

impl Level {
    /// What depends on something unknown is a remark.
    fn of(found: &Finding) -> Self {
        match (found.confidence, Severity::of(found.id)) {
            (Confidence::Possible, _) => Self::Remark,
            (_, Severity::Error) => Self::Error,
            (_, Severity::Warning) => Self::Warning,
        }
    }

    fn of_note(note: &Note) -> Self {
        match note.level {
            NoteLevel::Error => Self::Error,
            NoteLevel::Note => Self::Remark,
        }
    }
}

/// The same without colours, which these forms have no place for.
fn plain(options: &Options) -> Options {
    Options {
        color: false,
        ..options.clone()
    }
}
