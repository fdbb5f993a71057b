//! What a form of reports consists of.

use std::fmt;

use cgsan_finding::Report;

use super::places::Places;
use crate::{Options, Sources};

/// A report, and what goes with it.
pub struct Shown<'a> {
    /// What was found.
    pub report: &'a Report,
    /// The command that found it, for forms that name it.
    pub command: &'static str,
    /// Where findings are, as other tools see it.
    pub places: &'a dyn Places,
    /// What the output can do.
    pub options: &'a Options,
}

/// A form in which every command that has a report writes it, and writes it the same.
pub struct Form {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for the help of the command line.
    pub about: &'static str,
    /// Whether it is lines for people: `lint` ends them with its summary, and can write statistics in their place.
    pub is_lines: bool,
    /// Whether tools that read it apply the edits of a finding without showing them.
    pub applies_edits: bool,
    write: Write,
}

/// Turns a report into a text.
type Write = fn(&Shown<'_>, &mut Sources<'_>) -> String;

impl Form {
    pub(super) const fn new(name: &'static str, about: &'static str, write: Write) -> Form {
        Form {
            name,
            about,
            is_lines: false,
            applies_edits: false,
            write,
        }
    }

    pub(super) const fn lines(self) -> Form {
        Form {
            is_lines: true,
            ..self
        }
    }

    pub(super) const fn applies_edits(self) -> Form {
        Form {
            applies_edits: true,
            ..self
        }
    }

    /// The report in this form.
    pub fn write(&self, shown: &Shown<'_>, sources: &mut Sources<'_>) -> String {
        (self.write)(shown, sources)
    }
}

/// Names are unique.
impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        self.name == other.name
    }
}

impl Eq for Form {}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Form").field(&self.name).finish()
    }
}
