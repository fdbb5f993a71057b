//! All that is said of a run, or of the source that was read.

use serde::{Deserialize, Serialize};

use crate::{CapturedGraph, Coverage, Finding, LeftOut, Location, MemoryUse, RankGroup};

/// All that was found, in one process or in several, or in source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The findings, in the order in which their causes happened.
    pub findings: Vec<Finding>,
    /// What was found and is known: it is not reported, and counted.
    pub left_out: Vec<LeftOut>,
    /// The ranks of a job by what they did, the fewest first; empty if there are fewer than three, or if all did the same.
    pub ranks: Vec<RankGroup>,
    /// What limits the diagnosis: missing functions, computed values, a trace that was cut off.
    pub notes: Vec<Note>,
    /// What was watched of a run; `None` where nothing ran, as when source is read.
    pub coverage: Option<Coverage>,
    /// What PyTorch's allocator held; `None` where it was not asked for.
    pub memory: Option<Vec<MemoryUse>>,
    /// What the captures recorded; `None` where it was not asked for.
    pub graphs: Option<Vec<CapturedGraph>>,
}

impl Report {
    /// Whether a program ran and nothing of it could be judged: then no findings prove nothing.
    pub fn is_of_nothing(&self) -> bool {
        let coverage = self.coverage.as_ref();
        self.findings.is_empty()
            && self.left_out.is_empty()
            && coverage.is_some_and(Coverage::is_empty)
    }
}

/// A remark about the whole of what was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// How much it weighs.
    pub level: NoteLevel,
    /// What it says, in one or two sentences; further lines, if there are some, are to be shown as they are.
    pub text: String,
    /// Where it first applied.
    pub location: Option<Location>,
}

impl Note {
    /// A remark that limits or explains the findings.
    pub fn new(text: impl Into<String>, location: Option<Location>) -> Self {
        Self {
            level: NoteLevel::Note,
            text: text.into(),
            location,
        }
    }
}

/// How much a remark weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteLevel {
    /// Something could not be looked at: a file with a syntax error. Or a verified replay computed something else.
    Error,
    /// The findings are to be read with it in mind.
    Note,
}
