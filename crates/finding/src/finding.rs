//! One finding.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Fix, Location, Observed};

/// One root cause. What happened several times is one finding, which describes the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The failure mode, e.g. `CG101`.
    pub id: &'static str,
    /// One line that says what happened here, short enough for a narrow terminal.
    pub title: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The line of the user's program to look at first. The linter always knows one.
    pub location: Option<Location>,
    /// Further places that explain it: where the capture began, where a stream was forked.
    pub labels: Vec<Label>,
    /// Facts that belong to it, one sentence each.
    pub notes: Vec<String>,
    /// What to change, most helpful first.
    pub help: Vec<String>,
    /// What it rests on.
    pub basis: Basis,
}

/// What a finding rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// A program that ran, and what was recorded.
    Run(Box<Observed>),
    /// Source that was read, and the change that repairs it.
    Source(Option<Fix>),
}

impl Finding {
    /// The file of the line to look at first.
    pub fn file(&self) -> Option<&Path> {
        self.location.as_ref().map(|it| it.file.as_path())
    }

    /// What was recorded, where a program ran.
    pub fn observed(&self) -> Option<&Observed> {
        match &self.basis {
            Basis::Run(observed) => Some(observed),
            Basis::Source(_) => None,
        }
    }

    /// What was recorded, where a program ran.
    pub fn observed_mut(&mut self) -> Option<&mut Observed> {
        match &mut self.basis {
            Basis::Run(observed) => Some(observed),
            Basis::Source(_) => None,
        }
    }

    /// The change of the source that repairs it, if one is known.
    pub fn fix(&self) -> Option<&Fix> {
        match &self.basis {
            Basis::Run(_) => None,
            Basis::Source(fix) => fix.as_ref(),
        }
    }

    /// Whether `cgsan lint --fix` repairs it, and needs no further option.
    pub fn is_repairable(&self) -> bool {
        self.fix().is_some_and(|fix| fix.safe)
    }

    /// What to change, and the command that can do it.
    pub fn help_with_command(&self) -> Vec<String> {
        let mut help = self.help.clone();
        if let Some(fix) = self.fix() {
            fix.add_command(&mut help);
        }
        help
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The recorded events, or the source, leave no other explanation.
    Confirmed,
    /// They fit, and another explanation is improbable.
    Likely,
    /// They fit, among other explanations. The linter reports these on request only.
    Possible,
}

/// A place and what it has to do with a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub location: Location,
    /// What happened there, as a phrase: `the capture began here`.
    pub text: String,
    /// Whether it is where the finding points or what explains it.
    pub role: LabelRole,
}

/// What a labelled place is to its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelRole {
    /// The place to look at first.
    Primary,
    /// A place that explains it.
    Secondary,
}
