//! How much something weighs.

use cgsan_catalogue::Severity;
use cgsan_finding::{Confidence, Finding, Note, NoteLevel};

/// How much something weighs for tools that know errors, warnings and remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Remark,
}

impl Level {
    /// What depends on something unknown is a remark.
    pub fn of(found: &Finding) -> Self {
        match (found.confidence, Severity::of(found.id)) {
            (Confidence::Possible, _) => Self::Remark,
            (_, Severity::Error) => Self::Error,
            (_, Severity::Warning) => Self::Warning,
        }
    }

    pub fn of_note(note: &Note) -> Self {
        match note.level {
            NoteLevel::Error => Self::Error,
            NoteLevel::Note => Self::Remark,
        }
    }
}
